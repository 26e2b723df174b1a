"""The IPC toolkit as a runner: whether a frame of a deforming scene meets itself, and recorded continuous queries.

`runner frames FILE`: for each frame, a line with nanoseconds and 1 if anything meets, else 0.
`runner queries FILE [FIRST]`: for each query from the first on, a line with 1 if it hits, else 0, nanoseconds, and nanoseconds of an empty call: the
least time of a query of the same kind that ends at once. A query that raises has a line `failed`.
"""

import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
# What the library itself prints goes to standard error, so that answers are alone on standard output.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import ipctk
import numpy as np

clock = time.perf_counter_ns


def read_frames(path):
    nv, nf, n = (int(x) for x in np.fromfile(path, dtype="<u8", count=3))
    faces = np.fromfile(path, dtype="<u4", count=3 * nf, offset=24).reshape(-1, 3).astype(np.int32)
    places = np.fromfile(path, dtype="<f4", count=3 * nv * n, offset=24 + 12 * nf)
    return faces, places.reshape(n, nv, 3).astype(np.float64)


def frames(path):
    faces, places = read_frames(path)
    if hasattr(ipctk, "set_num_threads"):
        ipctk.set_num_threads(1)
    mesh = ipctk.CollisionMesh(places[0], ipctk.edges(faces), faces)
    for frame in places:
        frame = np.ascontiguousarray(frame)
        start = clock()
        meets = bool(ipctk.has_intersections(mesh, frame))
        print(clock() - start, int(meets), file=answers, flush=True)


def queries(path, first):
    ccd = ipctk.TightInclusionCCD()
    call = {0: ccd.point_triangle_ccd, 1: ccd.edge_edge_ccd}
    rows = np.fromfile(path, dtype="<f8").reshape(-1, 25)
    far = [np.array([float(i), 100.0 * (i % 4 > 0), 0.0]) for i in range(8)]
    empty = {}
    for kind in (0, 1):
        least = 10**12
        for _ in range(2000):
            start = clock()
            call[kind](*far)
            least = min(least, clock() - start)
        empty[kind] = least
    for row in rows[first:]:
        kind = int(row[24])
        points = [np.ascontiguousarray(row[3 * i : 3 * i + 3]) for i in range(8)]
        try:
            start = clock()
            hit, _ = call[kind](*points)
            spent = clock() - start
        except Exception as error:
            print("failed", file=answers, flush=True)
            print(error, file=sys.stderr)
            continue
        print(int(hit), spent, empty[kind], file=answers, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "frames":
        frames(sys.argv[2])
    else:
        queries(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)
