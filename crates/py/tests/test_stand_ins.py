"""The stand-ins behave as the documentation of the originals says."""

from __future__ import annotations

import impinge
import impinge.fcl as fcl
import numpy as np
import pytest
from impinge.embree import EmbreeScene, TriangleMesh
from impinge.raycasting import RaycastingScene
from impinge.sdf import SDF
from impinge.trimesh import CollisionManager, ProximityQuery, RayMeshIntersector, contains, signed_distance


class Arrays:
    """Anything with vertices and faces."""

    def __init__(self, mesh: impinge.Mesh) -> None:
        self.vertices, self.faces = np.array(mesh.vertices), np.array(mesh.faces)


@pytest.fixture(scope="module")
def cube() -> impinge.Mesh:
    return impinge.Cuboid([0.5, 0.5, 0.5]).to_mesh()


def at(*offset: float) -> np.ndarray:
    return impinge.translation(offset)


def model(mesh: impinge.Mesh) -> fcl.BVHModel:
    made = fcl.BVHModel()
    made.beginModel(len(mesh.vertices), len(mesh.faces))
    made.addSubModel(mesh.vertices, mesh.faces)
    made.endModel()
    return made


def test_every_name_of_fcl_is_there():
    assert len(fcl.__all__) == 37 and all(hasattr(fcl, name) for name in fcl.__all__)


def test_spheres_collide_and_are_apart():
    a = fcl.CollisionObject(fcl.Sphere(1.0))
    b = fcl.CollisionObject(fcl.Sphere(1.0), fcl.Transform(np.array([1.5, 0, 0])))
    request = fcl.CollisionRequest(num_max_contacts=10, enable_contact=True)
    result = fcl.CollisionResult()
    assert fcl.collide(a, b, request, result) == 1 and result.is_collision
    assert result.contacts[0].penetration_depth == pytest.approx(0.5)
    assert np.allclose(result.contacts[0].normal, [1, 0, 0])
    b.setTranslation(np.array([5.0, 0, 0]))
    assert fcl.collide(a, b) == 0 and fcl.distance(a, b) == pytest.approx(3.0)


def test_unsigned_distance_of_what_overlaps_is_minus_one():
    a, b = fcl.CollisionObject(fcl.Sphere(1.0)), fcl.CollisionObject(fcl.Box(1, 1, 1))
    assert fcl.distance(a, b) == -1.0


def test_meshes_have_a_true_depth(cube):
    a = fcl.CollisionObject(model(cube))
    b = fcl.CollisionObject(model(cube), fcl.Transform(np.array([0.7, 0.1, 0.2])))
    request = fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=True)
    result = fcl.DistanceResult()
    assert fcl.distance(a, b, request, result) == pytest.approx(-0.3)
    assert np.linalg.norm(np.subtract(*result.nearest_points)) == pytest.approx(0.3)


def test_a_mesh_on_its_twin_has_one_contact(cube):
    shape = model(cube)
    a, b = (fcl.CollisionObject(shape, fcl.Transform(np.array([5.0, 0, 0]))) for _ in range(2))
    request, result = fcl.CollisionRequest(num_max_contacts=100, enable_contact=True), fcl.CollisionResult()
    assert fcl.collide(a, b, request, result) == 1
    (contact,) = result.contacts
    corner, normal = cube.vertices[cube.faces[0, 0]], contact.normal
    assert contact.penetration_depth == pytest.approx(1.0) and np.abs(normal).max() == 1.0
    assert np.allclose(contact.pos, corner - normal / 2 + [5, 0, 0])


def test_rotations_are_kept_in_either_form():
    turn = fcl.Transform(np.array([np.cos(0.3), 0, 0, np.sin(0.3)]), [1, 2, 3])
    assert np.allclose(fcl.Transform(turn.getRotation(), [0, 0, 0]).getQuatRotation(), turn.getQuatRotation())
    for axis in np.random.default_rng(0).normal(size=(20, 3)):
        matrix = impinge.rotation(axis, 2.9)[:3, :3]
        again = fcl.Transform(fcl.Transform(matrix).getQuatRotation(), np.zeros(3)).getRotation()
        assert np.allclose(again, matrix)


def test_planes_and_half_spaces():
    ball = fcl.CollisionObject(fcl.Sphere(1.0), fcl.Transform(np.array([0, 0, 3.0])))
    plane = fcl.CollisionObject(fcl.Plane(np.array([0, 0, 1.0]), 1.0))
    half = fcl.CollisionObject(fcl.Halfspace(np.array([0, 0, 1.0]), 1.0))
    assert fcl.distance(ball, plane) == pytest.approx(1.0) and fcl.distance(ball, half) == pytest.approx(1.0)
    ball.setTranslation(np.array([0, 0, -5.0]))
    assert fcl.collide(ball, half) == 1 and fcl.collide(ball, plane) == 0
    assert fcl.distance(plane, ball) == pytest.approx(5.0)
    ball.setTranslation(np.array([0, 0, 1.5]))
    request, result = fcl.CollisionRequest(num_max_contacts=5, enable_contact=True), fcl.CollisionResult()
    assert fcl.collide(plane, ball, request, result) == 1
    assert result.contacts[0].penetration_depth == pytest.approx(0.5)


