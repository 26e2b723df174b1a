"""Ten thousand poses of two meshes of 80 000 faces from one array, beside the batch of the Rust library.

``python bench/batch.py``: builds and runs ``bench/rust_side.rs`` by cargo, gives it the same mesh and poses, and compares the answers and
the fastest of 15 runs each. Then counts what another Python thread does while a batch runs.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import impinge
import numpy as np
from bars import bar, end, fastest
from peers import around, poses

RUST = ["cargo", "run", "--release", "--quiet", "--package", "impinge-py", "--example", "rust-side", "--"]


def beside_rust(mesh: impinge.Mesh, placed: np.ndarray, runs: int) -> None:
    origins, directions, _ = around(mesh, 1_000_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "vertices").write_bytes(np.ascontiguousarray(mesh.vertices, dtype="<f8").tobytes())
        (folder / "faces").write_bytes(np.ascontiguousarray(mesh.faces, dtype="<u4").tobytes())
        (folder / "poses").write_bytes(np.ascontiguousarray(placed, dtype="<f8").tobytes())
        (folder / "rays").write_bytes(np.hstack([origins, directions]).astype("<f8").tobytes())
        said = subprocess.run([*RUST, name], check=True, capture_output=True, text=True, cwd=Path(__file__).parent).stdout
        rust = {line.split("\t")[0]: float(line.split("\t")[1]) for line in said.splitlines()}
        mesh.build_index()
        for what, ask in (
            ("boolean", lambda: mesh.intersects_all(mesh, placed)),
            ("distance", lambda: mesh.distance_all(mesh, placed).distance),
        ):
            took, answer = fastest(ask, runs)
            same = answer.tobytes() == (folder / f"{what}.rust").read_bytes()
            print(f"{what}: {len(placed)} poses in {took * 1e3:.1f} ms, Rust {rust[what] * 1e3:.1f} ms, the same bytes: {same}")
            bar(f"{what}: within 10 % of the Rust batch, with its bytes", f"{took / rust[what]:.3f} times", same and took <= 1.1 * rust[what])
        took, _ = fastest(lambda: mesh.cast_rays(origins, directions), runs)
        print(f"rays: a million in {took * 1e3:.0f} ms, with points and normals; Rust's first_hits {rust['rays'] * 1e3:.0f} ms")
    pair = impinge.Pair(impinge.Ball(1.0), impinge.Ball(1.0))
    each = [np.array(pose) for pose in placed]
    took, _ = fastest(lambda: [pair.intersects(pose) for pose in each], runs)
    python, alone = took / len(each) * 1e9, rust["million calls of two balls"] * 1e3
    print(f"one call of two balls: {python:.0f} ns, Rust {alone:.0f} ns")
    bar("one warm call costs at most 1 µs over Rust, poses from arrays", f"{python - alone:.0f} ns over", python - alone <= 1000)


def others_run(mesh: impinge.Mesh, placed: np.ndarray) -> None:
    """What another Python thread counts while a batch runs on all cores, beside what it counts alone."""
    counted, gaps = [0], [0.0]
    stop = threading.Event()

    def count() -> None:
        last = time.perf_counter()
        while not stop.is_set():
            counted[0] += 1
            now = time.perf_counter()
            gaps[0] = max(gaps[0], now - last)
            last = now

    def rate(call: object) -> float:
        counted[0], gaps[0] = 0, 0.0
        stop.clear()
        thread = threading.Thread(target=count)
        began = time.perf_counter()
        thread.start()
        call()  # type: ignore[operator]
        stop.set()
        thread.join()
        return counted[0] / (time.perf_counter() - began)

    alone = rate(lambda: time.sleep(0.5))
    beside = rate(lambda: mesh.distance_all(mesh, placed))
    print(f"another Python thread: {beside / 1e6:.2f} million steps a second beside the batch, {alone / 1e6:.2f} million alone, "
          f"never held up for more than {gaps[0] * 1e3:.1f} ms")
    # On as many busy cores as threads, one more thread gets a fair part of one.
    bar("another Python thread runs meanwhile", f"{100 * beside / alone:.0f} % of its pace", beside > 0.25 * alone)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few poses: only that it runs")
    options = parser.parse_args()
    mesh = impinge.generate("torus-knot", faces=80_000)
    size = float(np.abs(mesh.bounds).max())  # type: ignore[arg-type]
    placed = poses(200 if options.quick else 10_000, size)
    print(f"impinge {impinge.__version__}, {impinge.threads()} threads, {len(mesh.faces)} faces, {len(placed)} poses")
    beside_rust(mesh, placed, 15)
    others_run(mesh, placed)
    end()


if __name__ == "__main__":
    main()
