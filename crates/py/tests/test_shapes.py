"""Answers about shapes, meshes, pairs: what is true by geometry."""

from __future__ import annotations

import pickle

import impinge
import numpy as np
import pytest


@pytest.fixture(scope="module")
def cube() -> impinge.Mesh:
    return impinge.Cuboid([1, 1, 1]).to_mesh()


@pytest.fixture(scope="module")
def knot() -> impinge.Mesh:
    return impinge.generate("torus-knot", faces=2000)


def test_touching_counts_and_the_next_number_does_not(cube):
    assert cube.intersects(cube, [2, 0, 0])
    assert not cube.intersects(cube, [np.nextafter(2.0, 3.0), 0, 0])


def test_a_matrix_and_its_translation_are_the_same_pose(cube):
    offset = np.array([0.5, 1.0, 2.5])
    assert cube.distance(cube, offset).distance == cube.distance(cube, impinge.translation(offset)).distance == 0.5


def test_distance_has_bounds_and_points(cube):
    gap = cube.distance(cube, [5, 0, 0])
    assert gap.lower <= gap.distance <= gap.upper
    assert np.linalg.norm(gap.point_b - gap.point_a) == pytest.approx(3.0)
    assert cube.distance(cube, [5, 0, 0], max_distance=1.0) is None


def test_penetration_is_the_shortest_way_out(cube):
    deep = cube.penetration(cube, [1.5, 0.2, 0.1])
    assert deep.depth == pytest.approx(0.5, abs=1e-9)
    assert np.allclose(deep.normal, [1, 0, 0], atol=1e-6)
    assert cube.penetration(cube, [9, 0, 0]) is None


def test_an_open_mesh_has_no_depth():
    sheet = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    with pytest.raises(impinge.Error, match="first mesh is open"):
        sheet.penetration(sheet)


def test_volume_of_two_cubes(cube):
    common = cube.volume(cube, [1, 1, 1])
    assert common.volume == pytest.approx(1.0)
    assert np.allclose(common.centroid, [0.5, 0.5, 0.5])


def test_contacts_of_resting_cubes():
    box = impinge.Cuboid([1, 1, 1])
    found = box.contacts(box, [0, 0, 2])
    assert len(found) == 4 and np.allclose(found.normal, [0, 0, 1]) and set(found.patch) == {0}
    assert len(box.contacts(box, [0, 0, 2.5])) == 0
    assert np.allclose(box.contacts(box, [0, 0, 2.5], margin=1.0).depth, -0.5)


def test_impact_of_a_falling_ball():
    ground = impinge.HalfSpace([0, 0, 1], [0, 0, 0])
    hit = ground.impact(impinge.Ball(1.0), [0, 0, 5], [0, 0, 0])
    assert hit.time == pytest.approx(0.8, abs=1e-6) and hit.lower <= hit.time <= hit.upper


def test_rays_and_points_of_a_cube(cube):
    hit = cube.cast_ray([0.3, 0.2, 9], [0, 0, -2])
    assert hit.t == 4.0 and np.allclose(hit.normal, [0, 0, 1])
    assert cube.cast_ray([3, 0, 9], [0, 0, -1]) is None
    near = cube.closest_point([0.2, 0.1, 4])
    assert near.distance == 3.0 and np.allclose(near.point, [0.2, 0.1, 1.0])
    assert cube.contains([0, 0, 0]) and not cube.contains([0, 0, 1.5]) and cube.contains([1, 0, 0])


def test_every_hit_of_a_ray_is_told(knot):
    rng = np.random.default_rng(1)
    origins = rng.normal(size=(200, 3)) * 5
    directions = -origins + rng.normal(size=(200, 3)) * 0.3
    every = knot.all_hits(origins, directions)
    first = knot.cast_rays(origins, directions)
    assert np.array_equal(np.unique(every.ray), np.flatnonzero(first.hit))
    starts = np.flatnonzero(np.diff(every.ray, prepend=-1))
    assert np.array_equal(every.t[starts], first.t[first.hit])
    # A line that enters a closed surface leaves it.
    counts = np.bincount(every.ray, minlength=200)
    assert (counts[counts > 0] % 2 == 0).mean() > 0.95


