"""Ten thousand poses from one array, on all cores."""

import impinge
import numpy as np

knot = impinge.generate("torus-knot", faces=2000)
rng = np.random.default_rng(0)
poses = np.tile(np.eye(4), (10_000, 1, 1))
poses[:, :3, 3] = rng.uniform(-6.0, 6.0, (10_000, 3))
meets = knot.intersects_all(knot, poses)
gaps = knot.distance_all(knot, poses[:500])
assert np.array_equal(meets[:500], gaps.distance == 0.0)
print(f"{meets.mean():.0%} of the poses meet; the others are {gaps.distance.max():.2f} apart at most")
