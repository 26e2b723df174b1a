"""Random calls end with an answer or an error, and memory stays flat. ``IMPINGE_CALLS`` and ``IMPINGE_BUILDS`` say how many."""

from __future__ import annotations

import os
import sys
import threading
import time

import impinge
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from impinge import dynamics

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])

#: The long run has 100 000 of each.
CALLS = int(os.environ.get("IMPINGE_CALLS", "6000"))
BUILDS = int(os.environ.get("IMPINGE_BUILDS", "3000"))

anything = hnp.arrays(
    dtype=st.sampled_from([np.float64, np.float32, np.int64, np.uint8, np.bool_]),
    shape=hnp.array_shapes(min_dims=0, max_dims=3, max_side=5),
)
three = st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=3, max_size=3)
number = st.floats(allow_nan=True, allow_infinity=True)
#: Meshes that are often valid: few corners, faces among them.
nearly = st.tuples(
    hnp.arrays(np.float64, (6, 3), elements=st.floats(-2, 2)),
    hnp.arrays(np.int64, st.tuples(st.integers(0, 8), st.just(3)), elements=st.integers(0, 6)),
)
CUBE = impinge.Cuboid([1, 1, 1]).to_mesh()
BALL = impinge.Ball(1.0)
TREE = impinge.SphereTree([[0, 0, 0], [1, 0, 0]], [0.6, 0.5])
LAWS = [
    dynamics.ExactVolumeLaw(CUBE, CUBE, pressure=1.0),
    dynamics.ConeLaw(TREE, TREE, stiffness=1.0),
    dynamics.DepthLaw(CUBE, CUBE, stiffness=1.0),
    dynamics.VoxmapLaw(CUBE, CUBE, stiffness=1.0, resolution=8),
]


def calls_about(mesh, other, pose, point, radius, array):
    return (
        lambda: mesh.intersects(other, pose, solid=True),
        lambda: mesh.intersects(other, pose),
        lambda: mesh.distance(BALL, pose, max_distance=radius),
        lambda: mesh.distance(other, pose),
        lambda: mesh.penetration(other, pose),
        lambda: mesh.volume(other, pose),
        lambda: mesh.contacts(BALL, pose, margin=radius),
        lambda: mesh.impact(other, pose, point),
        lambda: mesh.cast_ray(point, [1, 0, 0]),
        lambda: mesh.cast_segment(point, [0, 0, 0]),
        lambda: mesh.cast_ball(radius, point, [0, 0, 0]),
        lambda: mesh.closest_point(point),
        lambda: mesh.contains(point),
        lambda: mesh.cast_rays(array, array),
        lambda: mesh.closest_points(array),
        lambda: mesh.intersects_all(other, array),
        lambda: mesh.winding_numbers(array),
        lambda: mesh.findings(),
        lambda: mesh.self_intersections(),
        lambda: mesh.welded(radius),
        lambda: mesh.placed(pose),
        lambda: impinge.Ball(radius),
        lambda: impinge.Cuboid(point),
        lambda: impinge.Polyhedron(array),
        lambda: impinge.Particles(array, radius),
        lambda: impinge.Cloud(array),
        lambda: impinge.SphereTree(array, point),
        lambda: impinge.Assembly([("a", mesh, pose), ("b", other)]).clashes(clearance=radius),
        lambda: [law.at(pose) for law in LAWS],
        lambda: LAWS[0].at_all(array),
        lambda: impinge.nearest_pose(array),
    )


def test_random_calls_end_with_an_answer_or_an_error():
    counted = {"calls": 0, "answers": 0}

    @settings(max_examples=-(-CALLS // 31), deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(
        mesh=st.one_of(st.tuples(anything, anything), nearly),
        pose=st.one_of(anything, three, st.none()),
        point=three,
        radius=number,
        array=st.one_of(anything, hnp.arrays(np.float64, (4, 3), elements=st.floats(-9, 9))),
    )
    def run(mesh, pose, point, radius, array):
        try:
            made = impinge.Mesh(*mesh)
        except impinge.Error:
            made = CUBE
        for call in calls_about(made, CUBE, pose, point, radius, array):
            counted["calls"] += 1
            try:
                call()
            except (impinge.Error, TypeError):
                # A pose that is none where one is needed is a wrong type; a panic would be another exception.
                continue
            counted["answers"] += 1

    run()
    print(f"{counted['calls']} calls, {counted['answers']} answers")
    assert counted["calls"] >= CALLS and 0.05 * counted["calls"] < counted["answers"] < counted["calls"]


def resident() -> int:
    """Bytes of memory that the process holds now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_stays_flat_over_many_builds():
    def build(count: int) -> None:
        for _ in range(count):
            mesh = impinge.Mesh(CORNERS, FACES)
            mesh.intersects(mesh, [0.1, 0.2, 0.3])
            assert mesh.vertices.shape == (4, 3)
            impinge.Pair(mesh, mesh).distance([5, 0, 0])
            mesh.volume(mesh, [0.1, 0.1, 0.1])
            dynamics.DepthLaw(mesh, mesh, stiffness=1.0).at([0.1, 0.1, 0.1])
            mesh.cast_rays(CORNERS, [0, 0, 1])
            with pytest.raises(impinge.Error):
                impinge.Mesh(CORNERS, FACES + 1)

    build(500)
    before = resident()
    build(BUILDS)
    grown = resident() - before
    print(f"{BUILDS} builds: {grown / 1024:.0f} KiB more")
    assert grown < 8 << 20, f"grew by {grown} bytes"


def test_an_array_that_changes_during_a_batch_changes_no_answer():
    knot = impinge.generate("torus-knot", faces=4000)
    rng = np.random.default_rng(3)
    kept = {"poses": 2 * rng.normal(size=(2000, 3)), "points": 2 * rng.normal(size=(20_000, 3))}
    calls = (
        ("poses", lambda array: knot.intersects_all(knot, array)),
        ("poses", lambda array: knot.distance_all(knot, array).distance),
        ("points", lambda array: knot.cast_rays(array, [0, 0, 1]).t),
        ("points", lambda array: knot.contains_all(array)),
        ("points", lambda array: knot.closest_points(array).distance),
    )
    for name, call in calls:
        truth = call(kept[name])
        given = kept[name].copy()
        began = threading.Event()
        stop = threading.Event()

        def spoil(array=given, began=began, stop=stop) -> None:
            # The call holds the interpreter until it has copied; this thread runs once it has let go, or before it began.
            began.wait()
            while not stop.is_set():
                array[:] = 0.25
                time.sleep(0)

        thread = threading.Thread(target=spoil)
        thread.start()
        switch = sys.getswitchinterval()
        # No other thread takes the interpreter between the signal and the copy unless the call lets it go.
        sys.setswitchinterval(60.0)
        try:
            began.set()
            found = call(given)
            changed = bool((given == 0.25).all())
        finally:
            sys.setswitchinterval(switch)
            stop.set()
            thread.join()
        assert np.array_equal(found, truth), name
        assert changed, "the array changes while the call runs"