def test_continuous_collision_has_a_time():
    a = fcl.CollisionObject(fcl.Sphere(1.0))
    b = fcl.CollisionObject(fcl.Sphere(1.0), fcl.Transform(np.array([4.0, 0, 0])))
    result = fcl.ContinuousCollisionResult()
    time = fcl.continuousCollide(a, fcl.Transform(), b, fcl.Transform(), None, result)
    assert time == pytest.approx(0.5, abs=1e-6) and result.is_collide


def test_managers_ask_the_callback_for_near_pairs():
    objects = [fcl.CollisionObject(fcl.Sphere(1.0), fcl.Transform(np.array([3.0 * k, 0, 0]))) for k in range(6)]
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(objects)
    manager.setup()
    data = fcl.CollisionData()
    manager.collide(data, fcl.defaultCollisionCallback)
    assert not data.result.is_collision
    distance = fcl.DistanceData()
    manager.distance(distance, fcl.defaultDistanceCallback)
    assert distance.result.min_distance == pytest.approx(1.0)
    objects[3].setTranslation(np.array([1.0, 0, 0]))
    manager.update()
    asked = []
    manager.collide(None, lambda a, b, data: asked.append((a, b)))
    assert len(asked) == 2 and manager.size() == 6
    manager.unregisterObject(objects[3])
    assert manager.size() == 5


def test_an_octree_is_its_occupied_cells():
    # The root has one inner child in the corner of all signs positive; below it one occupied cell.
    root = (3 << 14).to_bytes(2, "little")
    child = (2 << 0).to_bytes(2, "little")
    tree = fcl.OcTree(2.0**-14, root + child)
    # 16 levels of 2^-14: the root is 4 wide, its children 2, theirs 1.
    found = tree._shape().bounds
    assert np.allclose(found, [[0, 0, 0], [1, 1, 1]])
    with pytest.raises(impinge.Error, match="too early"):
        fcl.OcTree(1.0, b"\x00")


def test_a_manager_of_meshes_by_name(cube):
    manager = CollisionManager()
    manager.add_object("a", Arrays(cube))
    manager.add_object("b", Arrays(cube), at(5, 0, 0))
    assert manager.in_collision_single(cube, at(0.5, 0, 0)) is True
    hit, names, data = manager.in_collision_single(cube, at(5.25, 0.1, 0.2), return_names=True, return_data=True)
    assert hit and names == {"b"} and data and max(contact.depth for contact in data) > 0.5
    assert manager.in_collision_internal() is False
    assert manager.min_distance_internal(return_names=True) == (pytest.approx(4.0), ("a", "b"))
    manager.set_transform("b", at(0.75, 0, 0))
    assert manager.in_collision_internal(return_names=True) == (True, {("a", "b")})
    other = CollisionManager()
    other.add_object("c", cube, at(0, 0, 3))
    distance, names, data = manager.min_distance_other(other, return_names=True, return_data=True)
    assert distance == pytest.approx(2.0) and names[1] == "c"
    assert np.linalg.norm(data.point(names[0]) - data.point("c")) == pytest.approx(2.0)
    assert manager.min_distance_single(cube, at(5.5, 0, 0), return_name=True)[1] == "b"
    manager.remove_object("b")
    with pytest.raises(ValueError):
        manager.remove_object("b")


def test_rays_of_a_cube_count_edges_once(cube):
    rays = RayMeshIntersector(Arrays(cube))
    locations, index, faces = rays.intersects_location([[0, 0, 5], [0.5, 0.5, 5], [9, 0, 5]], [[0, 0, -1]] * 3)
    assert np.bincount(index, minlength=3).tolist() == [2, 2, 0]
    assert np.allclose(np.abs(locations[:, 2]), 0.5) and len(faces) == 4
    assert rays.intersects_first([[0, 0, 5], [9, 0, 5]], [[0, 0, -1]] * 2)[1] == -1
    assert rays.intersects_any([[0, 0, 5], [9, 0, 5]], [[0, 0, -1]] * 2).tolist() == [True, False]
    assert rays.intersects_any([[0, 0, 5]], [[0, 0, 0]]).tolist() == [False]


def test_a_mesh_that_is_edited_is_asked_anew(cube):
    edited = Arrays(cube)
    rays = RayMeshIntersector(edited)
    assert rays.intersects_any([[3, 0, 5]], [[0, 0, -1]]).tolist() == [False]
    edited.vertices[:, 0] += 3
    assert rays.intersects_any([[3, 0, 5]], [[0, 0, -1]]).tolist() == [True]


