"""Stand-in for python-fcl: ``import impinge.fcl as fcl``.

Every name of ``fcl.__all__`` with the same meaning, and with true depths for meshes. What differs:

* ``Contact.penetration_depth`` of meshes is the real depth of the contact, not 0.
* ``distance`` with ``enable_signed_distance`` of overlapping closed meshes is minus the length of the shortest
  translation that parts them.
* ``num_max_cost_sources`` and the solver types are taken and not used: there is one solver.

>>> import impinge.fcl as fcl, numpy as np
>>> a = fcl.CollisionObject(fcl.Sphere(1.0))
>>> b = fcl.CollisionObject(fcl.Sphere(1.0), fcl.Transform(np.array([1.5, 0.0, 0.0])))
>>> fcl.collide(a, b)
1
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Iterable, Optional

import numpy as np

from . import _impinge as native
from ._impinge import Error, __version__

__all__ = [
    "CollisionObject", "CollisionGeometry", "Transform", "TriangleP", "Box", "Sphere", "Ellipsoid",
    "Capsule", "Cone", "Convex", "Cylinder", "Halfspace", "Plane", "BVHModel", "OcTree",
    "DynamicAABBTreeCollisionManager", "collide", "continuousCollide", "distance",
    "defaultCollisionCallback", "defaultDistanceCallback", "OBJECT_TYPE", "NODE_TYPE",
    "CCDMotionType", "CCDSolverType", "GJKSolverType", "Contact", "CostSource", "CollisionRequest",
    "CollisionResult", "ContinuousCollisionRequest", "ContinuousCollisionResult",
    "DistanceRequest", "DistanceResult", "CollisionData", "DistanceData", "__version__",
]  # fmt: skip


class OBJECT_TYPE:
    """Kinds of objects."""

    OT_UNKNOWN, OT_BVH, OT_GEOM, OT_OCTREE, OT_COUNT = range(5)


class NODE_TYPE:
    """Kinds of geometry."""

    BV_UNKNOWN, BV_AABB, BV_OBB, BV_RSS, BV_kIOS, BV_OBBRSS, BV_KDOP16, BV_KDOP18, BV_KDOP24 = range(9)
    GEOM_BOX, GEOM_SPHERE, GEOM_ELLIPSOID, GEOM_CAPSULE, GEOM_CONE, GEOM_CYLINDER = range(9, 15)
    GEOM_CONVEX, GEOM_PLANE, GEOM_HALFSPACE, GEOM_TRIANGLE, GEOM_OCTREE, NODE_COUNT = range(15, 21)


class CCDMotionType:
    """How objects move between two poses."""

    CCDM_TRANS, CCDM_LINEAR, CCDM_SCREW, CCDM_SPLINE = range(4)


class CCDSolverType:
    """Taken and not used."""

    CCDC_NAIVE, CCDC_CONSERVATIVE_ADVANCEMENT, CCDC_RAY_SHOOTING, CCDC_POLYNOMIAL_SOLVER = range(4)


class GJKSolverType:
    """Taken and not used."""

    GST_LIBCCD, GST_INDEP = range(2)


def _vector(value: Any) -> np.ndarray:
    array = np.asarray(value, dtype=np.float64)
    if array.shape != (3,):
        raise Error(f"expected three numbers, found an array of shape {array.shape}")
    return array


def _matrix_of(quaternion: Any) -> np.ndarray:
    """The rotation of a quaternion (w, x, y, z), which is made a unit one."""
    array = np.asarray(quaternion, dtype=np.float64)
    if array.shape != (4,):
        raise Error(f"expected four numbers, found an array of shape {array.shape}")
    length = float(np.linalg.norm(array))
    if not length > 0.0:
        raise Error("a quaternion must not be zero")
    w, x, y, z = array / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _quaternion_of(r: np.ndarray) -> np.ndarray:
    """The quaternion (w, x, y, z) of a rotation, from its largest component."""
    squares = np.array(
        [
            1 + r[0, 0] + r[1, 1] + r[2, 2],
            1 + r[0, 0] - r[1, 1] - r[2, 2],
            1 - r[0, 0] + r[1, 1] - r[2, 2],
            1 - r[0, 0] - r[1, 1] + r[2, 2],
        ]
    )
    k = int(np.argmax(squares))
    s = 2.0 * np.sqrt(squares[k])
    rows = (
        (squares[0] / (s / 2) / 2, (r[2, 1] - r[1, 2]) / s, (r[0, 2] - r[2, 0]) / s, (r[1, 0] - r[0, 1]) / s),
        ((r[2, 1] - r[1, 2]) / s, s / 4, (r[0, 1] + r[1, 0]) / s, (r[0, 2] + r[2, 0]) / s),
        ((r[0, 2] - r[2, 0]) / s, (r[0, 1] + r[1, 0]) / s, s / 4, (r[1, 2] + r[2, 1]) / s),
        ((r[1, 0] - r[0, 1]) / s, (r[0, 2] + r[2, 0]) / s, (r[1, 2] + r[2, 1]) / s, s / 4),
    )
    if k == 0:
        return np.array([s / 4, *rows[0][1:]])
    return np.array(rows[k])


class Transform:
    """A pose: nothing, a translation, a rotation matrix or quaternion, both, or another transform."""

    def __init__(self, *args: Any) -> None:
        self._rotation = np.eye(3)
        self._translation = np.zeros(3)
        if len(args) == 1 and isinstance(args[0], Transform):
            self._rotation = args[0]._rotation.copy()
            self._translation = args[0]._translation.copy()
        elif len(args) == 1:
            array = np.asarray(args[0], dtype=np.float64)
            if array.shape == (3,):
                self.setTranslation(array)
            else:
                self._turn(array)
        elif len(args) == 2:
            self._turn(args[0])
            self.setTranslation(args[1])
        elif args:
            raise Error(f"a transform takes at most two values, not {len(args)}")

    def _turn(self, value: Any) -> None:
        array = np.asarray(value, dtype=np.float64)
        if array.shape == (3, 3):
            self.setRotation(array)
        else:
            self.setQuatRotation(array)

    def getRotation(self) -> np.ndarray:
        return self._rotation.copy()

    def getTranslation(self) -> np.ndarray:
        return self._translation.copy()

    def getQuatRotation(self) -> np.ndarray:
        return _quaternion_of(self._rotation)

    def setRotation(self, R: Any) -> None:
        array = np.asarray(R, dtype=np.float64)
        if array.shape != (3, 3):
            raise Error(f"expected a matrix of shape (3, 3), found {array.shape}")
        self._rotation = array.copy()

    def setTranslation(self, T: Any) -> None:
        self._translation = _vector(T).copy()

    def setQuatRotation(self, q: Any) -> None:
        self._rotation = _matrix_of(q)

    def _pose(self) -> np.ndarray:
        pose = np.eye(4)
        pose[:3, :3] = self._rotation
        pose[:3, 3] = self._translation
        # Rotations that were multiplied many times drift: others take them as they are.
        return native.nearest_pose(pose)

    def __repr__(self) -> str:
        return f"Transform({self._rotation.tolist()}, {self._translation.tolist()})"


class CollisionGeometry:
    """A shape in its own frame."""

    _node = NODE_TYPE.BV_UNKNOWN
    cost_density = 1.0
    threshold_occupied = 1.0
    threshold_free = 0.0

    def __init__(self) -> None:
        self._made: Optional[native.Shape] = None

    def _make(self) -> native.Shape:
        raise Error(f"a {type(self).__name__} is no shape that can be asked")

    def _shape(self) -> native.Shape:
        if self._made is None:
            self._made = self._make()
        return self._made

    def getNodeType(self) -> int:
        return self._node

    def computeLocalAABB(self) -> None:
        self._shape()

    @property
    def aabb_center(self) -> np.ndarray:
        bounds = self._shape().bounds
        return np.zeros(3) if bounds is None else np.asarray(bounds).mean(axis=0)


class _Sized(CollisionGeometry):
    """A shape whose sizes may be changed later."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name != "_made":
            super().__setattr__("_made", None)


