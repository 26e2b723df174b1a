#!/usr/bin/env python3
"""A runner (docs/guide/runner-protocol.md): all pairs of triangles, boxes first. It misses coplanar ones: approximate."""
import struct, sys, time

def read(path):
    data = open(path, "rb").read()
    vertices, faces = struct.unpack_from("<QQ", data)
    numbers = struct.unpack_from(f"<{3 * vertices}d", data, 16)
    corners = struct.unpack_from(f"<{3 * faces}I", data, 16 + 24 * vertices)
    points = [numbers[k : k + 3] for k in range(0, len(numbers), 3)]
    return [[points[i] for i in corners[k : k + 3]] for k in range(0, len(corners), 3)]
def side(a, b, c, d):  # six times the volume of a tetrahedron
    (p, q, r), (s, t, u), (x, y, z) = ([v[k] - a[k] for k in range(3)] for v in (b, c, d))
    return p * (t * z - u * y) - q * (s * z - u * x) + r * (s * y - t * x)
def pierces(p, q, face):  # whether the segment pq meets the face
    turns = [side(p, q, face[k - 1], face[k]) for k in range(3)]
    return side(*face, p) * side(*face, q) <= 0 and any(turns) and (min(turns) >= 0 or max(turns) <= 0)
def boxed(faces):
    return [(f, [min(v) for v in zip(*f)], [max(v) for v in zip(*f)]) for f in faces]
def pairs(place):
    moved = [[[sum(r[k] * v[k] for k in range(3)) + r[3] for r in place] for v in f] for f in b]
    for j, (g, low, high) in enumerate(boxed(moved)):
        for i, (f, least, most) in enumerate(index):
            if all(low[k] <= most[k] and least[k] <= high[k] for k in range(3)):
                if any(pierces(f[k - 1], f[k], g) or pierces(g[k - 1], g[k], f) for k in range(3)):
                    yield i, j
a, b = read(sys.argv[1]), read(sys.argv[2])
index, poses, ballast = [], [], bytearray(32 << 20)
ask = {"intersects": lambda p: float(any(True for _ in pairs(p))), "pairs": lambda p: float(sum(1 for _ in pairs(p)))}
for line in sys.stdin:
    word, *rest = line.split() or ["?"]
    answer = "unsupported"
    if word == "hello":
        answer = "engine example 1.0 approximate"
    elif word == "build":
        start = time.perf_counter_ns()
        index = boxed(a)
        answer = f"built {time.perf_counter_ns() - start} 0 0"
    elif word == "pose":
        poses.append([[float(x) for x in rest[k : k + 4]] for k in (0, 4, 8)])
        answer = f"pose {len(poses) - 1}"
    elif word in ("ask", "cold") and rest[0] in ask:
        value, times = 0.0, []
        for _ in range(int(rest[3])):
            spoiled = bytes(ballast) if word == "cold" else b""  # other bytes in the caches
            start = time.perf_counter_ns()
            value = ask[rest[0]](poses[int(rest[2])])
            times.append(time.perf_counter_ns() - start)
        answer = " ".join(["answer", repr(value), *map(str, times)])
    print(answer, flush=True)