def test_nearest_points_and_signs(cube):
    near = ProximityQuery(Arrays(cube))
    points, distances, faces = near.on_surface([[0, 0, 2], [0.1, 0, 0]])
    assert np.allclose(points[0], [0, 0, 0.5]) and distances.tolist() == [1.5, 0.4] and len(faces) == 2
    assert np.allclose(signed_distance(cube, [[0, 0, 2], [0.1, 0, 0]]), [-1.5, 0.4])
    far, index = near.vertex([[1, 1, 1]])
    assert far[0] == pytest.approx(np.sqrt(0.75)) and np.allclose(cube.vertices[index[0]], 0.5)


def test_an_open_mesh_contains_by_winding(cube):
    lid_off = Arrays(cube)
    lid_off.faces = lid_off.faces[2:]
    assert contains(lid_off, [[0, 0, -0.1], [0, 0, 5]]).tolist() in ([True, False], [False, False])
    soup = Arrays(cube)
    soup.vertices = soup.vertices[soup.faces].reshape(-1, 3)
    soup.faces = np.arange(len(soup.vertices)).reshape(-1, 3)
    assert contains(soup, [[0, 0, 0], [0, 0, 5]]).tolist() == [True, False]


def test_an_embree_scene_tells_faces_distances_and_tables():
    scene = EmbreeScene()
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]], dtype=float)
    TriangleMesh(scene, corners, np.array([[0, 1, 2], [3, 4, 5]]))
    TriangleMesh(scene, corners[None, :3] + 5)
    origins = np.array([[0.2, 0.2, -1], [9, 9, 9], [5.2, 5.2, 4]])
    directions = np.array([[0, 0, 2.0], [0, 0, 1], [0, 0, 1]])
    assert scene.run(origins, directions).tolist() == [0, -1, 0]
    assert np.allclose(scene.run(origins, directions, query="DISTANCE"), [0.5, 1e37, 1.0])
    assert scene.run(origins, directions, query="OCCLUDED").tolist() == [0, -1, 0]
    table = scene.run(origins, directions, output=True)
    assert table["geomID"].tolist() == [0, -1, 1] and np.allclose(table["u"], [0.2, 0, 0.2])
    assert scene.run(origins, directions, dists=np.full(3, 0.1)).tolist() == [-1, -1, -1]
    with pytest.raises(ValueError, match="not recognized"):
        scene.run(origins, directions, query="X")


def test_a_raycasting_scene(cube):
    scene = RaycastingScene()
    assert scene.add_triangles(cube.vertices, cube.faces) == 0
    assert scene.add_triangles(cube.vertices + [3, 0, 0], cube.faces) == 1
    rays = np.array([[[0, 0, 5, 0, 0, -1], [3, 0, 5, 0, 0, -1]], [[9, 0, 5, 0, 0, -1], [0.2, 0.1, -5, 0, 0, 2]]], float)
    found = scene.cast_rays(rays)
    assert found["t_hit"].shape == (2, 2) and found["t_hit"][1, 0] == np.inf and found["t_hit"][1, 1] == pytest.approx(2.25)
    assert found["geometry_ids"].tolist() == [[0, 1], [RaycastingScene.INVALID_ID, 0]]
    assert np.allclose(found["primitive_normals"][0, 0], [0, 0, 1])
    assert scene.test_occlusions(rays).tolist() == [[True, True], [False, True]]
    assert scene.test_occlusions(rays, tfar=1.0).any() == np.False_
    assert scene.count_intersections([[0.1, 0.2, 5, 0, 0, -1.0]]).tolist() == [2]
    every = scene.list_intersections([[0.1, 0.2, 5, 0, 0, -1.0], [9, 9, 9, 0, 0, 1]])
    assert every["ray_splits"].tolist() == [0, 2, 2] and np.allclose(every["t_hit"], [4.5, 5.5])
    assert np.allclose(scene.compute_signed_distance([[0, 0, 0], [0, 0, 2]]), [-0.5, 1.5])
    assert scene.compute_occupancy([[0, 0, 0], [0, 0, 2]]).tolist() == [1.0, 0.0]
    assert np.allclose(scene.compute_closest_points([[3, 0, 2.0]])["points"], [[3, 0, 0.5]])
    camera = RaycastingScene.create_rays_pinhole(np.array([[10, 0, 2], [0, 10, 2], [0, 0, 1.0]]), np.eye(4), 4, 4)
    assert camera.shape == (4, 4, 6) and np.allclose(camera[1, 1, 3:], [-0.05, -0.05, 1])


def test_a_signed_distance_function(cube):
    f = SDF(cube.vertices, cube.faces)
    assert np.allclose(f([[0, 0, 0], [0, 0, 2]]), [0.5, -1.5])
    assert f.contains([[0, 0, 0], [0, 0, 2]]).tolist() == [True, False]