class TriangleP(_Sized):
    _node = NODE_TYPE.GEOM_TRIANGLE

    def __init__(self, a: Any, b: Any, c: Any) -> None:
        super().__init__()
        self.a, self.b, self.c = _vector(a), _vector(b), _vector(c)

    def _make(self) -> native.Shape:
        return native.Triangle(self.a, self.b, self.c)


class Box(_Sized):
    _node = NODE_TYPE.GEOM_BOX

    def __init__(self, x: float, y: float, z: float) -> None:
        super().__init__()
        self.side = np.array([x, y, z], dtype=np.float64)

    def _make(self) -> native.Shape:
        return native.Cuboid(np.asarray(self.side, dtype=np.float64) / 2.0)


class Sphere(_Sized):
    _node = NODE_TYPE.GEOM_SPHERE

    def __init__(self, radius: float) -> None:
        super().__init__()
        self.radius = float(radius)

    def _make(self) -> native.Shape:
        return native.Ball(self.radius)


class Ellipsoid(_Sized):
    _node = NODE_TYPE.GEOM_ELLIPSOID

    def __init__(self, a: float, b: float, c: float) -> None:
        super().__init__()
        self.radii = np.array([a, b, c], dtype=np.float64)

    def _make(self) -> native.Shape:
        return native.Ellipsoid(self.radii)


