"""Worlds, assemblies, spheres, clouds, scenes."""

from __future__ import annotations

import pickle

import impinge
import numpy as np
import pytest


def test_a_world_tells_what_begins_and_ends():
    world = impinge.World(events=["contact", "contacts"], closer_than=0.5)
    ball = world.add(impinge.Ball(1.0), [0, 0, 5], name="ball")
    world.add(impinge.HalfSpace([0, 0, 1], [0, 0, 0]), static=True)
    seen = []
    for height in (5.0, 1.2, 0.5, 5.0):
        world.set_pose(ball, [0, 0, height])
        seen.append({event.kind: event for event in world.step()})
    assert [("contact-begin" in kinds) for kinds in seen] == [False, False, True, False]
    assert "contact-end" in seen[3]
    assert seen[1]["closer"].distance.distance == pytest.approx(0.2)
    assert seen[2]["contacts"].contacts.depth.max() == pytest.approx(0.5)
    assert world.name(ball) == "ball" and len(world) == 2 and ball in world
    world.remove(ball)
    assert ball not in world
    with pytest.raises(impinge.Error):
        world.set_pose(ball, [0, 0, 0])


def test_a_world_is_asked_by_rays_points_and_shapes():
    world = impinge.World()
    ids = [world.add(impinge.Ball(1.0), [4.0 * k, 0, 0]) for k in range(5)]
    assert world.cast_ray([-9, 0, 0], [1, 0, 0])[0] == ids[0]
    objects, hits = world.cast_rays([[4.0 * k, 0, 9] for k in range(5)] + [[99, 0, 9]], [0, 0, -1])
    assert objects.tolist() == [*ids, -1] and hits.t[:5].tolist() == [8.0] * 5
    assert world.closest_point([8.2, 5, 0])[0] == ids[2]
    assert world.overlapping(impinge.Ball(1.5), [2, 0, 0]) == ids[:2]
    world.set_poses(ids, np.array([[0, 0, 10.0 * k] for k in range(5)]))
    assert world.pose(ids[3])[2, 3] == 30.0


def test_poses_are_set_for_all_or_none():
    world = impinge.World()
    known = world.add(impinge.Ball(1.0))
    with pytest.raises(impinge.Error):
        world.set_poses([known, 999], [[1, 0, 0], [2, 0, 0]])
    assert world.pose(known)[0, 3] == 0.0


