from os import PathLike
from typing import Callable, Iterable, Literal, Optional, Sequence, Union, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
#: A (4, 4) matrix, the three numbers of a translation, or None for no change.
Pose = Optional[ArrayLike]
#: At most so many threads; one for each core if None.
Threads = Optional[int]
Progress = Union[bool, Callable[[int, int], object], None]
MotionKind = Literal["straight", "screw"]
Path = Union[str, PathLike[str]]

__version__: str

class Error(ValueError): ...

@final
class Distance:
    distance: float
    lower: float
    upper: float
    @property
    def point_a(self) -> Floats: ...
    @property
    def point_b(self) -> Floats: ...

@final
class Penetration:
    depth: float
    lower: float
    upper: float
    @property
    def normal(self) -> Floats: ...
    @property
    def point_a(self) -> Floats: ...
    @property
    def point_b(self) -> Floats: ...

@final
class Volume:
    volume: float
    lower: float
    upper: float
    crossings: int
    @property
    def centroid(self) -> Floats: ...
    @property
    def gradient(self) -> Floats: ...
    @property
    def gradient_rotation(self) -> Floats: ...

@final
class Impact:
    time: float
    lower: float
    upper: float
    face_a: int
    face_b: int
    @property
    def point(self) -> Floats: ...
    @property
    def normal(self) -> Floats: ...

@final
class RayHit:
    t: float
    face: int
    @property
    def point(self) -> Floats: ...
    @property
    def normal(self) -> Floats: ...

@final
class BallHit:
    t: float
    lower: float
    upper: float
    face: int
    @property
    def center(self) -> Floats: ...
    @property
    def point(self) -> Floats: ...
    @property
    def normal(self) -> Floats: ...

@final
class ClosestPoint:
    distance: float
    lower: float
    upper: float
    face: Optional[int]
    @property
    def point(self) -> Floats: ...
    @property
    def barycentric(self) -> Floats: ...

@final
class Mass:
    volume: float
    area: float
    inertia: list[list[float]]
    @property
    def centroid(self) -> Floats: ...

@final
class Clash:
    a: int
    b: int
    name_a: str
    name_b: str
    kind: Literal["duplicate", "crossing", "contained", "touching", "clearance"]
    depth: Optional[tuple[float, float]]
    distance: float
    inner: Optional[Literal["a", "b", "pieces"]]
    @property
    def point_a(self) -> Floats: ...
    @property
    def point_b(self) -> Floats: ...

@final
class Finding:
    kind: str
    severity: str
    message: str

@final
class Distances:
    distance: Floats
    lower: Floats
    upper: Floats
    point_a: Floats
    point_b: Floats
    def __len__(self) -> int: ...

@final
class Penetrations:
    depth: Floats
    lower: Floats
    upper: Floats
    normal: Floats
    point_a: Floats
    point_b: Floats
    def __len__(self) -> int: ...

@final
class Volumes:
    volume: Floats
    lower: Floats
    upper: Floats
    centroid: Floats
    gradient: Floats
    gradient_rotation: Floats
    def __len__(self) -> int: ...

@final
class Impacts:
    time: Floats
    lower: Floats
    upper: Floats
    point: Floats
    normal: Floats
    def __len__(self) -> int: ...

@final
class RayHits:
    hit: Bools
    t: Floats
    face: Ints
    point: Floats
    normal: Floats
    def __len__(self) -> int: ...

@final
class AllRayHits:
    ray: Ints
    face: Ints
    t: Floats
    point: Floats
    barycentric: Floats
    def __len__(self) -> int: ...

@final
class ClosestPoints:
    distance: Floats
    face: Ints
    point: Floats
    barycentric: Floats
    def __len__(self) -> int: ...

@final
class Contacts:
    depth: Floats
    point_a: Floats
    point_b: Floats
    normal: Floats
    patch: NDArray[np.uint32]
    face_a: Ints
    face_b: Ints
    child_a: NDArray[np.uint32]
    child_b: NDArray[np.uint32]
    id: NDArray[np.uint64]
    def __len__(self) -> int: ...