class _Upright(_Sized):
    def __init__(self, radius: float, lz: float) -> None:
        super().__init__()
        self.radius = float(radius)
        self.lz = float(lz)


class Capsule(_Upright):
    """Along z: ``lz`` between the centres of the round ends."""

    _node = NODE_TYPE.GEOM_CAPSULE

    def _make(self) -> native.Shape:
        return native.Capsule([0, 0, -self.lz / 2], [0, 0, self.lz / 2], self.radius)


class Cone(_Upright):
    _node = NODE_TYPE.GEOM_CONE

    def _make(self) -> native.Shape:
        return native.Cone(self.lz / 2, self.radius)


class Cylinder(_Upright):
    _node = NODE_TYPE.GEOM_CYLINDER

    def _make(self) -> native.Shape:
        return native.Cylinder(self.lz / 2, self.radius)


class Convex(CollisionGeometry):
    """A convex polyhedron. ``faces`` repeats a count and as many vertex numbers; the hull of the vertices is what counts."""

    _node = NODE_TYPE.GEOM_CONVEX

    def __init__(self, vertices: Any, num_faces: int, faces: Any) -> None:
        super().__init__()
        self.num_faces = int(num_faces)
        self._vertices = np.array(vertices, dtype=np.float64)
        self._faces = np.array(faces, dtype=np.int64).ravel()
        self._shape()

    def _make(self) -> native.Shape:
        return native.Polyhedron(self._vertices)


class Halfspace(_Sized):
    """All points with ``n · x ≤ d``."""

    _node = NODE_TYPE.GEOM_HALFSPACE

    def __init__(self, n: Any, d: float) -> None:
        super().__init__()
        self.n, self.d = _vector(n), float(d)

    def _make(self) -> native.Shape:
        square = float(np.dot(self.n, self.n))
        point = self.n * (self.d / square) if square > 0 else self.n
        return native.HalfSpace(self.n, point)


class Plane(_Sized):
    """All points with ``n · x = d``."""

    _node = NODE_TYPE.GEOM_PLANE

    def __init__(self, n: Any, d: float) -> None:
        super().__init__()
        self.n, self.d = _vector(n), float(d)

    def _sides(self) -> tuple[native.Shape, native.Shape]:
        """The half-spaces below and above: what meets both meets the plane, if it is connected."""
        below, above = Halfspace(self.n, self.d), Halfspace(-self.n, -self.d)
        return below._shape(), above._shape()


class BVHModel(CollisionGeometry):
    """A triangle mesh, filled between ``beginModel`` and ``endModel``."""

    _node = NODE_TYPE.BV_OBBRSS

    def __init__(self) -> None:
        super().__init__()
        self._vertices: list[np.ndarray] = []
        self._faces: list[np.ndarray] = []
        self._count = 0
        self._state = 0

    def num_tries_(self) -> int:
        return sum(len(faces) for faces in self._faces)

    def buildState(self) -> int:
        return self._state

    def beginModel(self, num_tris_: int = 0, num_vertices_: int = 0) -> int:
        self._vertices, self._faces, self._count = [], [], 0
        self._made = None
        self._state = 1
        return 0

    def addVertex(self, x: float, y: float, z: float) -> int:
        self._vertices.append(np.array([[x, y, z]], dtype=np.float64))
        self._count += 1
        return 0

    def addTriangle(self, v1: Any, v2: Any, v3: Any) -> int:
        corners = np.array([_vector(v1), _vector(v2), _vector(v3)])
        return self.addSubModel(corners, np.array([[0, 1, 2]]))

    def addSubModel(self, verts: Any, triangles: Any) -> int:
        verts = np.array(verts, dtype=np.float64).reshape(-1, 3)
        triangles = np.array(triangles, dtype=np.int64).reshape(-1, 3)
        self._vertices.append(verts)
        self._faces.append(triangles + self._count)
        self._count += len(verts)
        self._made = None
        return 0

    def endModel(self) -> int:
        self._shape()
        self._state = 2
        return 0

    def _make(self) -> native.Shape:
        vertices = np.concatenate(self._vertices) if self._vertices else np.zeros((0, 3))
        faces = np.concatenate(self._faces) if self._faces else np.zeros((0, 3), dtype=np.int64)
        return native.Mesh(vertices, faces)


