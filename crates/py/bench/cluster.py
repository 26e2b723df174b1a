"""Clashes of many instanced parts on local workers: some are killed, one is slow, one part cannot be read, a run is resumed.

``python bench/cluster.py [--parts N] [--only harm|resume|unreadable|scaling]`` says whether the answers are those of one process, and how
long and how much memory they took.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, Optional

import impinge
import impinge.distributed as cluster
import numpy as np
from bars import bar, end
from dask.distributed import Client, LocalCluster

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from crowd import crowd  # noqa: E402

CLEARANCE = 0.01


def told(clashes: list[impinge.Clash]) -> bytes:
    return pickle.dumps([clash.__reduce__()[1] for clash in clashes])


def mebibytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def local(workers: int) -> LocalCluster:
    return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", processes=True)


def harm(client: Client, kills: int, began: threading.Event, done: list[str]) -> None:
    """Workers die one after the other while the run goes on, and one stands still for three seconds."""
    pids = list(client.run(os.getpid).values())
    began.wait()
    time.sleep(0.5)
    os.kill(pids[2], signal.SIGSTOP)
    done.append("one stopped")
    for pid in pids[:kills]:
        os.kill(pid, signal.SIGKILL)
        done.append("one killed")
        time.sleep(1.5)
    time.sleep(3.0 - 1.5 * kills)
    os.kill(pids[2], signal.SIGCONT)


def harmed(parts: impinge.Assembly, alone: bytes, kills: int) -> None:
    with local(3) as three, Client(three) as client:
        started, done = threading.Event(), []
        thread = threading.Thread(target=harm, args=(client, kills, started, done))
        thread.start()
        seen: list[tuple[float, int]] = []

        def progress(finished: int, total: int) -> None:
            if finished == 1:
                started.set()
            seen.append((time.perf_counter(), total))

        began = time.perf_counter()
        spread = cluster.clashes(parts, clearance=CLEARANCE, client=client, progress=progress)
        took = time.perf_counter() - began
        # What harms after the last task harms nothing.
        in_time = len(done)
        started.set()
        thread.join()
        most = max(client.run(mebibytes).values())
    same = told(spread) == alone
    print(f"three workers, {kills} killed, one slow for 3 s ({in_time} of {len(done)} blows fell while it ran), {seen[-1][1]} cells: {took:.1f} s, "
          f"worker {most:.0f} MiB, caller {mebibytes():.0f} MiB")
    bar(f"cluster: the bytes of one process with {kills} of three workers killed and one slow", f"same: {same}",
        same if in_time == len(done) else None)


def resumed(parts: impinge.Assembly, alone: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, local(3) as three, Client(three) as client:
        cluster.clashes(parts, clearance=CLEARANCE, client=client, folder=folder)
        cells = sorted(Path(folder).glob("*.pickle"))
        for cell in cells[::10]:
            cell.unlink()
        missing = len(cells[::10])
        kept = {cell: cell.stat().st_mtime_ns for cell in Path(folder).glob("*.pickle")}
        asked: list[int] = []
        began = time.perf_counter()
        again = cluster.clashes(
            parts, clearance=CLEARANCE, client=client, folder=folder, progress=lambda done, total: asked.append(total - done)
        )
        took = time.perf_counter() - began
        untouched = all(cell.stat().st_mtime_ns == time_ns for cell, time_ns in kept.items())
    same = told(again) == alone
    print(f"resumed: {asked[0]} of {len(cells)} cells were missing, {took:.1f} s, the same bytes: {same}")
    bar("cluster: a resumed run does only what is missing, with the same bytes",
        f"{asked[0]} cells computed of {missing} missing", same and untouched and asked[0] == missing)


def gltf(path: Path, count: int, broken: int) -> None:
    """Cubes in a row, each overlapping the next; one of them has a face with a corner that does not exist."""
    cube = impinge.Cuboid([0.5, 0.5, 0.5]).to_mesh()
    corners = np.asarray(cube.vertices, dtype="<f4").tobytes()
    faces = np.asarray(cube.faces, dtype="<u4")
    bad = faces.copy()
    bad[0, 0] = 999
    data = corners + faces.tobytes() + bad.tobytes()
    sizes = [len(corners), faces.nbytes, faces.nbytes]
    starts = [0, sizes[0], sizes[0] + sizes[1]]
    indices = {"componentType": 5125, "count": faces.size, "type": "SCALAR"}
    path.write_text(json.dumps({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in zip(starts, sizes)],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(cube.vertices), "type": "VEC3",
             "min": [-0.5] * 3, "max": [0.5] * 3},
            {"bufferView": 1, **indices},
            {"bufferView": 2, **indices},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": k}]} for k in (1, 2)],
        "nodes": [{"name": f"cube {k}", "mesh": int(k == broken), "translation": [0.75 * k, 0.125, 0]} for k in range(count)],
        "scenes": [{"nodes": list(range(count))}],
        "scene": 0,
    }), encoding="utf-8")


def unreadable() -> None:
    with tempfile.TemporaryDirectory() as name, local(2) as two, Client(two) as client:
        folder = Path(name)
        gltf(folder / "row.gltf", 100, 50)
        parts = impinge.Assembly.open(folder / "row.gltf")
        found = cluster.clashes(parts, client=client, parts_in_cell=10)
        print(f"a row of 100 cubes of which one is damaged: {len(parts)} read, refused: {parts.refused}, {len(found)} clashes")
        bar("cluster: a part that cannot be read is reported, and the rest finishes", f"{len(parts.refused)} reported, {len(found)} of 97 clashes",
            len(parts.refused) == 1 and "50" in parts.refused[0][0] and len(found) == 97)
        impinge.Cuboid([1, 1, 1]).to_mesh().save(folder / "cube.ply")
        (folder / "broken.obj").write_text("f 1 2 3\n", encoding="utf-8")
        (folder / "row.gltf").unlink()
        packed, refused = cluster.pack_folder(folder, count=50, client=client)
        print(f"a folder of two files to fill with spheres: filled {list(packed)}, refused {refused}")


def busy_distances(seed: int, count: int) -> float:
    """One process alone: distances of a mesh, on one thread."""
    mesh = impinge.generate("torus-knot", faces=80_000)
    mesh.build_index()
    poses = np.random.default_rng(seed).normal(size=(count, 3))
    began = time.perf_counter()
    mesh.distance_all(mesh, 2 * poses, threads=1)
    return time.perf_counter() - began


def two_processes(count: int) -> float:
    """How many times as much two separate processes do in the time of one: what the machine allows."""
    command = [sys.executable, __file__, "--alone", str(count)]

    def run(processes: int) -> float:
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
        return max(float(process.communicate()[0]) for process in started)

    return 2 * run(1) / run(2)


def scales(gain: float, allowed: float) -> Optional[bool]:
    """Whether two workers gain enough; none when other programs left nothing to gain."""
    if gain >= 1.7:
        return True
    return None if allowed < 1.5 else gain >= 0.9 * allowed


def scaling(parts: impinge.Assembly, alone: bytes, sweep: int) -> None:
    knot = impinge.generate("torus-knot", faces=80_000)
    knot.build_index()
    poses = 2 * np.random.default_rng(1).normal(size=(sweep, 3))
    truth = knot.distance_all(knot, poses).distance.tobytes()

    def sweeps(client: Client) -> bool:
        found = cluster.distance_all(knot, knot, poses, client=client, chunk=max(sweep // 64, 32))
        return bool(found.distance.tobytes() == truth)

    def clashes(client: Client) -> bool:
        return told(cluster.clashes(parts, clearance=CLEARANCE, client=client)) == alone

    allowed = two_processes(sweep // 2)
    print(f"two separate processes do {allowed:.2f} times as much as one in its time: what this machine allows")
    jobs: dict[str, Callable[[Client], bool]] = {
        f"{sweep} distances of two meshes of 80 000 faces": sweeps,
        f"clashes of {len(parts)} parts": clashes,
    }
    for name, job in jobs.items():
        times = []
        for workers in (1, 2):
            with local(workers) as held, Client(held) as client:
                best: Optional[float] = None
                same = True
                for _ in range(2):
                    began = time.perf_counter()
                    same = job(client) and same
                    took = time.perf_counter() - began
                    best = took if best is None else min(best, took)
                times.append(best)
                print(f"{name}: {workers} workers {best:.2f} s, the same bytes: {same}", flush=True)
        gain = times[0] / times[1]  # type: ignore[operator]
        bar(f"cluster: {name}: two workers 1.7 times as fast as one, or 0.9 of what two separate processes gain",
            f"{gain:.2f} times, they gain {allowed:.2f}", scales(gain, allowed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", type=int, default=100_000)
    parser.add_argument("--sweep", type=int, default=20_000, help="poses of the sweep whose scaling is measured")
    parser.add_argument("--only", choices=("harm", "resume", "unreadable", "scaling"), help="one part")
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone is not None:
        print(busy_distances(1, options.alone))
        return
    wanted: Callable[[str], Any] = lambda name: options.only in (None, name)
    alone = b""
    if options.only != "unreadable":
        parts = crowd(options.parts, 2.0)
        began = time.perf_counter()
        found = parts.clashes(clearance=CLEARANCE)
        print(f"{options.parts} parts, {len(found)} clashes; one process, {impinge.threads()} threads: "
              f"{time.perf_counter() - began:.1f} s, {mebibytes():.0f} MiB", flush=True)
        alone = told(found)
    if wanted("harm"):
        harmed(parts, alone, 1)
        harmed(parts, alone, 2)
    if wanted("resume"):
        resumed(parts, alone)
    if wanted("unreadable"):
        unreadable()
    if wanted("scaling"):
        scaling(parts, alone, options.sweep)
    end()


if __name__ == "__main__":
    main()
