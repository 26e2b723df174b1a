"""Clashes of many instanced parts on three local workers, two of which are killed and one of which is slow.

``python bench/cluster.py [PARTS]`` says whether the answers are those of one process, and how long and how much memory they took.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import impinge
import impinge.distributed as cluster
import numpy as np
from dask.distributed import Client, LocalCluster


def crowd(count: int) -> impinge.Assembly:
    rng = np.random.default_rng(5)
    meshes = [impinge.Cuboid([0.5, 0.5, 0.5]).to_mesh(), impinge.generate("icosphere", faces=80)]
    side = count ** (1 / 3) * 2.0
    parts = []
    for k in range(count):
        pose = impinge.rotation(rng.normal(size=3), rng.uniform(0, 6), rng.uniform(0, side, 3))
        parts.append((f"part {k}", meshes[k % 2], pose))
    return impinge.Assembly(parts)


def told(clashes: list[impinge.Clash]) -> bytes:
    return pickle.dumps([clash.__reduce__()[1] for clash in clashes])


def mebibytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def harm(pids: list[int]) -> None:
    """One worker dies, then another; the third stands still for three seconds."""
    time.sleep(2.0)
    os.kill(pids[0], signal.SIGKILL)
    os.kill(pids[2], signal.SIGSTOP)
    time.sleep(3.0)
    os.kill(pids[2], signal.SIGCONT)
    os.kill(pids[1], signal.SIGKILL)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    parts = crowd(count)
    began = time.perf_counter()
    alone = parts.clashes(clearance=0.01)
    print(f"{count} parts, {len(alone)} clashes; one process, {impinge.threads()} threads: "
          f"{time.perf_counter() - began:.1f} s, {mebibytes():.0f} MiB", flush=True)
    with tempfile.TemporaryDirectory() as folder, LocalCluster(
        n_workers=3, threads_per_worker=1, dashboard_address=":0", processes=True
    ) as local, Client(local) as client:
        pids = list(client.run(os.getpid).values())
        thread = threading.Thread(target=harm, args=(pids,))
        thread.start()
        began = time.perf_counter()
        spread = cluster.clashes(parts, clearance=0.01, client=client, folder=folder)
        took = time.perf_counter() - began
        thread.join()
        most = max(client.run(mebibytes).values())
        same = told(spread) == told(alone)
        print(f"three workers, two killed, one slow: {took:.1f} s, worker {most:.0f} MiB, caller {mebibytes():.0f} MiB, "
              f"the same bytes: {same}", flush=True)
        cells = sorted(Path(folder).glob("*.pickle"))
        for cell in cells[::10]:
            cell.unlink()
        asked = []
        began = time.perf_counter()
        again = cluster.clashes(
            parts, clearance=0.01, client=client, folder=folder, progress=lambda done, total: asked.append(total - done)
        )
        print(f"resumed: {asked[0]} of {len(cells)} cells were missing, {time.perf_counter() - began:.1f} s, "
              f"the same bytes: {told(again) == told(alone)}")
    if not same or told(again) != told(alone):
        sys.exit(1)


if __name__ == "__main__":
    main()