class OcTree(CollisionGeometry):
    """The occupied cells of an OctoMap in its binary form (two bits a child), with cells of size ``r``."""

    _node = NODE_TYPE.GEOM_OCTREE
    _DEPTH = 16

    def __init__(self, r: float, data: bytes) -> None:
        super().__init__()
        self._resolution = float(r)
        self._cells: list[tuple[np.ndarray, float]] = []
        side = self._resolution * 2.0**self._DEPTH
        self._at = 0
        self._read(bytes(data), np.zeros(3), side, 0)

    def _read(self, data: bytes, center: np.ndarray, side: float, depth: int) -> None:
        """Children of a node come in the order of their codes; inner ones follow, each with two bytes."""
        if self._at + 2 > len(data):
            raise Error("the data of the octree ends too early")
        if depth >= self._DEPTH:
            raise Error("the octree is deeper than 16 levels")
        code = data[self._at] | data[self._at + 1] << 8
        self._at += 2
        for child in range(8):
            kind = code >> 2 * child & 3
            if kind in (0, 1):
                continue
            signs = np.array([child & 1, child >> 1 & 1, child >> 2 & 1]) * 2.0 - 1.0
            place = center + signs * side / 4.0
            if kind == 2:
                self._cells.append((place, side / 2.0))
            else:
                self._read(data, place, side / 2.0, depth + 1)

    def _make(self) -> native.Shape:
        parts = [(at, native.Cuboid(np.full(3, side / 2.0))) for at, side in self._cells]
        return native.Compound(parts)


class CollisionObject:
    """A geometry at a place."""

    def __init__(
        self,
        geom: Optional[CollisionGeometry] = None,
        tf: Optional[Transform] = None,
        _no_instance: bool = False,
    ) -> None:
        self.geom = CollisionGeometry() if geom is None else geom
        self._transform = Transform() if tf is None else Transform(tf)

    def getObjectType(self) -> int:
        if isinstance(self.geom, BVHModel):
            return OBJECT_TYPE.OT_BVH
        if isinstance(self.geom, OcTree):
            return OBJECT_TYPE.OT_OCTREE
        known = self.geom.getNodeType() != NODE_TYPE.BV_UNKNOWN
        return OBJECT_TYPE.OT_GEOM if known else OBJECT_TYPE.OT_UNKNOWN

    def getNodeType(self) -> int:
        return self.geom.getNodeType()

    def getTranslation(self) -> np.ndarray:
        return self._transform.getTranslation()

    def setTranslation(self, vec: Any) -> None:
        self._transform.setTranslation(vec)

    def getRotation(self) -> np.ndarray:
        return self._transform.getRotation()

    def setRotation(self, mat: Any) -> None:
        self._transform.setRotation(mat)

    def getQuatRotation(self) -> np.ndarray:
        return self._transform.getQuatRotation()

    def setQuatRotation(self, q: Any) -> None:
        self._transform.setQuatRotation(q)

    def getTransform(self) -> Transform:
        return Transform(self._transform)

    def setTransform(self, tf: Transform) -> None:
        self._transform = Transform(tf)

    def isOccupied(self) -> bool:
        return self.geom.cost_density >= self.geom.threshold_occupied

    def isFree(self) -> bool:
        return self.geom.cost_density <= self.geom.threshold_free

    def isUncertain(self) -> bool:
        return not self.isOccupied() and not self.isFree()

    def __repr__(self) -> str:
        return f"CollisionObject({type(self.geom).__name__}, {self._transform!r})"


