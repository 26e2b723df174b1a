"""Stand-ins for parts of trimesh: rays, nearest points, signed distance, containment, collisions.

``install()`` puts them into trimesh, so that ``mesh.ray``, ``mesh.nearest``, ``mesh.contains`` and
``trimesh.collision.CollisionManager`` of an unchanged program are answered here. The classes are also used alone: they take
anything with ``vertices`` and ``faces``.

>>> import impinge, impinge.trimesh
>>> cube = impinge.Cuboid([1, 1, 1]).to_mesh()
>>> impinge.trimesh.contains(cube, [[0, 0, 0], [0, 0, 2]]).tolist()
[True, False]
"""

from __future__ import annotations

import sys
import zlib
from typing import Any, Optional
from weakref import WeakKeyDictionary

import numpy as np

from . import fcl
from ._impinge import Error, Mesh

__all__ = [
    "CollisionManager",
    "ContactData",
    "DistanceData",
    "ProximityQuery",
    "RayMeshIntersector",
    "closest_point",
    "contains",
    "install",
    "nearby_faces",
    "scene_to_collision",
    "signed_distance",
    "to_mesh",
]

#: Hits of one ray that are nearer to each other than this, for a mesh of size 1, are one hit on an edge or corner.
MERGE = 1e-8

_made: WeakKeyDictionary[Any, tuple[int, Mesh]] = WeakKeyDictionary()


def _fingerprint(mesh: Any) -> int:
    """Changes when the mesh does: meshes of trimesh may be edited in place."""
    if type(mesh).__hash__ is not object.__hash__ and type(mesh).__module__.startswith("trimesh"):
        return hash(mesh)
    vertices = np.ascontiguousarray(mesh.vertices)
    faces = np.ascontiguousarray(mesh.faces)
    return zlib.crc32(faces.tobytes(), zlib.crc32(vertices.tobytes()))


def to_mesh(mesh: Any) -> Mesh:
    """The mesh of an object with ``vertices`` and ``faces``; built once as long as it does not change."""
    if isinstance(mesh, Mesh):
        return mesh
    print_now = _fingerprint(mesh)
    try:
        known = _made.get(mesh)
    except TypeError:
        known = None
    if known is not None and known[0] == print_now:
        return known[1]
    made = Mesh(np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces))
    try:
        _made[mesh] = (print_now, made)
    except TypeError:
        pass
    return made


def _points(points: Any) -> np.ndarray:
    points = np.asarray(points, dtype=np.float64)
    if points.size == 0:
        return points.reshape(0, 3)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError("points must be (n,3)!")
    return points


def contains(mesh: Any, points: Any) -> np.ndarray:
    """Whether points are inside: by parity for a closed mesh, else by winding number."""
    made, points = to_mesh(mesh), _points(points)
    if made.is_closed:
        return made.contains_all(points)
    welded = made.welded()
    if welded.is_closed:
        return welded.contains_all(points)
    return np.asarray(np.abs(made.winding_numbers(points)) > 0.5)