class Shape:
    @property
    def kind(self) -> str: ...
    @property
    def bounds(self) -> Optional[Floats]: ...
    def intersects(self, other: Shape, pose: Pose = None, *, solid: bool = False) -> bool: ...
    def distance(
        self, other: Shape, pose: Pose = None, *, max_distance: Optional[float] = None
    ) -> Optional[Distance]: ...
    def penetration(self, other: Shape, pose: Pose = None) -> Optional[Penetration]: ...
    def volume(self, other: Shape, pose: Pose = None) -> Volume: ...
    def contacts(self, other: Shape, pose: Pose = None, *, margin: float = 0.0, every: bool = False) -> Contacts: ...
    def impact(
        self, other: Shape, start: ArrayLike, end: ArrayLike, *, motion: MotionKind = "straight"
    ) -> Optional[Impact]: ...
    def cast_ray(self, origin: ArrayLike, direction: ArrayLike) -> Optional[RayHit]: ...
    def cast_segment(self, start: ArrayLike, end: ArrayLike) -> Optional[RayHit]: ...
    def cast_ball(self, radius: float, start: ArrayLike, end: ArrayLike) -> Optional[BallHit]: ...
    def closest_point(self, point: ArrayLike) -> Optional[ClosestPoint]: ...
    def contains(self, point: ArrayLike) -> bool: ...
    def intersects_all(
        self, other: Shape, poses: ArrayLike, *, solid: bool = False, threads: Threads = None, progress: Progress = None
    ) -> Bools: ...
    def distance_all(
        self,
        other: Shape,
        poses: ArrayLike,
        *,
        max_distance: Optional[float] = None,
        threads: Threads = None,
        progress: Progress = None,
    ) -> Distances: ...
    def penetration_all(
        self, other: Shape, poses: ArrayLike, *, threads: Threads = None, progress: Progress = None
    ) -> Penetrations: ...
    def volume_all(
        self, other: Shape, poses: ArrayLike, *, threads: Threads = None, progress: Progress = None
    ) -> Volumes: ...
    def impact_all(
        self,
        other: Shape,
        starts: ArrayLike,
        ends: ArrayLike,
        *,
        motion: MotionKind = "straight",
        threads: Threads = None,
        progress: Progress = None,
    ) -> Impacts: ...
    def cast_rays(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        max_distance: Optional[float] = None,
        threads: Threads = None,
        progress: Progress = None,
    ) -> RayHits: ...
    def closest_points(
        self,
        points: ArrayLike,
        *,
        max_distance: Optional[float] = None,
        threads: Threads = None,
        progress: Progress = None,
    ) -> ClosestPoints: ...
    def contains_all(self, points: ArrayLike, *, threads: Threads = None, progress: Progress = None) -> Bools: ...

@final
class Ball(Shape):
    def __new__(cls, radius: float) -> Ball: ...
    def to_mesh(self, *, detail: int = 32) -> Mesh: ...

@final
class Cuboid(Shape):
    def __new__(cls, half_extent: ArrayLike) -> Cuboid: ...
    def to_mesh(self) -> Mesh: ...

@final
class Capsule(Shape):
    def __new__(cls, start: ArrayLike, end: ArrayLike, radius: float) -> Capsule: ...
    def to_mesh(self, *, detail: int = 32) -> Mesh: ...

@final
class Cylinder(Shape):
    def __new__(cls, half_height: float, radius: float) -> Cylinder: ...
    def to_mesh(self, *, detail: int = 32) -> Mesh: ...

@final
class Cone(Shape):
    def __new__(cls, half_height: float, radius: float) -> Cone: ...
    def to_mesh(self, *, detail: int = 32) -> Mesh: ...

@final
class Ellipsoid(Shape):
    def __new__(cls, radii: ArrayLike) -> Ellipsoid: ...
    def to_mesh(self, *, detail: int = 32) -> Mesh: ...

@final
class Segment(Shape):
    def __new__(cls, start: ArrayLike, end: ArrayLike) -> Segment: ...

