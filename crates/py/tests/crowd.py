"""Many instanced parts in a cube, for tests and measurements of clashes."""

from __future__ import annotations

import impinge
import numpy as np


def crowd(count: int, spacing: float) -> impinge.Assembly:
    """Boxes and spheres in turn, at random, in a cube with a cell of this side for each."""
    rng = np.random.default_rng(5)
    meshes = [impinge.Cuboid([0.5, 0.5, 0.5]).to_mesh(), impinge.generate("icosphere", faces=80)]
    side = count ** (1 / 3) * spacing
    parts = []
    for k in range(count):
        pose = impinge.rotation(rng.normal(size=3), rng.uniform(0, 6), rng.uniform(0, side, 3))
        parts.append((f"part {k}", meshes[k % 2], pose))
    return impinge.Assembly(parts)