def test_clashes_are_ranked_and_named(tmp_path):
    cube = impinge.Cuboid([1, 1, 1]).to_mesh()
    small = impinge.Cuboid([0.1, 0.1, 0.1]).to_mesh()
    parts = impinge.Assembly(
        [
            ("a", cube),
            ("b", cube, [1.5, 0.3, 0.2]),
            ("inner", small),
            ("near", cube, [0, 0, 2.1]),
            ("copy", cube),
            ("far", cube, [50, 0, 0]),
        ]
    )
    found = {(clash.name_a, clash.name_b): clash for clash in parts.clashes(clearance=0.2)}
    assert found["a", "copy"].kind == "duplicate"
    assert found["a", "b"].kind == "crossing" and found["a", "b"].depth[0] <= 0.5 <= found["a", "b"].depth[1]
    assert found["a", "inner"].kind == "contained" and found["a", "inner"].inner == "b"
    assert found["a", "near"].kind == "clearance" and found["a", "near"].distance == pytest.approx(0.1)
    assert not any("far" in names for names in found)
    same = pickle.loads(pickle.dumps(parts)).clashes(clearance=0.2, threads=1)
    assert [(clash.a, clash.b, clash.kind) for clash in same] == [
        (clash.a, clash.b, clash.kind) for clash in parts.clashes(clearance=0.2)
    ]
    calls = []
    parts.clashes(progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (100, 100)


def test_spheres_fill_a_cube_and_are_disjoint():
    cube = impinge.Cuboid([1, 1, 1]).to_mesh()
    spheres = impinge.pack(cube, count=60)
    assert len(spheres) == 60
    gaps = np.linalg.norm(spheres.centers[:, None] - spheres.centers[None], axis=2)
    reach = spheres.radii[:, None] + spheres.radii[None]
    np.fill_diagonal(gaps, np.inf)
    assert (gaps >= reach - 1e-9).all()
    assert (np.abs(spheres.centers).max(axis=1) + spheres.radii <= 1 + 1e-9).all()
    assert np.array_equal(impinge.pack(cube, count=60).centers, spheres.centers)


def test_a_cover_contains_the_solid():
    cube = impinge.Cuboid([1, 1, 1]).to_mesh()
    spheres = impinge.cover_with_spheres(cube, count=10)
    inside = np.random.default_rng(0).uniform(-1, 1, (2000, 3))
    gaps = np.linalg.norm(inside[:, None] - spheres.centers[None], axis=2)
    assert (gaps <= spheres.radii[None] + 1e-9).any(axis=1).all()


def test_a_sphere_tree_bounds_distance_and_volume():
    cube = impinge.Cuboid([1, 1, 1]).to_mesh()
    tree = impinge.SphereTree.of_mesh(cube, count=300)
    lower, upper = tree.distance(tree, [5, 0, 0])
    assert lower <= 3.0 <= upper
    value, low, high, _ = tree.volume(tree, [1, 1, 1])
    assert low <= 1.0 <= high and low <= value <= high
    again = pickle.loads(pickle.dumps(tree))
    assert again.distance(again, [5, 0, 0]) == (lower, upper)
    poses = np.array([[x, 0.1, 0.2] for x in np.linspace(0, 3, 40)])
    volumes = [tree.volume_all(tree, poses, threads=n).volume.tobytes() for n in (1, 2)]
    assert volumes[0] == volumes[1]


def test_clouds_have_neighbours_and_files(tmp_path):
    points = np.random.default_rng(0).normal(size=(500, 3))
    cloud = impinge.Cloud(points)
    asked = np.random.default_rng(1).normal(size=(50, 3))
    far, ids = cloud.nearest(asked, k=3)
    truth = np.sort(np.linalg.norm(points[None] - asked[:, None], axis=2), axis=1)[:, :3]
    assert np.allclose(far, truth) and ids.shape == (50, 3)
    cloud.save(tmp_path / "cloud.ply")
    assert np.allclose(impinge.Cloud.open(tmp_path / "cloud.ply").points, points)
    assert cloud.contains(points[7])


def test_a_scene_tells_pairs_and_impacts():
    sheet = impinge.Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]])
    small = impinge.Mesh([[1, 1, 1], [1.5, 1, 1.2], [1, 1.5, 1.2]], [[0, 1, 2]])
    scene = impinge.Scene([sheet, small])
    assert len(scene.pairs()) == 0
    end = scene.positions
    end[3:, 2] -= 2
    impacts = scene.step(end)
    assert len(impacts) >= 3 and impacts.lower[0] <= 0.5 <= impacts.upper[0] and not impacts.edges[0]
    assert impacts.vertices[0].tolist() == [3, 0, 1, 2]
    middle = scene.positions
    middle[3:, 2] -= 1.1
    scene.advance(middle)
    assert scene.pairs().faces.tolist() == [[0, 1]] and not scene.pairs().within[0]
    with pytest.raises(impinge.Error, match="vertices"):
        scene.advance(middle[:3])
    with pytest.raises(impinge.Error, match="engine"):
        impinge.Scene([sheet], engine="none")


def test_a_picture_is_one_file_without_network(tmp_path):
    cube = impinge.Cuboid([1, 1, 1])
    path = tmp_path / "scene.html"
    picture = impinge.show(cube, (impinge.Ball(0.5), [1, 1, 1]), points=[[0, 0, 1]], path=path)
    page = path.read_text(encoding="utf-8")
    assert page == picture.html and "http://" not in page and "https://" not in page
    assert "<iframe" in picture._repr_html_()
    parts = impinge.Assembly([("</script>", cube.to_mesh())])
    assert "</script>\"" not in impinge.show(parts).html
    with pytest.raises(impinge.Error):
        impinge.show(impinge.HalfSpace([0, 0, 1], [0, 0, 0]))