def closest_point(mesh: Any, points: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nearest points, distances and faces. Of faces at one distance the one that faces the point most."""
    found = to_mesh(mesh).closest_facing(_points(points), tolerance=MERGE)
    return found.point, found.distance, found.face


def nearby_faces(mesh: Any, points: Any) -> list[np.ndarray]:
    """For each point faces among which the nearest is: those at the smallest distance."""
    points = _points(points)
    made = to_mesh(mesh)
    far = made.closest_points(points).distance
    return list(made.faces_within(points, far * (1.0 + 1e-9) + MERGE))


def signed_distance(mesh: Any, points: Any) -> np.ndarray:
    """Distances, positive inside and negative outside."""
    points = _points(points)
    distance = to_mesh(mesh).closest_points(points).distance
    sign = np.where(contains(mesh, points), 1.0, -1.0)
    # On the surface there is no side.
    return np.asarray(np.where(distance < MERGE, np.abs(distance), sign * distance))


class ProximityQuery:
    """What ``mesh.nearest`` is."""

    def __init__(self, mesh: Any) -> None:
        self._mesh = mesh

    def on_surface(self, points: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return closest_point(self._mesh, points)

    def vertex(self, points: Any) -> tuple[np.ndarray, np.ndarray]:
        """Distances and numbers of the nearest vertices."""
        points = _points(points)
        vertices = np.asarray(self._mesh.vertices, dtype=np.float64)
        # A vertex is a face whose corners are the same.
        corners = np.repeat(np.arange(len(vertices)), 3).reshape(-1, 3)
        found = Mesh(vertices, corners).closest_points(points)
        return found.distance, found.face

    def signed_distance(self, points: Any) -> np.ndarray:
        return signed_distance(self._mesh, points)


class RayMeshIntersector:
    """What ``mesh.ray`` is: exact about which face is hit, in double precision."""

    def __init__(self, mesh: Any = None, geometry: Any = None, scale_to_box: bool = True) -> None:
        self.mesh = geometry if mesh is None else mesh
        if self.mesh is None:
            raise Error("a mesh is needed")

    def __getstate__(self) -> dict[str, Any]:
        return {"mesh": self.mesh}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.mesh = state["mesh"]

    @staticmethod
    def _rays(origins: Any, directions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rays, and which have a direction: those without hit nothing."""
        origins = np.asarray(origins, dtype=np.float64).reshape(-1, 3)
        directions = np.asarray(directions, dtype=np.float64).reshape(-1, 3)
        if origins.shape != directions.shape:
            raise ValueError("Ray origin and direction don't match!")
        length = np.linalg.norm(directions, axis=1)
        good = np.isfinite(origins).all(axis=1) & np.isfinite(length) & (length > 0)
        units = directions[good] / length[good, None]
        return origins[good], units, np.flatnonzero(good)

    def _hits(
        self, origins: Any, directions: Any, multiple: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Faces, rays, locations, in the order of the rays and along each."""
        starts, units, index = self._rays(origins, directions)
        made = to_mesh(self.mesh)
        if not multiple:
            first = made.cast_rays(starts, units)
            hit = first.hit
            return first.face[hit], index[hit], first.point[hit]
        found = made.all_hits(starts, units)
        # An edge or corner that a ray meets is one hit, however many faces share it.
        size = 1.0 if made.bounds is None else max(1.0, float(np.abs(made.bounds).max()))
        new = np.ones(len(found), dtype=bool)
        if len(found) > 1:
            same_ray = found.ray[1:] == found.ray[:-1]
            new[1:] = ~(same_ray & (found.t[1:] - found.t[:-1] <= MERGE * size))
        return found.face[new], index[found.ray[new]], found.point[new]

    def intersects_id(
        self,
        ray_origins: Any,
        ray_directions: Any,
        return_locations: bool = False,
        multiple_hits: bool = True,
        max_hits: int = 100,
        **kwargs: Any,
    ) -> tuple[np.ndarray, ...]:
        """Faces and rays of all hits, or of the first ones; with their locations if asked for."""
        faces, rays, locations = self._hits(ray_origins, ray_directions, multiple_hits)
        if return_locations:
            return faces, rays, locations
        return faces, rays

    def intersects_location(
        self, ray_origins: Any, ray_directions: Any, multiple_hits: bool = True, **kwargs: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Locations, rays and faces of the hits."""
        faces, rays, locations = self._hits(ray_origins, ray_directions, multiple_hits)
        return locations, rays, faces

    def intersects_first(self, ray_origins: Any, ray_directions: Any, **kwargs: Any) -> np.ndarray:
        """The face that each ray hits first, −1 for none."""
        count = len(np.asarray(ray_origins).reshape(-1, 3))
        faces, rays, _ = self._hits(ray_origins, ray_directions, False)
        first = np.full(count, -1, dtype=np.int64)
        first[rays] = faces
        return first

    def intersects_any(self, ray_origins: Any, ray_directions: Any, **kwargs: Any) -> np.ndarray:
        """Whether each ray hits anything."""
        return np.asarray(self.intersects_first(ray_origins, ray_directions) >= 0)

    def contains_points(self, points: Any) -> np.ndarray:
        """Whether points are inside."""
        return contains(self.mesh, points)


class ContactData:
    """A contact of two objects by name."""

    def __init__(self, names: Any, contact: fcl.Contact) -> None:
        self.names = set(names)
        first, second = tuple(names)
        self._inds = {first: contact.b1, second: contact.b2}
        self._normal, self._point = contact.normal, contact.pos
        self._depth = contact.penetration_depth

    @property
    def normal(self) -> np.ndarray:
        """From the second object to the first."""
        return self._normal

    @property
    def point(self) -> np.ndarray:
        return self._point

    @property
    def depth(self) -> float:
        return self._depth

    def index(self, name: str) -> int:
        """The face of this object that touches."""
        return self._inds[name]


class DistanceData:
    """The distance of two objects by name."""

    def __init__(self, names: Any, result: fcl.DistanceResult) -> None:
        self.names = set(names)
        first, second = tuple(names)
        self._inds = {first: result.b1, second: result.b2}
        self._points = {first: result.nearest_points[0], second: result.nearest_points[1]}
        self._distance = result.min_distance

    @property
    def distance(self) -> float:
        return self._distance

    def index(self, name: str) -> int:
        return self._inds[name]

    def point(self, name: str) -> Optional[np.ndarray]:
        """The nearest point of this object."""
        return self._points[name]


class CollisionManager:
    """Meshes by name: which collide, and how far apart they are."""

    def __init__(self) -> None:
        self._objects: dict[str, fcl.CollisionObject] = {}
        self._manager = fcl.DynamicAABBTreeCollisionManager()

    @staticmethod
    def _object(mesh: Any, transform: Any) -> fcl.CollisionObject:
        pose = np.eye(4) if transform is None else np.asarray(transform, dtype=np.float64)
        if pose.shape != (4, 4):
            raise ValueError("transform must be (4,4)!")
        geometry = fcl.BVHModel()
        geometry._made = to_mesh(mesh)
        geometry._state = 2
        return fcl.CollisionObject(geometry, fcl.Transform(pose[:3, :3], pose[:3, 3]))

    def add_object(self, name: str, mesh: Any, transform: Any = None) -> fcl.CollisionObject:
        """Adds a mesh, or replaces the one of this name."""
        if name in self._objects:
            self.remove_object(name)
        added = self._object(mesh, transform)
        self._objects[name] = added
        self._manager.registerObject(added)
        return added

    def remove_object(self, name: str) -> None:
        if name not in self._objects:
            raise ValueError(f"{name} not in collision manager!")
        self._manager.unregisterObject(self._objects.pop(name))

    def set_transform(self, name: str, transform: Any) -> None:
        if name not in self._objects:
            raise ValueError(f"{name} not in collision manager!")
        pose = np.asarray(transform, dtype=np.float64)
        self._objects[name].setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
        self._manager.update(self._objects[name])

    def _collisions(
        self, other: Any, labels: dict[int, str], return_names: bool, return_data: bool
    ) -> tuple[bool, set[Any], list[ContactData]]:
        mine = {id(known): name for name, known in self._objects.items()}
        found, data = set(), []
        for a, b in self._manager._near(other):
            request = fcl.CollisionRequest(num_max_contacts=100_000, enable_contact=return_data)
            result = fcl.CollisionResult()
            if not fcl.collide(a, b, request, result):
                continue
            names = (mine[id(a)], labels.get(id(b), "__external"))
            found.add(names if other is not None else tuple(sorted(names)))
            data += [ContactData(names, contact) for contact in result.contacts if return_data]
            if not return_names and not return_data:
                break
        return bool(found), found, data

    @staticmethod
    def _answer(first: Any, names: Any, data: Any, return_names: bool, return_data: bool) -> Any:
        answer = [first] + [names] * return_names + [data] * return_data
        return answer[0] if len(answer) == 1 else tuple(answer)

    def in_collision_single(
        self, mesh: Any, transform: Any = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether a mesh at a place collides with any, and with which."""
        asked = self._object(mesh, transform)
        hit, names, data = self._collisions(asked, {}, return_names, return_data)
        return self._answer(hit, {name for name, _ in names}, data, return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two collide, and which."""
        labels = {id(known): name for name, known in self._objects.items()}
        hit, names, data = self._collisions(None, labels, return_names, return_data)
        return self._answer(hit, names, data, return_names, return_data)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether any collides with one of another manager, and which: (own name, other name)."""
        labels = {id(known): name for name, known in other_manager._objects.items()}
        hit, names, data = self._collisions(other_manager._manager, labels, return_names, return_data)
        return self._answer(hit, names, data, return_names, return_data)

    def _nearest(
        self, pairs: Any, return_names: bool, return_data: bool, labels: dict[int, str]
    ) -> tuple[float, Any, Optional[DistanceData]]:
        request = fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=True)
        best, names, data = np.inf, None, None
        for bound, a, b in sorted(pairs, key=lambda pair: pair[0]):
            if bound > max(best, 0.0):
                break
            result = fcl.DistanceResult()
            fcl.distance(a, b, request, result)
            if result.min_distance < best:
                best = result.min_distance
                names = (labels.get(id(a), "__external"), labels.get(id(b), "__external"))
                data = DistanceData(names, result)
        return float(best), names, data

    def min_distance_single(
        self, mesh: Any, transform: Any = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """The smallest distance of a mesh at a place; minus the depth where it overlaps."""
        labels = {id(known): name for name, known in self._objects.items()}
        pairs = self._manager._by_gap(self._object(mesh, transform))
        best, names, data = self._nearest(pairs, return_name, return_data, labels)
        name = None if names is None else names[0]
        return self._answer(best, name, data, return_name, return_data)

    def min_distance_internal(
        self, name: Optional[str] = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The smallest distance of any two, or of one to the others; names in order."""
        labels = {id(known): key for key, known in self._objects.items()}
        pairs = list(self._manager._by_gap(None))
        if name is not None:
            kept = self._objects[name]
            pairs = [pair for pair in pairs if pair[1] is kept or pair[2] is kept]
        best, names, data = self._nearest(pairs, return_names, return_data, labels)
        names = None if names is None else tuple(sorted(names))
        return self._answer(best, names, data, return_names, return_data)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The smallest distance to one of another manager: (own name, other name)."""
        labels = {id(known): name for name, known in self._objects.items()}
        labels.update({id(known): name for name, known in other_manager._objects.items()})
        pairs = self._manager._by_gap(other_manager._manager)
        best, names, data = self._nearest(pairs, return_names, return_data, labels)
        return self._answer(best, names, data, return_names, return_data)


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[str, Any]]:
    """The manager of a scene of trimesh, and its objects by node."""
    manager, objects = CollisionManager(), {}
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        objects[node] = manager.add_object(node, scene.geometry[name], transform)
    return manager, objects


def install() -> None:
    """Puts these in the place of trimesh's own, for the whole program; and ``impinge.fcl`` for ``import fcl``."""
    import trimesh  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import trimesh.base  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import trimesh.collision  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import trimesh.proximity  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import trimesh.ray.ray_triangle  # type: ignore[import-not-found,import-untyped,unused-ignore]

    sys.modules["fcl"] = fcl
    trimesh.collision.fcl = fcl
    for name in ("CollisionManager", "ContactData", "DistanceData", "scene_to_collision"):
        setattr(trimesh.collision, name, globals()[name])
    for name in ("ProximityQuery", "closest_point", "nearby_faces", "signed_distance"):
        setattr(trimesh.proximity, name, globals()[name])
    trimesh.ray.ray_triangle.RayMeshIntersector = RayMeshIntersector
    try:
        import trimesh.ray.ray_pyembree  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except BaseException:  # its own import of a missing embree raises several kinds
        return
    trimesh.ray.ray_pyembree.RayMeshIntersector = RayMeshIntersector