class Contact:
    """Where two objects touch: ``normal`` is from the first to the second."""

    def __init__(self) -> None:
        self.o1: Optional[CollisionGeometry] = None
        self.o2: Optional[CollisionGeometry] = None
        self.b1 = 0
        self.b2 = 0
        self.normal = np.zeros(3)
        self.pos = np.zeros(3)
        self.penetration_depth = 0.0


class CostSource:
    """A box and what it costs."""

    def __init__(self) -> None:
        self.aabb_min = np.zeros(3)
        self.aabb_max = np.zeros(3)
        self.cost_density = 0.0
        self.total_cost = 0.0


class CollisionRequest:
    def __init__(
        self,
        num_max_contacts: int = 1,
        enable_contact: bool = False,
        num_max_cost_sources: int = 1,
        enable_cost: bool = False,
        use_approximate_cost: bool = True,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
    ) -> None:
        self.num_max_contacts = num_max_contacts
        self.enable_contact = enable_contact
        self.num_max_cost_sources = num_max_cost_sources
        self.enable_cost = enable_cost
        self.use_approximate_cost = use_approximate_cost
        self.gjk_solver_type = gjk_solver_type


class CollisionResult:
    def __init__(self, is_collision: bool = False) -> None:
        self.is_collision = is_collision
        self.contacts: list[Contact] = []
        self.cost_sources: list[CostSource] = []


class ContinuousCollisionRequest:
    def __init__(
        self,
        num_max_iterations: int = 10,
        toc_err: float = 0.0001,
        ccd_motion_type: int = CCDMotionType.CCDM_TRANS,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
        ccd_solver_type: int = CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
    ) -> None:
        self.num_max_iterations = num_max_iterations
        self.toc_err = toc_err
        self.ccd_motion_type = ccd_motion_type
        self.gjk_solver_type = gjk_solver_type
        self.ccd_solver_type = ccd_solver_type


class ContinuousCollisionResult:
    def __init__(self, is_collide: bool = False, time_of_contact: float = 1.0) -> None:
        self.is_collide = is_collide
        self.time_of_contact = time_of_contact


class DistanceRequest:
    def __init__(
        self,
        enable_nearest_points: bool = False,
        enable_signed_distance: bool = False,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
    ) -> None:
        self.enable_nearest_points = enable_nearest_points
        self.enable_signed_distance = enable_signed_distance
        self.gjk_solver_type = gjk_solver_type


class DistanceResult:
    def __init__(self, min_distance_: float = sys.float_info.max) -> None:
        self.min_distance = min_distance_
        self.nearest_points: list[Optional[np.ndarray]] = [None, None]
        self.o1: Optional[CollisionGeometry] = None
        self.o2: Optional[CollisionGeometry] = None
        self.b1 = -1
        self.b2 = -1


class CollisionData:
    def __init__(
        self, request: Optional[CollisionRequest] = None, result: Optional[CollisionResult] = None
    ) -> None:
        self.request = CollisionRequest() if request is None else request
        self.result = CollisionResult() if result is None else result
        self.done = False


class DistanceData:
    def __init__(
        self, request: Optional[DistanceRequest] = None, result: Optional[DistanceResult] = None
    ) -> None:
        self.request = DistanceRequest() if request is None else request
        self.result = DistanceResult() if result is None else result
        self.done = False


def _relative(o1: CollisionObject, o2: CollisionObject) -> tuple[np.ndarray, np.ndarray]:
    """The pose of the first in the world, and that of the second in the frame of the first."""
    world, other = o1._transform._pose(), o2._transform._pose()
    inverse = np.eye(4)
    inverse[:3, :3] = world[:3, :3].T
    inverse[:3, 3] = -(world[:3, :3].T @ world[:3, 3])
    return world, native.nearest_pose(inverse @ other)


def _out(world: np.ndarray, points: Any) -> np.ndarray:
    """Points of the frame of the first object, in the world."""
    return np.asarray(points) @ world[:3, :3].T + world[:3, 3]


def _by_plane(
    o1: CollisionObject, o2: CollisionObject
) -> Optional[tuple[CollisionObject, Plane, bool]]:
    """The other object, the plane, and whether the plane is the first."""
    if isinstance(o1.geom, Plane):
        return o2, o1.geom, True
    if isinstance(o2.geom, Plane):
        return o1, o2.geom, False
    return None