@final
class Triangle(Shape):
    def __new__(cls, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Triangle: ...

@final
class HalfSpace(Shape):
    def __new__(cls, normal: ArrayLike, point: ArrayLike) -> HalfSpace: ...

@final
class Polyhedron(Shape):
    def __new__(cls, points: ArrayLike) -> Polyhedron: ...
    def to_mesh(self) -> Mesh: ...

@final
class HeightField(Shape):
    def __new__(cls, heights: ArrayLike, spacing: tuple[float, float] = (1.0, 1.0)) -> HeightField: ...
    def to_mesh(self) -> Mesh: ...

@final
class Particles(Shape):
    def __new__(cls, points: ArrayLike, radius: ArrayLike) -> Particles: ...

@final
class Compound(Shape):
    def __new__(cls, children: Sequence[tuple[ArrayLike, Shape]]) -> Compound: ...

@final
class Cloud(Shape):
    def __new__(cls, points: ArrayLike, normals: Optional[ArrayLike] = None) -> Cloud: ...
    @staticmethod
    def open(path: Path, *, drop_invalid: bool = False) -> Cloud: ...
    def save(self, path: Path) -> None: ...
    @property
    def points(self) -> Floats: ...
    @property
    def normals(self) -> Optional[Floats]: ...
    def findings(self) -> list[str]: ...
    def nearest(
        self, points: ArrayLike, *, k: int = 1, threads: Threads = None, progress: Progress = None
    ) -> tuple[Floats, Ints]: ...
    def __len__(self) -> int: ...

class Mesh(Shape):
    def __new__(cls, vertices: ArrayLike, faces: ArrayLike) -> Mesh: ...
    @classmethod
    def open(cls, path: Path, *, scale: float = 1.0, unit: Optional[str] = None) -> Mesh: ...
    def save(self, path: Path) -> None: ...
    @property
    def vertices(self) -> Floats: ...
    @property
    def faces(self) -> NDArray[np.uint32]: ...
    @property
    def is_closed(self) -> bool: ...
    def build_index(self) -> int: ...
    def mass(self) -> Mass: ...
    def findings(self) -> list[Finding]: ...
    def welded(self, distance: float = 0.0) -> Mesh: ...
    def placed(self, pose: ArrayLike) -> Mesh: ...
    def intersections(self, other: Mesh, pose: Pose = None) -> NDArray[np.uint32]: ...
    def intersections_all(
        self, other: Mesh, poses: ArrayLike, *, threads: Threads = None, progress: Progress = None
    ) -> list[NDArray[np.uint32]]: ...
    def self_intersections(self) -> NDArray[np.uint32]: ...
    def all_hits(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        max_distance: Optional[float] = None,
        threads: Threads = None,
        progress: Progress = None,
    ) -> AllRayHits: ...
    def signed_distances(self, points: ArrayLike, *, threads: Threads = None, progress: Progress = None) -> Floats: ...
    def winding_numbers(
        self, points: ArrayLike, *, tolerance: float = 1e-9, threads: Threads = None, progress: Progress = None
    ) -> Floats: ...
    def closest_facing(
        self, points: ArrayLike, *, tolerance: float = 1e-8, threads: Threads = None, progress: Progress = None
    ) -> ClosestPoints: ...
    def faces_within(
        self, points: ArrayLike, distance: ArrayLike, *, threads: Threads = None, progress: Progress = None
    ) -> list[Ints]: ...

@final
class Pair:
    def __new__(cls, a: Shape, b: Shape, *, solid: bool = False) -> Pair: ...
    @property
    def a(self) -> Shape: ...
    @property
    def b(self) -> Shape: ...
    @property
    def solid(self) -> bool: ...
    def intersects(self, pose: Pose = None) -> bool: ...
    def intersections(self, pose: Pose = None) -> NDArray[np.uint32]: ...
    def distance(self, pose: Pose = None) -> Optional[Distance]: ...
    def penetration(self, pose: Pose = None) -> Optional[Penetration]: ...
    def volume(self, pose: Pose = None) -> Volume: ...
    def contacts(self, pose: Pose = None, *, margin: float = 0.0, every: bool = False) -> Contacts: ...
    def impact(self, start: ArrayLike, end: ArrayLike, *, motion: MotionKind = "straight") -> Optional[Impact]: ...

@final
class Event:
    kind: str
    a: int
    b: int
    is_new: bool
    contacts: Optional[Contacts]
    distance: Optional[Distance]

@final
class World:
    def __new__(cls, *, events: Optional[Sequence[str]] = None, closer_than: Optional[float] = None) -> World: ...
    def add(
        self, shape: Shape, pose: Pose = None, *, name: str = "", tag: int = 0, group: int = 0, static: bool = False
    ) -> int: ...
    def remove(self, object: int) -> None: ...
    def set_pose(self, object: int, pose: ArrayLike) -> None: ...
    def set_poses(self, objects: Sequence[int], poses: ArrayLike) -> None: ...
    def pose(self, object: int) -> Floats: ...
    def name(self, object: int) -> Optional[str]: ...
    @property
    def objects(self) -> list[int]: ...
    def step(self) -> list[Event]: ...
    def cast_ray(self, origin: ArrayLike, direction: ArrayLike) -> Optional[tuple[int, RayHit]]: ...
    def cast_rays(
        self, origins: ArrayLike, directions: ArrayLike, *, progress: Progress = None
    ) -> tuple[Ints, RayHits]: ...
    def closest_point(self, point: ArrayLike) -> Optional[tuple[int, Distance]]: ...
    def overlapping(self, shape: Shape, pose: Pose = None) -> list[int]: ...
    def __len__(self) -> int: ...
    def __contains__(self, object: int) -> bool: ...

@final
class Assembly:
    def __new__(cls, parts: Iterable[Union[tuple[str, Mesh], tuple[str, Mesh, Pose]]]) -> Assembly: ...
    @staticmethod
    def open(path: Path, *, scale: float = 1.0, unit: Optional[str] = None) -> Assembly: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def meshes(self) -> list[Mesh]: ...
    @property
    def poses(self) -> Floats: ...
    @property
    def refused(self) -> list[tuple[str, str]]: ...
    @property
    def notes(self) -> list[str]: ...
    def clashes(
        self,
        *,
        clearance: Optional[float] = None,
        tolerance: float = 0.0,
        rules: Optional[str] = None,
        threads: Threads = None,
        progress: Progress = None,
    ) -> list[Clash]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> tuple[str, Mesh, Floats]: ...

@final
class ScenePairs:
    faces: NDArray[np.uint32]
    within: Bools
    def __len__(self) -> int: ...

@final
class StepImpacts:
    lower: Floats
    upper: Floats
    edges: Bools
    vertices: NDArray[np.uint32]
    within: Bools
    def __len__(self) -> int: ...

@final
class Scene:
    def __new__(cls, meshes: Sequence[Mesh], *, engine: str = "auto") -> Scene: ...
    @property
    def positions(self) -> Floats: ...
    @property
    def faces(self) -> NDArray[np.uint32]: ...
    @property
    def objects(self) -> NDArray[np.uint32]: ...
    def advance(self, positions: ArrayLike) -> None: ...
    def pairs(self, *, within: bool = True, between: bool = True) -> ScenePairs: ...
    def step(self, end: ArrayLike, *, within: bool = True, between: bool = True) -> StepImpacts: ...

@final
class Spheres:
    def __new__(cls, centers: Floats, radii: Floats) -> Spheres: ...
    centers: Floats
    radii: Floats
    def __len__(self) -> int: ...

@final
class SphereOverlaps:
    volume: Floats
    lower: Floats
    upper: Floats
    centroid: Floats
    def __len__(self) -> int: ...

@final
class SphereTree:
    def __new__(cls, centers: ArrayLike, radii: ArrayLike) -> SphereTree: ...
    @staticmethod
    def of_mesh(mesh: Mesh, *, count: int = 1000, seed: int = 0, progress: Progress = None) -> SphereTree: ...
    @property
    def spheres(self) -> Spheres: ...
    def distance(self, other: SphereTree, pose: Pose = None) -> Optional[tuple[float, float]]: ...
    def volume(self, other: SphereTree, pose: Pose = None) -> tuple[float, float, float, Floats]: ...
    def volume_all(
        self, other: SphereTree, poses: ArrayLike, *, threads: Threads = None, progress: Progress = None
    ) -> SphereOverlaps: ...
    def __len__(self) -> int: ...

@final
class ContactResponse:
    stiffness: float
    complete: bool
    @property
    def force(self) -> Floats: ...
    @property
    def torque(self) -> Floats: ...

@final
class ContactResponses:
    force: Floats
    torque: Floats
    complete: Bools
    def __len__(self) -> int: ...

class ContactLaw:
    def at(self, pose: ArrayLike) -> ContactResponse: ...
    def at_all(self, poses: ArrayLike, *, threads: Threads = None, progress: Progress = None) -> ContactResponses: ...

@final
class ExactVolumeLaw(ContactLaw):
    def __new__(cls, solid: Mesh, tool: Mesh, *, pressure: float, solid_pose: Pose = None) -> ExactVolumeLaw: ...

@final
class ConeLaw(ContactLaw):
    def __new__(cls, solid: SphereTree, tool: SphereTree, *, stiffness: float, solid_pose: Pose = None) -> ConeLaw: ...

@final
class BudgetedSphereLaw(ContactLaw):
    def __new__(
        cls, solid: SphereTree, tool: SphereTree, *, pressure: float, tests: int = 2000, solid_pose: Pose = None
    ) -> BudgetedSphereLaw: ...

@final
class VoxmapLaw(ContactLaw):
    def __new__(
        cls, solid: Mesh, tool: Mesh, *, stiffness: float, resolution: int = 64, solid_pose: Pose = None
    ) -> VoxmapLaw: ...

@final
class DepthLaw(ContactLaw):
    def __new__(cls, solid: Mesh, tool: Mesh, *, stiffness: float, solid_pose: Pose = None) -> DepthLaw: ...

@final
class ProxyStep:
    contacts: list[tuple[int, int, list[float], float]]
    sweeps: int
    held: bool
    crossed: bool
    sliding: bool
    @property
    def proxy(self) -> Floats: ...
    @property
    def force(self) -> Floats: ...

@final
class ProxyPath:
    proxy: Floats
    force: Floats
    contacts: Ints
    held: Bools
    crossed: Bools
    sliding: Bools
    def __len__(self) -> int: ...

@final
class ProxyScene:
    def __new__(cls) -> ProxyScene: ...
    def add(
        self, mesh: Mesh, pose: Pose = None, *, friction: Optional[tuple[float, float]] = None, smooth: bool = False
    ) -> int: ...
    def pose(self, body: int) -> Floats: ...
    def set_pose(self, body: int, pose: ArrayLike) -> None: ...
    def __len__(self) -> int: ...

@final
class GodObject:
    def __new__(
        cls,
        scene: ProxyScene,
        start: ArrayLike,
        *,
        stiffness: float,
        radius: Optional[float] = None,
        offset: Optional[float] = None,
    ) -> GodObject: ...
    @property
    def scene(self) -> ProxyScene: ...
    @property
    def proxy(self) -> Floats: ...
    @property
    def stiffness(self) -> float: ...
    @property
    def offset(self) -> float: ...
    @property
    def radius(self) -> float: ...
    def update(self, target: ArrayLike, duration: float = 0.001) -> ProxyStep: ...
    def follow(self, targets: ArrayLike, duration: float = 0.001) -> ProxyPath: ...

def threads() -> int: ...
def generate(name: str, *, faces: Optional[int] = None, seed: int = 0) -> Mesh: ...
def models() -> dict[str, str]: ...
def translation(offset: ArrayLike) -> Floats: ...
def rotation(axis: ArrayLike, angle: float, offset: Optional[ArrayLike] = None) -> Floats: ...
def nearest_pose(matrix: ArrayLike) -> Floats: ...
def pack(
    mesh: Mesh,
    *,
    count: Optional[int] = None,
    fill: Optional[float] = None,
    min_radius: Optional[float] = None,
    seed: int = 0,
    progress: Progress = None,
) -> Spheres: ...
def cover_with_spheres(mesh: Mesh, *, count: int = 64) -> Spheres: ...
