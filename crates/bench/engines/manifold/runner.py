"""Manifold's boolean as a runner: the volume of the intersection of two placed meshes.

Started as `runner A.mesh B.mesh`. A line `volume <12 numbers, rows of the placement of B> <repeats>` is answered by
`volume <value> <nanoseconds...>`. Meshes are prepared once; a query places B, intersects, and asks for the volume.
"""

import sys
import time

import manifold3d
import numpy


def read(path):
    with open(path, "rb") as file:
        vertices, faces = numpy.fromfile(file, "<u8", 2)
        positions = numpy.fromfile(file, "<f8", 3 * int(vertices)).reshape(-1, 3)
        indices = numpy.fromfile(file, "<u4", 3 * int(faces)).reshape(-1, 3)
    # The double-precision mesh takes 64-bit indices.
    mesh = manifold3d.Mesh64(positions, indices.astype(numpy.uint64))
    solid = manifold3d.Manifold(mesh)
    if solid.status() != manifold3d.Error.NoError:
        sys.exit(f"{path}: {solid.status()}")
    return solid


def main():
    a, b = read(sys.argv[1]), read(sys.argv[2])
    # Both are made now, not at the first question.
    a.volume(), b.volume()
    for line in sys.stdin:
        words = line.split()
        if not words or words[0] != "volume":
            print("unsupported", flush=True)
            continue
        place = numpy.array([float(w) for w in words[1:13]]).reshape(3, 4)
        times, value = [], 0.0
        for _ in range(int(words[13])):
            start = time.perf_counter_ns()
            value = (a ^ b.transform(place)).volume()
            times.append(time.perf_counter_ns() - start)
        print("volume", repr(float(value)), *times, flush=True)


main()