def _sides(o1: CollisionObject, o2: CollisionObject) -> list[tuple[CollisionObject, CollisionObject]]:
    """The pairs to ask in place of this one: of a plane both of its sides."""
    plane = _by_plane(o1, o2)
    if plane is None:
        return [(o1, o2)]
    other, flat, is_first = plane
    place = o1 if is_first else o2
    pairs = []
    for side in (Halfspace(flat.n, flat.d), Halfspace(-flat.n, -flat.d)):
        half = CollisionObject(side, place.getTransform())
        pairs.append((half, other) if is_first else (other, half))
    return pairs


def _meets(o1: CollisionObject, o2: CollisionObject) -> bool:
    if isinstance(o1.geom, Plane) and isinstance(o2.geom, Plane):
        raise Error("two planes are not asked")
    return all(
        a.geom._shape().intersects(b.geom._shape(), _relative(a, b)[1]) for a, b in _sides(o1, o2)
    )


def _coincident(o1: CollisionObject, o2: CollisionObject) -> Optional[Contact]:
    """The one contact of a closed mesh with itself: at the first face along whose normal the way out is shortest.

    Every face lies on its twin, so that there is nothing to choose a contact by; others take the first face as well.
    """
    if not (isinstance(o1.geom, BVHModel) and isinstance(o2.geom, BVHModel)):
        return None
    world, pose = _relative(o1, o2)
    mesh, other = o1.geom._shape(), o2.geom._shape()
    if not isinstance(mesh, native.Mesh) or not isinstance(other, native.Mesh):
        return None
    if not np.array_equal(pose, np.eye(4)) or not _are_equal(mesh, other) or not mesh.is_closed:
        return None
    deep = mesh.penetration(mesh)
    if deep is None:
        return None
    vertices, faces = mesh.vertices, mesh.faces
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normal, corner, face = deep.normal, deep.point_a, 0
    used = vertices[np.unique(faces)]
    for k in np.flatnonzero(lengths > 0.0)[:1000]:
        along = used @ (normals[k] / lengths[k])
        if along.max() - along.min() <= deep.depth * (1.0 + 1e-9):
            normal, corner, face = normals[k] / lengths[k], corners[k, 0], int(k)
            break
    contact = Contact()
    contact.o1, contact.o2 = o1.geom, o2.geom
    contact.b1 = contact.b2 = face
    contact.normal = world[:3, :3] @ normal
    contact.pos = _out(world, corner - normal * (deep.depth / 2.0))
    contact.penetration_depth = deep.depth
    return contact


def _are_equal(a: native.Mesh, b: native.Mesh) -> bool:
    """Whether two meshes have the same vertices and faces."""
    if a is b:
        return True
    return np.array_equal(a.faces, b.faces) and np.array_equal(a.vertices, b.vertices)


def collide(
    o1: CollisionObject,
    o2: CollisionObject,
    request: Optional[CollisionRequest] = None,
    result: Optional[CollisionResult] = None,
) -> int:
    """The number of contacts of this pair: at most one unless contacts are asked for. They are added to those that the result has."""
    request = CollisionRequest() if request is None else request
    result = CollisionResult() if result is None else result
    if not _meets(o1, o2):
        return 0
    found = _contacts(o1, o2, request)
    result.is_collision = True
    result.contacts.extend(found)
    return len(found)


def _contacts(o1: CollisionObject, o2: CollisionObject, request: CollisionRequest) -> list[Contact]:
    """The contacts of two objects that meet: at least one."""
    limit = max(int(request.num_max_contacts), 1)
    if not request.enable_contact:
        contact = Contact()
        contact.o1, contact.o2 = o1.geom, o2.geom
        return [contact]
    twin = _coincident(o1, o2)
    if twin is not None:
        return [twin]
    made = []
    # Of a plane the side that is left by the shorter way has the contacts.
    best: Optional[tuple[np.ndarray, native.Contacts, float]] = None
    for a, b in _sides(o1, o2):
        world, pose = _relative(a, b)
        found = a.geom._shape().contacts(b.geom._shape(), pose)
        deepest = float(found.depth.max()) if len(found) else np.inf
        if best is None or deepest < best[2]:
            best = (world, found, deepest)
    assert best is not None
    world, found, _ = best
    order = np.argsort(-found.depth, kind="stable")
    for k in order[:limit]:
        contact = Contact()
        contact.o1, contact.o2 = o1.geom, o2.geom
        contact.b1, contact.b2 = int(found.face_a[k]), int(found.face_b[k])
        contact.normal = world[:3, :3] @ found.normal[k]
        contact.pos = _out(world, (found.point_a[k] + found.point_b[k]) / 2.0)
        contact.penetration_depth = float(found.depth[k])
        made.append(contact)
    return made