def test_batches_equal_single_calls_for_any_number_of_threads(knot):
    rng = np.random.default_rng(2)
    poses = np.stack(
        [impinge.rotation(rng.normal(size=3), a, rng.normal(size=3) * 2) for a in rng.uniform(0, 6, 70)]
    )
    one = [knot.distance(knot, pose).distance for pose in poses]
    met = [knot.intersects(knot, pose) for pose in poses]
    for threads in (1, 2, 3):
        assert knot.distance_all(knot, poses, threads=threads).distance.tolist() == one
        assert knot.intersects_all(knot, poses, threads=threads).tolist() == met
    assert any(met) and not all(met)


@pytest.mark.parametrize(
    "a, b",
    [
        (impinge.Ball(1.0), impinge.Cuboid([1, 2, 0.5])),
        (impinge.Cone(1.0, 0.5), impinge.Capsule([0, 0, -1], [0, 0, 1], 0.3)),
        (impinge.Ellipsoid([1, 2, 3]), impinge.Cylinder(1.0, 0.5)),
    ],
)
def test_batches_of_convex_shapes_do_not_depend_on_threads(a, b):
    rng = np.random.default_rng(3)
    offsets = rng.normal(size=(100, 3)) * 2
    first, second = (a.distance_all(b, offsets, threads=n) for n in (1, 3))
    assert first.distance.tobytes() == second.distance.tobytes()
    assert first.point_a.tobytes() == second.point_a.tobytes()
    deep = [a.penetration_all(b, offsets, threads=n).depth for n in (1, 3)]
    assert deep[0].tobytes() == deep[1].tobytes()
    assert np.array_equal(deep[0] > 0, a.intersects_all(b, offsets) & (deep[0] > 0))


def test_a_pair_answers_like_its_shapes(knot, cube):
    pair = impinge.Pair(knot, cube)
    for x in np.linspace(0, 6, 20):
        assert pair.intersects([x, 0, 0]) == knot.intersects(cube, [x, 0, 0])
        one, other = pair.distance([x, 0, 0]), knot.distance(cube, [x, 0, 0])
        assert one.distance == pytest.approx(other.distance, abs=1e-12)


def test_solids_meet_when_one_is_inside(cube):
    small = impinge.Cuboid([0.1, 0.1, 0.1]).to_mesh()
    assert not cube.intersects(small) and cube.intersects(small, solid=True)
    assert impinge.Pair(cube, small, solid=True).intersects()


def test_meshes_and_their_indexes_are_pickled(knot):
    knot.build_index()
    again = pickle.loads(pickle.dumps(knot))
    assert np.array_equal(again.vertices, knot.vertices) and np.array_equal(again.faces, knot.faces)
    pose = impinge.translation([0.3, 0.2, 0.1])
    assert np.array_equal(again.intersections(knot, pose), knot.intersections(knot, pose))
    assert again.distance(again, [9, 0, 0]).distance == knot.distance(knot, [9, 0, 0]).distance
    fresh = impinge.Mesh(knot.vertices, knot.faces)
    assert len(pickle.dumps(knot)) > len(pickle.dumps(fresh)) + 1000


