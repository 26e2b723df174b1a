"""Stand-in for Open3D's ``RaycastingScene``: NumPy arrays in place of tensors, in double precision.

>>> import numpy as np
>>> from impinge.raycasting import RaycastingScene
>>> scene = RaycastingScene()
>>> scene.add_triangles(np.eye(3), np.array([[0, 1, 2]]))
0
>>> scene.cast_rays(np.array([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]]))["t_hit"].round(9).tolist()
[0.333333333]
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._impinge import ClosestPoints, Error, Mesh

__all__ = ["RaycastingScene"]


class RaycastingScene:
    """Meshes that rays are cast at, and that points are measured from."""

    #: The number of a geometry or triangle that is not there.
    INVALID_ID = 0xFFFFFFFF

    def __init__(self, nthreads: int = 0, device: Any = None) -> None:
        self._threads = nthreads or None
        self._vertices: list[np.ndarray] = []
        self._faces: list[np.ndarray] = []
        self._starts: list[int] = []
        self._mesh: Optional[Mesh] = None

    def add_triangles(self, vertices: Any, indices: Any = None) -> int:
        """Adds a mesh, given by arrays or as an object with ``vertices`` and ``triangles``; returns its number."""
        if indices is None:
            source = vertices
            vertices, indices = np.asarray(source.vertices), np.asarray(source.triangles)
        vertices = np.array(vertices, dtype=np.float64)
        faces = np.array(indices, dtype=np.int64)
        Mesh(vertices, faces)  # a clear error now rather than at the first ray
        self._starts.append(sum(len(known) for known in self._faces))
        self._faces.append(faces + sum(len(known) for known in self._vertices))
        self._vertices.append(vertices)
        self._mesh = None
        return len(self._starts) - 1

    def _scene(self) -> Mesh:
        if self._mesh is None:
            vertices = np.concatenate(self._vertices) if self._vertices else np.zeros((0, 3))
            faces = np.concatenate(self._faces) if self._faces else np.zeros((0, 3), dtype=np.int64)
            self._mesh = Mesh(vertices, faces)
        return self._mesh

    def _ids(self, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        starts = np.array(self._starts, dtype=np.int64)
        if not len(starts):
            none = np.full(len(faces), self.INVALID_ID, dtype=np.uint32)
            return none, none.copy()
        geometry = np.searchsorted(starts, faces, side="right") - 1
        primitive = faces - starts[np.maximum(geometry, 0)]
        miss = faces < 0
        geometry = np.where(miss, self.INVALID_ID, geometry).astype(np.uint32)
        return geometry, np.where(miss, self.INVALID_ID, primitive).astype(np.uint32)

    def _normals(self, faces: np.ndarray) -> np.ndarray:
        """Unit normals by the order of the corners; zero for none."""
        mesh = self._scene()
        normals = np.zeros((len(faces), 3))
        hit = faces >= 0
        corners = mesh.vertices[mesh.faces[faces[hit]]]
        cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(cross, axis=1, keepdims=True)
        normals[hit] = np.divide(cross, length, out=np.zeros_like(cross), where=length > 0)
        return normals

    def _uvs(self, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
        mesh = self._scene()
        uvs = np.zeros((len(faces), 2))
        hit = faces >= 0
        corners = mesh.vertices[mesh.faces[faces[hit]]]
        ab, ac = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        ap = points[hit] - corners[:, 0]
        cross = np.cross(ab, ac)
        square = np.maximum(np.einsum("ij,ij->i", cross, cross), np.finfo(float).tiny)
        uvs[hit, 0] = np.einsum("ij,ij->i", np.cross(ap, ac), cross) / square
        uvs[hit, 1] = np.einsum("ij,ij->i", np.cross(ab, ap), cross) / square
        return uvs

    @staticmethod
    def _rays(rays: Any) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
        rays = np.asarray(rays, dtype=np.float64)
        if rays.ndim < 1 or rays.shape[-1] != 6:
            raise Error(f"rays: expected an array of shape (..., 6), found {rays.shape}")
        flat = rays.reshape(-1, 6)
        return flat[:, :3], flat[:, 3:], rays.shape[:-1]

    @staticmethod
    def _points(points: Any) -> tuple[np.ndarray, tuple[int, ...]]:
        points = np.asarray(points, dtype=np.float64)
        if points.ndim < 1 or points.shape[-1] != 3:
            raise Error(f"query_points: expected an array of shape (..., 3), found {points.shape}")
        return points.reshape(-1, 3), points.shape[:-1]

    def cast_rays(self, rays: Any, nthreads: int = 0) -> dict[str, np.ndarray]:
        """The first hit of each ray; ``t_hit`` is infinite where there is none."""
        origins, directions, shape = self._rays(rays)
        found = self._scene().cast_rays(origins, directions, threads=nthreads or self._threads)
        geometry, primitive = self._ids(found.face)
        return {
            "t_hit": found.t.reshape(shape),
            "geometry_ids": geometry.reshape(shape),
            "primitive_ids": primitive.reshape(shape),
            "primitive_uvs": self._uvs(found.face, found.point).reshape(*shape, 2),
            "primitive_normals": self._normals(found.face).reshape(*shape, 3),
        }

    def test_occlusions(
        self, rays: Any, tnear: float = 0.0, tfar: float = np.inf, nthreads: int = 0
    ) -> np.ndarray:
        """Whether anything is hit between ``tnear`` and ``tfar``."""
        origins, directions, shape = self._rays(rays)
        origins = origins + tnear * directions
        reach = None if np.isinf(tfar) else float(tfar) - float(tnear)
        threads = nthreads or self._threads
        found = self._scene().cast_rays(origins, directions, max_distance=reach, threads=threads)
        return found.hit.reshape(shape)

    def count_intersections(self, rays: Any, nthreads: int = 0) -> np.ndarray:
        """How many triangles each ray hits."""
        origins, directions, shape = self._rays(rays)
        found = self._scene().all_hits(origins, directions, threads=nthreads or self._threads)
        return np.bincount(found.ray, minlength=len(origins)).astype(np.int32).reshape(shape)

    def list_intersections(self, rays: Any, nthreads: int = 0) -> dict[str, np.ndarray]:
        """Every hit of every ray, in the order of the rays and along each."""
        origins, directions, shape = self._rays(rays)
        found = self._scene().all_hits(origins, directions, threads=nthreads or self._threads)
        geometry, primitive = self._ids(found.face)
        counts = np.bincount(found.ray, minlength=len(origins))
        return {
            "ray_splits": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            "ray_ids": found.ray,
            "t_hit": found.t,
            "geometry_ids": geometry,
            "primitive_ids": primitive,
            "primitive_uvs": found.barycentric[:, 1:],
        }

    def _closest(self, points: np.ndarray, nthreads: int) -> ClosestPoints:
        return self._scene().closest_points(points, threads=nthreads or self._threads)

    def compute_closest_points(self, query_points: Any, nthreads: int = 0) -> dict[str, np.ndarray]:
        """The nearest point of the scene for each point."""
        points, shape = self._points(query_points)
        found = self._closest(points, nthreads)
        geometry, primitive = self._ids(found.face)
        return {
            "points": found.point.reshape(*shape, 3),
            "geometry_ids": geometry.reshape(shape),
            "primitive_ids": primitive.reshape(shape),
            "primitive_uvs": found.barycentric[:, 1:].reshape(*shape, 2),
            "primitive_normals": self._normals(found.face).reshape(*shape, 3),
        }

    def compute_distance(self, query_points: Any, nthreads: int = 0) -> np.ndarray:
        """The distance of each point from the scene."""
        points, shape = self._points(query_points)
        return self._closest(points, nthreads).distance.reshape(shape)

    def compute_signed_distance(
        self, query_points: Any, nthreads: int = 0, nsamples: int = 1
    ) -> np.ndarray:
        """The same, negative inside. Inside is exact for closed meshes; ``nsamples`` is not needed."""
        points, shape = self._points(query_points)
        distance = self._closest(points, nthreads).distance
        inside = self.compute_occupancy(points, nthreads) > 0
        return np.where(inside, -distance, distance).reshape(shape)

    def compute_occupancy(self, query_points: Any, nthreads: int = 0, nsamples: int = 1) -> np.ndarray:
        """1 inside, 0 outside: by parity where the scene is closed, else by winding number."""
        points, shape = self._points(query_points)
        mesh, threads = self._scene(), nthreads or self._threads
        if mesh.is_closed:
            inside = mesh.contains_all(points, threads=threads)
        else:
            inside = np.abs(mesh.winding_numbers(points, threads=threads)) > 0.5
        return inside.astype(np.float32).reshape(shape)

    @staticmethod
    def create_rays_pinhole(
        intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: int, height_px: int
    ) -> np.ndarray:
        """Rays through the middle of every pixel: an array of shape (height, width, 6)."""
        intrinsic = np.asarray(intrinsic_matrix, dtype=np.float64)
        extrinsic = np.asarray(extrinsic_matrix, dtype=np.float64)
        if intrinsic.shape != (3, 3) or extrinsic.shape != (4, 4):
            raise Error(
                f"expected matrices of shape (3, 3) and (4, 4), found {intrinsic.shape} and {extrinsic.shape}"
            )
        to_world = extrinsic[:3, :3].T
        origin = -to_world @ extrinsic[:3, 3]
        x, y = np.meshgrid(np.arange(width_px) + 0.5, np.arange(height_px) + 0.5)
        pixels = np.stack([x, y, np.ones_like(x)], axis=-1)
        directions = pixels @ np.linalg.inv(intrinsic).T @ to_world.T
        return np.concatenate([np.broadcast_to(origin, directions.shape), directions], axis=-1)
