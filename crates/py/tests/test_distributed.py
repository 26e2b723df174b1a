"""A cluster gives the bytes of one process, also when workers die."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

pytest.importorskip("dask.distributed")

import impinge  # noqa: E402
import impinge.distributed as cluster  # noqa: E402


@pytest.fixture(scope="module")
def client():
    from dask.distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True
    ) as local, Client(local) as made:
        yield made


def crowd(count: int) -> impinge.Assembly:
    rng = np.random.default_rng(5)
    meshes = [impinge.Cuboid([0.5, 0.5, 0.5]).to_mesh(), impinge.generate("icosphere", faces=80)]
    side = count ** (1 / 3) * 1.5
    parts = []
    for k in range(count):
        pose = impinge.rotation(rng.normal(size=3), rng.uniform(0, 6), rng.uniform(0, side, 3))
        parts.append((f"part {k}", meshes[k % 2], pose))
    return impinge.Assembly(parts)


def told(clashes):
    return [pickle.dumps(clash.__reduce__()[1]) for clash in clashes]


def test_clashes_are_those_of_one_process(client, tmp_path):
    parts = crowd(150)
    alone = parts.clashes(clearance=0.05)
    calls = []
    spread = cluster.clashes(
        parts, clearance=0.05, client=client, parts_in_cell=20, folder=tmp_path, progress=lambda *n: calls.append(n)
    )
    assert len(alone) > 30 and told(spread) == told(alone)
    cells = len(list(tmp_path.glob("*.pickle")))
    assert cells > 5 and calls[0][0] == 0
    # A second run finds everything done; with one cell missing it does that one.
    next(iter(sorted(tmp_path.glob("*.pickle")))).unlink()
    calls.clear()
    again = cluster.clashes(
        parts, clearance=0.05, client=client, parts_in_cell=20, folder=tmp_path, progress=lambda *n: calls.append(n)
    )
    assert told(again) == told(alone) and calls[0] == (cells - 1, cells)


def test_sweeps_are_those_of_one_process(client):
    knot = impinge.generate("torus-knot", faces=1000)
    poses = np.random.default_rng(0).normal(size=(300, 3)) * 2
    assert np.array_equal(
        cluster.intersects_all(knot, knot, poses, client=client, chunk=64), knot.intersects_all(knot, poses)
    )
    spread = cluster.distance_all(knot, knot, poses, client=client, chunk=64)
    assert spread.point_a.tobytes() == knot.distance_all(knot, poses).point_a.tobytes()
    ball, box = impinge.Ball(1.0), impinge.Cuboid([1, 1, 1])
    ends = -poses
    spread = cluster.impact_all(ball, box, poses, ends, client=client, chunk=64)
    assert spread.time.tobytes() == ball.impact_all(box, poses, ends).time.tobytes()


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_worker_that_is_killed_changes_nothing():
    from dask.distributed import Client, LocalCluster

    parts = crowd(300)
    alone = told(parts.clashes())
    with LocalCluster(
        n_workers=3, threads_per_worker=1, dashboard_address=":0", processes=True
    ) as local, Client(local) as client:
        pids = list(client.run(os.getpid).values())

        def kill() -> None:
            time.sleep(0.1)
            os.kill(pids[0], signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        spread = cluster.clashes(parts, client=client, parts_in_cell=10)
        thread.join()
    assert told(spread) == alone


def test_a_folder_is_packed_and_what_is_broken_is_told(client, tmp_path):
    impinge.Cuboid([1, 1, 1]).to_mesh().save(tmp_path / "cube.ply")
    (tmp_path / "broken.obj").write_text("f 1 2 3\n")
    packed, refused = cluster.pack_folder(tmp_path, count=20, client=client)
    assert list(packed) == ["cube.ply"] and len(packed["cube.ply"]) == 20 and list(refused) == ["broken.obj"]
