"""Stand-in for pysdf: ``SDF(V, F)``, positive inside.

>>> import impinge
>>> from impinge.sdf import SDF
>>> cube = impinge.Cuboid([1, 1, 1]).to_mesh()
>>> f = SDF(cube.vertices, cube.faces)
>>> f([[0, 0, 0], [0, 0, 3]]).tolist()
[1.0, -2.0]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._impinge import Mesh

__all__ = ["SDF"]


class SDF:
    """The signed distance of points from a mesh, positive inside. Open meshes have their inside by winding number."""

    def __init__(self, vertices: Any, faces: Any, robust: bool = True, copy: bool = True) -> None:
        self.mesh = Mesh(vertices, faces)

    def contains(self, points: Any, n_threads: int = 0) -> np.ndarray:
        """Whether each point is inside or on the surface."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        threads = n_threads or None
        if self.mesh.is_closed:
            return self.mesh.contains_all(points, threads=threads)
        return np.asarray(np.abs(self.mesh.winding_numbers(points, threads=threads)) > 0.5)

    def __call__(self, points: Any, trunc_aabb: bool = False, n_threads: int = 0) -> np.ndarray:
        points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        distance = self.mesh.closest_points(points, threads=n_threads or None).distance
        return np.where(self.contains(points, n_threads), distance, -distance)

    @property
    def vertices(self) -> np.ndarray:
        return self.mesh.vertices

    @property
    def faces(self) -> np.ndarray:
        return self.mesh.faces

    @property
    def aabb(self) -> np.ndarray:
        bounds = self.mesh.bounds
        return np.zeros(6) if bounds is None else np.asarray(bounds).ravel()