def distance(
    o1: CollisionObject,
    o2: CollisionObject,
    request: Optional[DistanceRequest] = None,
    result: Optional[DistanceResult] = None,
) -> float:
    """The distance. Of overlapping objects −1, or minus the depth if signed distances are asked for."""
    request = DistanceRequest() if request is None else request
    result = DistanceResult() if result is None else result
    sides = _sides(o1, o2)
    value, points = -np.inf, None
    overlaps = _meets(o1, o2)
    for a, b in sides:
        world, pose = _relative(a, b)
        shape, other = a.geom._shape(), b.geom._shape()
        if not overlaps:
            gap = shape.distance(other, pose)
            if gap is not None and gap.distance > value:
                value, points = gap.distance, [_out(world, gap.point_a), _out(world, gap.point_b)]
            continue
        if not request.enable_signed_distance:
            value = max(value, -1.0)
            touch = shape.distance(other, pose)
            if touch is not None:
                points = [_out(world, touch.point_a), _out(world, touch.point_b)]
            continue
        try:
            deep = shape.penetration(other, pose)
        except Error:
            # An open mesh has no depth, only contacts.
            found = shape.contacts(other, pose)
            k = int(np.argmax(found.depth)) if len(found) else -1
            depth = float(found.depth[k]) if k >= 0 else 0.0
            near = (found.point_a[k], found.point_b[k]) if k >= 0 else None
        else:
            depth = deep.depth if deep is not None else 0.0
            near = (deep.point_a, deep.point_b) if deep is not None else None
        if -depth > value:
            value = -depth
            points = None if near is None else [_out(world, near[0]), _out(world, near[1])]
    if value == -np.inf:
        return -1.0
    if value < result.min_distance:
        result.min_distance = value
        result.o1, result.o2 = o1.geom, o2.geom
        if request.enable_nearest_points and points is not None:
            result.nearest_points = list(points)
    return value


def continuousCollide(
    o1: CollisionObject,
    tf1_end: Transform,
    o2: CollisionObject,
    tf2_end: Transform,
    request: Optional[ContinuousCollisionRequest] = None,
    result: Optional[ContinuousCollisionResult] = None,
) -> float:
    """The time of the first contact from 0 to 1, or 1. Motions are relative: the second moves in the frame of the first."""
    request = ContinuousCollisionRequest() if request is None else request
    result = ContinuousCollisionResult() if result is None else result
    _, start = _relative(o1, o2)
    _, end = _relative(CollisionObject(o1.geom, tf1_end), CollisionObject(o2.geom, tf2_end))
    kind = "screw" if request.ccd_motion_type == CCDMotionType.CCDM_SCREW else "straight"
    hit = o1.geom._shape().impact(o2.geom._shape(), start, end, motion=kind)
    result.is_collide = hit is not None
    result.time_of_contact = 1.0 if hit is None else hit.time
    return result.time_of_contact


def defaultCollisionCallback(o1: CollisionObject, o2: CollisionObject, cdata: Any) -> bool:
    """Collects contacts; true when no more are wanted."""
    if cdata.done:
        return True
    collide(o1, o2, request=cdata.request, result=cdata.result)
    if cdata.result.is_collision and len(cdata.result.contacts) >= cdata.request.num_max_contacts:
        cdata.done = True
    return bool(cdata.done)


def defaultDistanceCallback(
    o1: CollisionObject, o2: CollisionObject, cdata: Any
) -> tuple[bool, float]:
    """Keeps the smallest distance; true when nothing can be nearer."""
    if cdata.done:
        return True, cdata.result.min_distance
    distance(o1, o2, request=cdata.request, result=cdata.result)
    best = cdata.result.min_distance
    # Signed distances go on below zero: the deepest pair is wanted.
    if best <= 0 and not cdata.request.enable_signed_distance:
        return True, best
    return False, best


Callback = Callable[[CollisionObject, CollisionObject, Any], Any]


