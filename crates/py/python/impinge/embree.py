"""Stand-in for embreex: ``EmbreeScene`` and ``TriangleMesh``, in double precision and exact about what is hit.

>>> import numpy as np
>>> from impinge.embree import EmbreeScene, TriangleMesh
>>> scene = EmbreeScene()
>>> mesh = TriangleMesh(scene, np.eye(3), np.array([[0, 1, 2]]))
>>> scene.run(np.array([[1.0, 1.0, 1.0]]), np.array([[-1.0, -1.0, -1.0]])).tolist()
[0]
"""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from ._impinge import Error, Mesh

__all__ = ["EmbreeScene", "TriangleMesh"]

#: What a ray that hits nothing has as its distance.
MISS = 1e37


class EmbreeScene:
    """Meshes that rays are cast at."""

    def __init__(self, device: Any = None, robust: bool = False) -> None:
        self._vertices: list[np.ndarray] = []
        self._faces: list[np.ndarray] = []
        self._starts: list[int] = []
        self._mesh: Optional[Mesh] = None

    @property
    def is_committed(self) -> bool:
        return self._mesh is not None

    def _add(self, vertices: np.ndarray, faces: np.ndarray) -> int:
        self._starts.append(sum(len(known) for known in self._faces))
        self._faces.append(faces + sum(len(known) for known in self._vertices))
        self._vertices.append(vertices)
        self._mesh = None
        return len(self._starts) - 1

    def _commit(self) -> Mesh:
        if self._mesh is None:
            vertices = np.concatenate(self._vertices) if self._vertices else np.zeros((0, 3))
            faces = np.concatenate(self._faces) if self._faces else np.zeros((0, 3), dtype=np.int64)
            self._mesh = Mesh(vertices, faces)
        return self._mesh

    def _split(self, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The geometry of each face, and its number there; −1 for none."""
        starts = np.array(self._starts, dtype=np.int64)
        geometry = np.searchsorted(starts, faces, side="right") - 1
        known = faces >= 0
        first = starts[np.maximum(geometry, 0)] if len(starts) else np.zeros(len(faces), dtype=np.int64)
        return np.where(known, geometry, -1), np.where(known, faces - first, -1)

    def run(
        self,
        vec_origins: Any,
        vec_directions: Any,
        dists: Any = None,
        query: str = "INTERSECT",
        output: Any = None,
    ) -> Union[np.ndarray, dict[str, np.ndarray]]:
        """The faces that rays hit first (−1 for none); distances with ``query="DISTANCE"``; a table with ``output``.

        Directions keep their length: distances are in lengths of the direction, up to ``dists`` of each ray.
        """
        if query not in ("INTERSECT", "OCCLUDED", "DISTANCE"):
            raise Error(
                f"Embree ray query type {query} not recognized.\n"
                "Accepted types are (INTERSECT,OCCLUDED,DISTANCE)"
            )
        mesh = self._commit()
        found = mesh.cast_rays(vec_origins, vec_directions)
        t, hit, faces = found.t, found.hit, found.face
        if dists is not None:
            far = np.broadcast_to(np.asarray(dists, dtype=np.float64), t.shape)
            hit = hit & (t <= far)
            faces = np.where(hit, faces, -1)
            t = np.where(hit, t, np.inf)
        geometry, primitive = self._split(faces)
        t = np.where(hit, t, MISS)
        if output:
            u, v, normals = np.zeros(len(t)), np.zeros(len(t)), np.zeros((len(t), 3))
            corners = mesh.vertices[mesh.faces[faces[hit]]]
            ab, ac = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
            cross = np.cross(ab, ac)
            square = np.maximum(np.einsum("ij,ij->i", cross, cross), np.finfo(float).tiny)
            ap = found.point[hit] - corners[:, 0]
            u[hit] = np.einsum("ij,ij->i", np.cross(ap, ac), cross) / square
            v[hit] = np.einsum("ij,ij->i", np.cross(ab, ap), cross) / square
            normals[hit] = cross
            return {
                "u": u,
                "v": v,
                "Ng": normals,
                "tfar": t,
                "primID": primitive.astype(np.int32),
                "geomID": geometry.astype(np.int32),
            }
        if query == "DISTANCE":
            return t
        if query == "OCCLUDED":
            return np.where(hit, 0, -1).astype(np.int32)
        return primitive.astype(np.int32)


class TriangleMesh:
    """Triangles of a scene: ``vertices`` and ``indices``, or ``(n, 3, 3)`` corners alone."""

    def __init__(self, scene: EmbreeScene, vertices: Any, indices: Any = None) -> None:
        vertices = np.array(vertices, dtype=np.float64)
        if indices is None:
            if vertices.ndim != 3 or vertices.shape[1:] != (3, 3):
                raise Error(f"expected corners of shape (n, 3, 3), found {vertices.shape}")
            indices = np.arange(3 * len(vertices)).reshape(-1, 3)
            vertices = vertices.reshape(-1, 3)
        self.geomID = scene._add(vertices, np.array(indices, dtype=np.int64))
