"""Large batches answer in another order, through bounds and a grid: every answer is that of its item alone."""

from __future__ import annotations

import impinge
import numpy as np
import pytest

COUNT = 40_000


@pytest.fixture(scope="module")
def knot() -> impinge.Mesh:
    return impinge.generate("torus-knot", faces=4000)


def places(mesh: impinge.Mesh) -> np.ndarray:
    """Points around a mesh, on its vertices, on the middles of its edges, and on the border of its box."""
    rng = np.random.default_rng(11)
    low, high = mesh.bounds
    points = rng.uniform(low - 0.1, high + 0.1, (COUNT, 3))
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    points[: len(vertices)] = vertices
    middles = vertices[faces[:, :2]].mean(axis=1)
    points[5000 : 5000 + len(middles)] = middles
    points[12_000:12_500, 0] = high[0]
    points[12_500:13_000, 1] = low[1]
    return points


def test_containment_by_a_grid_is_that_of_each_point(knot):
    points = places(knot)
    whole = knot.contains_all(points)
    # So few points are not worth a grid.
    few = np.concatenate([knot.contains_all(part) for part in np.array_split(points, 20)])
    assert np.array_equal(whole, few) and whole[: len(knot.vertices)].all() and 0.02 < whole.mean() < 0.9
    cube = impinge.Cuboid([1, 1, 1]).to_mesh()
    grid = np.stack(np.meshgrid(*[np.linspace(-1.5, 1.5, 31)] * 3), axis=-1).reshape(-1, 3)
    assert np.array_equal(cube.contains_all(grid), (np.abs(grid) <= 1.0).all(axis=1))


def test_a_flat_solid_has_no_grid_and_contains_its_points():
    corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    sheet = impinge.Mesh(corners, [[0, 1, 2], [0, 2, 1]])
    points = np.tile([[0.25, 0.25, 0.0], [0.25, 0.25, 1.0]], (15_000, 1))
    assert np.array_equal(sheet.contains_all(points), np.tile([True, False], 15_000))


def test_closest_points_do_not_depend_on_the_one_before(knot):
    points = places(knot)
    whole = knot.closest_points(points)
    for k in range(0, COUNT, 997):
        alone = knot.closest_points(points[k : k + 1])
        for name in ("distance", "face", "point", "barycentric"):
            assert getattr(whole, name)[k].tobytes() == getattr(alone, name)[0].tobytes(), (k, name)
    near = knot.closest_points(points, max_distance=0.05)
    assert np.array_equal(np.isfinite(near.distance), whole.distance <= 0.05)
    signed = knot.signed_distances(points)
    assert np.array_equal(np.abs(signed), whole.distance)
    # A point whose distance rounds to 0 may lie on either side.
    clear = whole.distance > 0
    assert np.array_equal(signed[clear] < 0, knot.contains_all(points)[clear])


def test_rays_are_answered_in_their_places(knot):
    points = places(knot)
    directions = np.random.default_rng(12).normal(size=(COUNT, 3))
    whole = knot.cast_rays(points, directions)
    assert 0.1 < whole.hit.mean() < 0.99
    for k in range(0, COUNT, 997):
        alone = knot.cast_rays(points[k : k + 1], directions[k : k + 1])
        for name in ("hit", "t", "face", "point", "normal"):
            assert getattr(whole, name)[k].tobytes() == getattr(alone, name)[0].tobytes(), (k, name)
    again = knot.cast_rays(points, directions, threads=1)
    assert again.t.tobytes() == whole.t.tobytes() and again.normal.tobytes() == whole.normal.tobytes()


def test_the_first_bad_item_of_many_is_told(knot):
    points = places(knot)
    points[[30_000, 25_000]] = np.nan
    for call in (knot.closest_points, knot.contains_all, knot.signed_distances):
        with pytest.raises(impinge.Error, match="finite"):
            call(points)
    directions = np.ones((COUNT, 3))
    with pytest.raises(impinge.Error, match="ray 25000"):
        knot.cast_rays(points, directions)
    assert len(knot.cast_rays(np.zeros((0, 3)), [0, 0, 1])) == 0 and len(knot.cast_rays([0, 0, 9], [0, 0, -1])) == 1
