"""The first ten lines: two tetrahedra that touch in one point, then the next number."""

import impinge
import numpy as np

points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
corner = impinge.Mesh(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
assert corner.intersects(corner, [0.25, 0.25, 0.5])
assert not corner.intersects(corner, [0.25, 0.25, np.nextafter(0.5, 1.0)])
deep = corner.penetration(corner, [0.25, 0.25, 0.25])
assert deep is not None
print(f"depth {deep.depth:.3f} along {deep.normal.round(3)}")
