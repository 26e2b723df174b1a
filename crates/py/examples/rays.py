"""A depth image by rays."""

import impinge
import numpy as np

knot = impinge.generate("torus-knot", faces=5000)
bounds = knot.bounds
assert bounds is not None
low, high = bounds
x, y = np.meshgrid(np.linspace(low[0], high[0], 60), np.linspace(low[1], high[1], 30))
origins = np.stack([x, y, np.full_like(x, high[2] + 1.0)], axis=-1).reshape(-1, 3)
hits = knot.cast_rays(origins, [0.0, 0.0, -1.0])
for row in hits.hit.reshape(x.shape)[::-1]:
    print("".join("#" if hit else "." for hit in row))
assert 0 < hits.hit.sum() < len(hits)