class DynamicAABBTreeCollisionManager:
    """Many objects; the boxes around them choose the pairs that a callback is asked about."""

    def __init__(self) -> None:
        self._objects: list[CollisionObject] = []
        self._boxes: Optional[np.ndarray] = None
        # Settings of the original that have no meaning here.
        self.max_tree_nonbalanced_level = 10
        self.tree_incremental_balance_pass = 10
        self.tree_topdown_balance_threshold = 2
        self.tree_topdown_level = 0
        self.tree_init_level = 0
        self.octree_as_geometry_collide = True
        self.octree_as_geometry_distance = False

    def registerObjects(self, other_objs: Iterable[CollisionObject]) -> None:
        self._objects.extend(other_objs)
        self._boxes = None

    def registerObject(self, obj: CollisionObject) -> None:
        self.registerObjects([obj])

    def unregisterObject(self, obj: CollisionObject) -> None:
        self._objects = [known for known in self._objects if known is not obj]
        self._boxes = None

    def setup(self) -> None:
        self._boxes = None

    def update(self, arg: Any = None) -> None:
        """Takes up where objects are now."""
        self._boxes = None

    def getObjects(self) -> list[CollisionObject]:
        return list(self._objects)

    def clear(self) -> None:
        self._objects, self._boxes = [], None

    def empty(self) -> bool:
        return not self._objects

    def size(self) -> int:
        return len(self._objects)

    def _bounds(self) -> np.ndarray:
        if self._boxes is None:
            boxes = [_world_box(obj) for obj in self._objects]
            self._boxes = np.array(boxes).reshape(-1, 2, 3)
        return self._boxes

    def collide(self, *args: Any) -> None:
        """``(data, callback)`` among themselves, ``(object, data, callback)``, ``(manager, data, callback)``."""
        other, data, callback = self._arguments(args)
        for a, b in self._near(other):
            if callback(a, b, data):
                return

    def distance(self, *args: Any) -> None:
        """As ``collide``, with a callback that returns whether to stop and the distance so far."""
        other, data, callback = self._arguments(args)
        best = np.inf
        for bound, a, b in sorted(self._by_gap(other), key=lambda pair: pair[0]):
            if bound > max(best, 0.0):
                return
            stop, best = callback(a, b, data)
            if stop:
                return

    @staticmethod
    def _arguments(args: tuple[Any, ...]) -> tuple[Any, Any, Callback]:
        if len(args) == 2:
            return None, args[0], args[1]
        if len(args) == 3:
            return args
        raise Error(f"expected two or three arguments, found {len(args)}")

    def _near(self, other: Any) -> Iterable[tuple[CollisionObject, CollisionObject]]:
        for gap, a, b in self._by_gap(other):
            if gap <= 0.0:
                yield a, b

    def _by_gap(self, other: Any) -> Iterable[tuple[float, CollisionObject, CollisionObject]]:
        """Pairs with the distance of their boxes. The object given comes second, as callbacks are used to."""
        mine = self._bounds()
        if other is None:
            for k, a in enumerate(self._objects):
                gaps = _box_gaps(mine[k], mine[k + 1 :])
                for gap, b in zip(gaps, self._objects[k + 1 :]):
                    yield float(gap), a, b
        elif isinstance(other, DynamicAABBTreeCollisionManager):
            theirs = other._bounds()
            for k, a in enumerate(self._objects):
                for gap, b in zip(_box_gaps(mine[k], theirs), other._objects):
                    yield float(gap), a, b
        else:
            for gap, a in zip(_box_gaps(_world_box(other), mine), self._objects):
                yield float(gap), a, other


def _world_box(obj: CollisionObject) -> np.ndarray:
    if isinstance(obj.geom, (Plane, Halfspace)):
        return np.array([[-np.inf] * 3, [np.inf] * 3])
    bounds = obj.geom._shape().bounds
    if bounds is None:
        return np.array([[np.inf] * 3, [-np.inf] * 3])
    rotation, translation = obj._transform._rotation, obj._transform._translation
    center, half = np.asarray(bounds).mean(axis=0), np.ptp(np.asarray(bounds), axis=0) / 2.0
    middle, reach = rotation @ center + translation, np.abs(rotation) @ half
    # Rounding must not lose a pair.
    reach = reach + 1e-12 * (np.abs(middle) + reach + 1.0)
    return np.array([middle - reach, middle + reach])


def _box_gaps(box: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    between = np.maximum(boxes[:, 0] - box[1], box[0] - boxes[:, 1])
    return np.asarray(np.linalg.norm(np.maximum(between, 0.0), axis=1))
