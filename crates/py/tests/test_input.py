"""Bad input gets a clear exception, and arrays that change change nothing."""

from __future__ import annotations

import threading
import time

import impinge
import numpy as np
import pytest

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@pytest.mark.parametrize(
    "vertices, faces, message",
    [
        (CORNERS[:, :2], FACES, r"vertices: expected an array of shape \(n, 3\), found \(4, 2\)"),
        (CORNERS.ravel(), FACES, r"vertices: expected an array of shape \(n, 3\)"),
        (CORNERS, FACES[:, :2], r"faces: expected an array of shape \(m, 3\), found \(4, 2\)"),
        (CORNERS, FACES + 0.5, "faces: expected whole numbers, found float64"),
        (CORNERS, FACES - 1, "faces: -1 is not the number of a vertex"),
        (CORNERS, FACES + 2**40, "is not the number of a vertex"),
        (CORNERS, (FACES + 2**40).astype(np.uint64), "is too large"),
        (CORNERS, FACES + 1, "vertex"),
        (CORNERS * np.nan, FACES, "finite"),
        (CORNERS + 1e300, FACES, "largest|magnitude|exceeds|finite"),
        (CORNERS.astype(complex), FACES, "vertices: expected real numbers, found complex128"),
        (CORNERS.astype(str), FACES, "vertices: expected real numbers"),
        ([[1, 2, 3], [4, 5]], FACES, "vertices: not an array"),
        (None, FACES, "vertices: expected real numbers"),
    ],
)
def test_bad_meshes_are_refused(vertices, faces, message):
    with pytest.raises(impinge.Error, match=message):
        impinge.Mesh(vertices, faces)


def test_good_arrays_of_every_kind_are_taken():
    truth = impinge.Mesh(CORNERS, FACES).vertices
    locked = CORNERS.copy()
    locked.flags.writeable = False
    wide = np.zeros((4, 6))
    wide[:, ::2] = CORNERS
    for vertices in (CORNERS.astype(np.float32), CORNERS.astype(int), CORNERS.tolist(), locked, wide[:, ::2]):
        assert np.array_equal(impinge.Mesh(vertices, FACES).vertices, truth)
    swapped = np.asfortranarray(CORNERS)
    assert np.array_equal(impinge.Mesh(swapped, np.asfortranarray(FACES)).vertices, truth)
    big_endian = CORNERS.astype(">f8")
    assert np.array_equal(impinge.Mesh(big_endian, FACES.astype(np.uint8)).vertices, truth)


def test_empty_arrays_make_an_empty_mesh():
    empty = impinge.Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
    assert empty.bounds is None and empty.distance(empty) is None and not empty.intersects(empty)
    assert len(empty.cast_rays(np.zeros((0, 3)), np.zeros((0, 3)))) == 0
    assert impinge.Ball(1.0).intersects_all(impinge.Ball(1.0), np.zeros((0, 4, 4))).shape == (0,)


@pytest.mark.parametrize(
    "pose, message",
    [
        (np.eye(3), r"pose: expected an array of shape \(4, 4\) or \(3,\), found \(3, 3\)"),
        (np.diag([1.0, 1, 2, 1]), "not a rotation.*impinge.nearest_pose"),
        (np.diag([1.0, 1, -1, 1]), "mirrors"),
        (np.full((4, 4), np.nan), "not finite|last row"),
        (np.ones((4, 4)), "last row"),
        ([np.inf, 0, 0], "not finite|largest"),
        ("none", "expected real numbers"),
    ],
)
def test_bad_poses_are_refused(pose, message):
    ball = impinge.Ball(1.0)
    with pytest.raises(impinge.Error, match=message):
        ball.intersects(ball, pose)
    with pytest.raises(impinge.Error):
        ball.intersects_all(ball, [pose])


def test_which_pose_of_many_is_bad_is_told():
    poses = np.tile(np.eye(4), (5, 1, 1))
    poses[3, 0, 0] = 2.0
    with pytest.raises(impinge.Error, match=r"poses\[3\]"):
        impinge.Ball(1.0).intersects_all(impinge.Ball(1.0), poses)


def test_bad_rays_points_and_options_are_refused():
    cube = impinge.Cuboid([1, 1, 1]).to_mesh()
    for call in (
        lambda: cube.cast_ray([0, 0, 0], [0, 0, 0]),
        lambda: cube.cast_rays(np.zeros((3, 3)), np.zeros((3, 3))),
        lambda: cube.cast_rays(np.zeros((3, 3)), np.ones((2, 3))),
        lambda: cube.closest_points([[0, 0, np.nan]]),
        lambda: cube.contains([0, 0]),
        lambda: cube.distance(cube, max_distance=-1.0),
        lambda: cube.contacts(cube, margin=np.nan),
        lambda: cube.intersects_all(cube, [[0, 0, 0]], threads=0),
        lambda: cube.impact(cube, [0, 0, 0], [0, 0, 0], motion="zigzag"),
        lambda: cube.welded(-1.0),
        lambda: impinge.Ball(np.nan),
        lambda: impinge.Cuboid([1, 0, 1]),
        lambda: impinge.Polyhedron(np.zeros((0, 3))),
        lambda: impinge.World(events=["noise"]),
        lambda: impinge.Assembly([("a", 5)]),
        lambda: impinge.pack(cube, fill=2.0),
        lambda: impinge.Assembly([]).clashes(clearance=-1.0),
        lambda: impinge.Mesh.open("nothing.obj"),
    ):
        with pytest.raises(impinge.Error):
            call()


def test_options_are_keywords():
    ball = impinge.Ball(1.0)
    with pytest.raises(TypeError):
        ball.distance(ball, None, 1.0)  # type: ignore[misc]


def test_a_change_of_the_array_changes_no_mesh():
    vertices = CORNERS.copy()
    mesh = impinge.Mesh(vertices, FACES)
    vertices[:] = np.nan
    assert np.array_equal(mesh.vertices, CORNERS)


def test_other_threads_run_meanwhile():
    knot = impinge.generate("torus-knot", faces=20_000)
    poses = np.random.default_rng(0).normal(size=(400, 3))
    counted = [0]
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    knot.distance_all(knot, poses)
    took = time.monotonic() - began
    stop.set()
    thread.join()
    assert counted[0] > 10 * min(took, 1.0)


def test_progress_is_told_and_its_exceptions_pass():
    knot = impinge.generate("torus-knot", faces=2000)
    poses = np.random.default_rng(0).normal(size=(500, 3))
    told = []
    knot.distance_all(knot, poses, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (500, 500) and told == sorted(told)
    knot.distance_all(knot, poses[:5], progress=True)

    def broken(done: int, total: int) -> None:
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        knot.distance_all(knot, poses, progress=broken)
