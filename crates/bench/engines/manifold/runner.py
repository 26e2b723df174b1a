"""Manifold's boolean as a runner: the volume of the intersection of two placed meshes.

Started as `runner A.mesh B.mesh`, it speaks the protocol of PROTOCOL.md and answers the question `volume`. A query places B, intersects, and asks for
the volume, so that a whole mesh is made each time. One more line is understood, for programs that ask at each placement once:
`volume <12 numbers, rows of the placement of B> <repeats>` is answered by `volume <value> <nanoseconds...>`.
"""

import sys
import time

import manifold3d
import numpy

BALLAST = bytearray(32 << 20)


def read(path):
    with open(path, "rb") as file:
        vertices, faces = numpy.fromfile(file, "<u8", 2)
        positions = numpy.fromfile(file, "<f8", 3 * int(vertices)).reshape(-1, 3)
        indices = numpy.fromfile(file, "<u4", 3 * int(faces)).reshape(-1, 3)
    # The double-precision mesh takes 64-bit indices.
    return manifold3d.Mesh64(positions, indices.astype(numpy.uint64))


def build(mesh):
    start = time.perf_counter_ns()
    solid = manifold3d.Manifold(mesh)
    # It is made now, not at the first question.
    solid.volume()
    return solid, time.perf_counter_ns() - start


def version():
    try:
        from importlib.metadata import version as of

        return of("manifold3d")
    except Exception:
        return "3"


class Runner:
    def __init__(self, a, b):
        self.meshes = [read(a), read(b)]
        self.poses = []
        self.a = self.b = None

    def build(self):
        (self.a, first), (self.b, second) = map(build, self.meshes)
        fine = manifold3d.Error.NoError
        self.is_solid = self.a.status() == fine and self.b.status() == fine
        return first, second

    def is_ready(self):
        if self.a is None:
            self.build()
        return self.is_solid

    def volume(self, place, repeats, is_cold):
        times, value = [], 0.0
        for _ in range(repeats):
            spoiled = bytes(BALLAST) if is_cold else b""
            start = time.perf_counter_ns()
            value = (self.a ^ self.b.transform(place)).volume()
            times.append(time.perf_counter_ns() - start)
            del spoiled
        return " ".join([repr(float(value)), *map(str, times)])

    def answer(self, line):
        word, *rest = line.split() or ["?"]
        if word == "hello":
            return f"engine manifold {version()} f64"
        if word == "build":
            first, second = self.build()
            return f"built {first} {second} 0"
        if word == "pose":
            self.poses.append(placement(rest))
            return f"pose {len(self.poses) - 1}"
        if word in ("ask", "cold") and rest[0] == "volume" and self.is_ready():
            place = self.poses[int(rest[2])]
            return "answer " + self.volume(place, int(rest[3]), word == "cold")
        if word == "volume" and self.is_ready():
            return "volume " + self.volume(placement(rest[:12]), int(rest[12]), False)
        return "unsupported"


def placement(words):
    return numpy.array([float(word) for word in words]).reshape(3, 4)


def main():
    runner = Runner(sys.argv[1], sys.argv[2])
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        print(runner.answer(line), flush=True)


main()
