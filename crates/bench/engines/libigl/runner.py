"""libigl as a runner: the pairs of faces of a deforming scene that meet.

`runner frames FILE`: for each frame, a line with nanoseconds and how many pairs meet.
"""

import os
import sys
import time

os.environ["IGL_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
# What the library itself prints goes to standard error, so that answers are alone on standard output.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import igl
import numpy as np


def finder(faces):
    try:
        import igl.predicates as predicates
    except ImportError:
        predicates = None
    if predicates is not None and hasattr(predicates, "find_self_intersections"):
        return lambda places: len(predicates.find_self_intersections(places, faces)[1])
    if hasattr(igl, "fast_find_self_intersections"):
        return lambda places: int(np.count_nonzero(igl.fast_find_self_intersections(places, faces)[1]))
    from igl.copyleft import cgal

    return lambda places: len(cgal.remesh_self_intersections(places, faces, detect_only=True)[2])


def main(path):
    nv, nf, n = (int(x) for x in np.fromfile(path, dtype="<u8", count=3))
    faces = np.fromfile(path, dtype="<u4", count=3 * nf, offset=24).reshape(-1, 3).astype(np.int64)
    places = np.fromfile(path, dtype="<f4", count=3 * nv * n, offset=24 + 12 * nf)
    places = places.reshape(n, nv, 3).astype(np.float64)
    ask = finder(faces)
    for frame in places:
        frame = np.ascontiguousarray(frame)
        start = time.perf_counter_ns()
        found = ask(frame)
        print(time.perf_counter_ns() - start, found, file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[2])