@pytest.mark.parametrize(
    "shape",
    [
        impinge.Ball(2.0),
        impinge.Cuboid([1, 2, 3]),
        impinge.Capsule([0, 0, 0], [1, 0, 0], 0.5),
        impinge.Cylinder(1, 2),
        impinge.Cone(1, 2),
        impinge.Ellipsoid([1, 2, 3]),
        impinge.Segment([0, 0, 0], [1, 1, 1]),
        impinge.Triangle([0, 0, 0], [1, 0, 0], [0, 1, 0]),
        impinge.Polyhedron(np.random.default_rng(0).normal(size=(50, 3))),
        impinge.HeightField(np.arange(12.0).reshape(3, 4), (0.5, 2.0)),
        impinge.Particles([[0, 0, 0], [1, 1, 1]], 0.25),
        impinge.Particles([[0, 0, 0], [1, 1, 1]], [0.25, 0.5]),
        impinge.Compound([([0, 0, 0], impinge.Ball(1)), ([1, 2, 3], impinge.Cuboid([1, 1, 1]))]),
        impinge.Cloud([[0, 0, 0], [1, 2, 3]]),
        impinge.HalfSpace([0, 0, 2], [0, 0, 1]),
    ],
    ids=lambda shape: shape.kind,
)
def test_shapes_are_pickled_and_printed(shape):
    again = pickle.loads(pickle.dumps(shape))
    assert type(again) is type(shape) and repr(again) == repr(shape)
    probe = impinge.Ball(0.5)
    assert again.distance(probe, [0.3, 7, 9]).distance == shape.distance(probe, [0.3, 7, 9]).distance


def test_answers_are_pickled(cube):
    gap = cube.distance(cube, [5, 0, 0])
    again = pickle.loads(pickle.dumps(gap))
    assert again.distance == gap.distance and np.array_equal(again.point_b, gap.point_b)
    many = pickle.loads(pickle.dumps(cube.distance_all(cube, [[5, 0, 0], [0, 9, 0]])))
    assert many.distance.tolist() == [3.0, 7.0]


@pytest.mark.parametrize(
    "shape, volume",
    [
        (impinge.Ball(1.0), 4 / 3 * np.pi),
        (impinge.Cuboid([1, 2, 3]), 48.0),
        (impinge.Cylinder(1.0, 0.5), np.pi * 0.25 * 2),
        (impinge.Cone(1.0, 0.5), np.pi * 0.25 * 2 / 3),
        (impinge.Ellipsoid([1, 2, 3]), 8 * np.pi),
        (impinge.Capsule([0, 0, -1], [0, 2, -1], 0.5), np.pi * 0.25 * 2 + np.pi / 6),
        (impinge.Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), 1 / 6),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_a_shape_as_a_mesh_has_its_volume_and_its_box(shape, volume):
    mesh = shape.to_mesh() if shape.kind in ("box", "cuboid", "polyhedron") else shape.to_mesh(detail=200)
    assert mesh.is_closed and mesh.mass().volume == pytest.approx(volume, rel=2e-3)
    assert np.allclose(mesh.bounds, shape.bounds, atol=2e-3)


def test_signed_distances_and_winding_numbers(cube):
    points = np.array([[0, 0, 0], [0.5, 0, 0], [3, 0, 0], [1, 0, 0]], dtype=float)
    assert cube.signed_distances(points).tolist() == [-1.0, -0.5, 2.0, 0.0]
    assert np.allclose(cube.winding_numbers(points[:3]), [1, 1, 0], atol=1e-6)


def test_arrays_of_a_mesh_are_not_writeable(cube):
    with pytest.raises(ValueError):
        cube.vertices[0, 0] = 5.0


def test_findings_name_what_is_wrong(cube):
    assert all(finding.severity != "error" for finding in cube.findings())
    sheet = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert len(sheet.findings()) > 0 and sheet.findings()[0].message


def test_files_go_round(tmp_path, knot):
    for ending in ("obj", "ply", "off", "stl", "glb", "ply.gz"):
        path = tmp_path / f"knot.{ending}"
        knot.save(path)
        again = impinge.Mesh.open(path)
        assert len(again.faces) == len(knot.faces)
    assert np.allclose(impinge.Mesh.open(tmp_path / "knot.ply").vertices, knot.vertices)
    inches = impinge.Mesh.open(tmp_path / "knot.ply", unit="in")
    assert np.allclose(inches.vertices, knot.vertices * 0.0254)


def test_every_model_is_made():
    for name in impinge.models():
        assert len(impinge.generate(name, faces=300).faces) > 0
    with pytest.raises(impinge.Error, match="no model 'teapot'"):
        impinge.generate("teapot")
