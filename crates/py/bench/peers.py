"""Queries through Python beside other packages in one run, overhead included.

``python bench/peers.py [--only mesh|rays|points|overhead] [--quick]``. A peer that is not installed is left out and named. Each
figure is the median of several runs after one that is not counted, on meshes, poses and rays that are the same for all. Answers
that differ from ours are counted; a sample of ours, and answers that differ, are judged by rational numbers over all faces
(``exact.py``).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import platform
from typing import Any, Callable, Iterator, Optional

import exact
import impinge
import numpy as np
from bars import bar, end, median

PACKAGES = {"fcl": "python-fcl", "coal": "coal", "trimesh": "trimesh", "embreex": "embreex", "open3d": "open3d"}

#: Answers that are judged one by one, at most.
JUDGED = 400


def optional(name: str) -> Optional[Any]:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def versions() -> str:
    found = []
    for name, package in PACKAGES.items():
        if optional(name) is None:
            found.append(f"{package} is not installed: left out")
        else:
            found.append(f"{package} {importlib.metadata.version(package)}")
    return ", ".join(found)


def poses(count: int, reach: float) -> np.ndarray:
    rng = np.random.default_rng(7)
    made = [
        impinge.rotation(rng.normal(size=3), rng.uniform(0, 6.28), rng.normal(size=3) * reach)
        for _ in range(count)
    ]
    return np.stack(made)


Row = tuple[str, str, float, Any]


def mesh_against_mesh(mesh: impinge.Mesh, placed: np.ndarray, runs: int) -> Iterator[Row]:
    """Boolean, all contacts, distance, depth, one call for each pose: that is what the peers offer."""
    pair = impinge.Pair(mesh, mesh)
    ours: dict[str, Callable[[np.ndarray], Any]] = {
        "boolean": pair.intersects,
        "all contacts": lambda pose: len(pair.intersections(pose)),
        "distance": lambda pose: pair.distance(pose).distance,  # type: ignore[union-attr]
    }
    for question, ask in ours.items():
        took, answers = median(lambda ask=ask: [ask(pose) for pose in placed], runs)
        yield question, "impinge", took / len(placed), answers
    few = placed[: max(len(placed) // 10, 1)]
    took, deep = median(lambda: [impinge.Pair(mesh, mesh).penetration(pose) for pose in few], 1)
    yield "depth", "impinge", took / len(few), [0.0 if found is None else found.depth for found in deep]
    fcl = optional("fcl")
    if fcl is not None:
        model = fcl.BVHModel()
        model.beginModel(len(mesh.faces), len(mesh.vertices))
        model.addSubModel(np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64))
        model.endModel()
        still = fcl.CollisionObject(model, fcl.Transform())
        moving = [fcl.CollisionObject(model, fcl.Transform(p[:3, :3], p[:3, 3])) for p in placed]

        def collide(most: int) -> list[int]:
            request = fcl.CollisionRequest(num_max_contacts=most, enable_contact=most > 1)
            return [fcl.collide(still, other, request, fcl.CollisionResult()) for other in moving]

        took, hits = median(lambda: [found > 0 for found in collide(1)], runs)
        yield "boolean", "python-fcl", took / len(placed), hits
        took, hits = median(lambda: collide(1_000_000), runs)
        yield "all contacts", "python-fcl", took / len(placed), hits
        request = fcl.DistanceRequest()
        took, far = median(
            lambda: [max(fcl.distance(still, other, request, fcl.DistanceResult()), 0.0) for other in moving], 1
        )
        yield "distance", "python-fcl", took / len(placed), far
    coal = optional("coal")
    if coal is not None:
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(mesh.faces), len(mesh.vertices))
        model.addVertices(np.array(mesh.vertices))
        model.addTriangles(np.array(mesh.faces, dtype=np.int64))
        model.endModel()
        still = coal.Transform3s.Identity()
        moved = [coal.Transform3s(p[:3, :3], p[:3, 3]) for p in placed]

        def meet(most: int) -> list[int]:
            asked = coal.CollisionRequest()
            asked.num_max_contacts, asked.enable_contact = most, most > 1
            return [coal.collide(model, still, model, at, asked, coal.CollisionResult()) for at in moved]

        took, hits = median(lambda: [found > 0 for found in meet(1)], runs)
        yield "boolean", "coal", took / len(placed), hits
        took, hits = median(lambda: meet(1_000_000), runs)
        yield "all contacts", "coal", took / len(placed), hits
        asked = coal.DistanceRequest()
        took, far = median(
            lambda: [max(coal.distance(model, still, model, at, asked, coal.DistanceResult()), 0.0) for at in moved], 1
        )
        yield "distance", "coal", took / len(placed), far


def around(mesh: impinge.Mesh, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rays from a sphere around the mesh into it, and points in a box around it, in no order."""
    rng = np.random.default_rng(3)
    size = float(np.abs(mesh.bounds).max())  # type: ignore[arg-type]
    origins = rng.normal(size=(count, 3))
    origins *= 3 * size / np.linalg.norm(origins, axis=1, keepdims=True)
    directions = rng.uniform(-size, size, (count, 3)) * 0.5 - origins
    return origins, directions, rng.uniform(-1.5 * size, 1.5 * size, (count, 3))


def ours_as_trimesh(mesh: impinge.Mesh) -> Any:
    trimesh = optional("trimesh")
    if trimesh is None:
        return None
    return trimesh.Trimesh(np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64), process=False, use_embree=False)


def open3d_scene(mesh: impinge.Mesh) -> Any:
    open3d = optional("open3d")
    if open3d is None:
        return None
    core = open3d.core
    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(
        core.Tensor(np.array(mesh.vertices, dtype=np.float32)), core.Tensor(np.array(mesh.faces, dtype=np.uint32))
    )
    return scene


def rays(mesh: impinge.Mesh, count: int, runs: int) -> Iterator[Row]:
    origins, directions, _ = around(mesh, count)
    mesh.build_index()
    took, hits = median(lambda: mesh.cast_rays(origins, directions), runs)
    yield "rays", "impinge", took / count, hits.t
    judge_rays(mesh, origins, directions, hits.t)
    theirs = ours_as_trimesh(mesh)
    if theirs is not None:
        few = min(count, 1000)

        def cast() -> np.ndarray:
            found = np.full(few, np.inf)
            places, of, _ = theirs.ray.intersects_location(origins[:few], directions[:few], multiple_hits=False)
            along = np.linalg.norm(places - origins[of], axis=1) / np.linalg.norm(directions[of], axis=1)
            np.minimum.at(found, of, along)
            return found

        took, found = median(cast, 1)
        yield "rays", "trimesh", took / few, found
    if optional("embreex") is not None:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        scene = EmbreeScene()
        TriangleMesh(scene, np.array(mesh.vertices, dtype=np.float32), np.array(mesh.faces, dtype=np.int32))
        o, d = origins.astype(np.float32), directions.astype(np.float32)
        took, found = median(lambda: scene.run(o, d, query="DISTANCE"), runs)
        yield "rays", "embreex (single)", took / count, np.where(found > 1e30, np.inf, found)
    scene = open3d_scene(mesh)
    if scene is not None:
        asked = optional("open3d").core.Tensor(np.hstack([origins, directions]).astype(np.float32))  # type: ignore[union-attr]
        took, found = median(lambda: scene.cast_rays(asked)["t_hit"].numpy(), runs)
        yield "rays", "Open3D (single)", took / count, found


def points(mesh: impinge.Mesh, count: int, runs: int) -> Iterator[Row]:
    _, _, asked = around(mesh, count)
    mesh.build_index()
    took, near = median(lambda: mesh.closest_points(asked), runs)
    yield "closest points", "impinge", took / count, near.distance
    took, inside = median(lambda: mesh.contains_all(asked), runs)
    yield "contains", "impinge", took / count, inside
    judge_points(mesh, asked, near.distance, inside)
    theirs = ours_as_trimesh(mesh)
    if theirs is not None:
        few = min(count, 10_000)
        trimesh = optional("trimesh")
        took, found = median(lambda: trimesh.proximity.closest_point(theirs, asked[:few]), 1)  # type: ignore[union-attr]
        yield "closest points", "trimesh", took / few, found[1]
        took, found = median(lambda: theirs.contains(asked[:few]), 1)
        yield "contains", "trimesh", took / few, found
    scene = open3d_scene(mesh)
    if scene is not None:
        single = optional("open3d").core.Tensor(asked.astype(np.float32))  # type: ignore[union-attr]
        took, found = median(lambda: scene.compute_distance(single).numpy(), runs)
        yield "closest points", "Open3D (single)", took / count, found
        took, found = median(lambda: scene.compute_occupancy(single).numpy() > 0.5, runs)
        yield "contains", "Open3D (single)", took / count, found


def differ(ours: Any, theirs: Any) -> np.ndarray:
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    a = a[: len(b)]
    finite = np.isfinite(a) & np.isfinite(b)
    gap = np.abs(np.subtract(a, b, where=finite, out=np.zeros_like(a)))
    wrong: np.ndarray = (np.isfinite(a) != np.isfinite(b)) | (gap > 1e-4 * (1 + np.abs(np.where(finite, b, 0))))
    return wrong


def triangles(mesh: impinge.Mesh) -> np.ndarray:
    return np.asarray(mesh.vertices)[np.asarray(mesh.faces, dtype=np.int64)]


def judge_rays(mesh: impinge.Mesh, origins: np.ndarray, directions: np.ndarray, ours: np.ndarray) -> None:
    faces, few = triangles(mesh), min(JUDGED, len(ours))
    truth = np.array([exact.first_hit(faces, origins[k], directions[k]) for k in range(few)])
    # Rays through a corner and through an edge of a closed surface cannot slip through it.
    corners = np.asarray(mesh.vertices)[:: max(len(mesh.vertices) // 20_000, 1)]
    start = np.array([9.0, 5.0, 7.0]) * np.abs(mesh.bounds).max()  # type: ignore[arg-type]
    slipped = int((~mesh.cast_rays(np.broadcast_to(start, corners.shape), corners - start).hit).sum())
    # The direction to a corner is rounded, so that a ray may pass beside a corner of the outline.
    outline = [k for k in np.flatnonzero(~mesh.cast_rays(np.broadcast_to(start, corners.shape), corners - start).hit)]
    lost = sum(np.isfinite(exact.first_hit(faces, start, corners[k] - start)) for k in outline)
    wrong = int((~np.isclose(truth, ours[:few], rtol=1e-9, atol=0)).sum())
    print(f"judged by rational numbers over all faces: {wrong} of {few} rays wrong; of {len(corners)} rays aimed at corners "
          f"{slipped} miss, {lost} of these wrongly")
    bar("rays: 0 wrong", f"{wrong + lost} of {few + len(corners)}", wrong + lost == 0)


def judge_points(mesh: impinge.Mesh, asked: np.ndarray, distance: np.ndarray, inside: np.ndarray) -> None:
    faces, few = triangles(mesh), min(JUDGED, len(asked))
    near = np.array([exact.distance(faces, asked[k]) for k in range(few)])
    within = np.array([exact.winds(faces, asked[k]) > 0.5 for k in range(few)])
    wrong = int((~np.isclose(near, distance[:few], rtol=1e-9, atol=1e-12)).sum())
    lost = int((within != inside[:few]).sum())
    print(f"judged over all faces: {wrong} of {few} distances and {lost} of {few} containments wrong, {within.sum()} inside")
    bar("closest points and contains: 0 wrong", f"{wrong + lost} of {2 * few}", wrong + lost == 0)


def overhead(mesh: impinge.Mesh, runs: int) -> None:
    """A call that asks almost nothing takes no longer than its overhead over Rust."""
    pair, pose = impinge.Pair(impinge.Ball(1.0), impinge.Ball(1.0)), np.eye(4)
    for what, ask in (("intersects", pair.intersects), ("distance", pair.distance), ("penetration", pair.penetration)):
        took, _ = median(lambda ask=ask: [ask(pose) for _ in range(10_000)], runs)
        print(f"one warm call of two balls, {what}: {took / 10_000 * 1e9:.0f} ns, Rust's part included")
        if what == "intersects":
            bar("one warm call costs at most 1 µs over Rust", f"{took / 10_000 * 1e6:.3f} µs in all", took / 10_000 <= 1e-6)


#: How many times faster than the fastest peer. Single precision is compared with Open3D's for rays only.
ASKED = {"boolean": 5.0, "all contacts": 5.0, "distance": 5.0, "closest points": 2.0, "contains": 2.0}


def judge_times(rows: list[dict[str, Any]]) -> None:
    for question in dict.fromkeys(row["question"] for row in rows):
        ours = [row["seconds"] for row in rows if row["question"] == question and row["who"] == "impinge"][0]
        peers = [(row["seconds"], row["who"]) for row in rows if row["question"] == question and row["who"] != "impinge"]
        if question == "depth":
            print(f"depth: {ours * 1e3:.3f} ms; no peer has it for meshes")
            continue
        doubles = [peer for peer in peers if "single" not in peer[1]]
        if question == "rays":
            open3d = [peer for peer in peers if "Open3D" in peer[1]]
            say(ours, doubles, 2.0, "rays: 2 times as fast as the fastest peer in double precision")
            say(ours, open3d, 0.7, "rays: 0.7 times as fast as Open3D in single precision")
        else:
            say(ours, peers, ASKED[question], f"{question}: {ASKED[question]:g} times as fast as the fastest peer")


def say(ours: float, peers: list[tuple[float, str]], asked: float, claim: str) -> None:
    if not peers:
        bar(claim, "no peer is installed", None)
        return
    theirs, who = min(peers)
    bar(claim, f"{theirs / ours:.2f} times {who}", theirs / ours >= asked)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: only that it runs")
    parser.add_argument("--only", choices=("mesh", "rays", "points", "overhead"), help="one part")
    parser.add_argument("--poses", type=int, help="poses of mesh against mesh [default: 200]")
    parser.add_argument("--runs", type=int, help="runs of which the median is taken [default: 5]")
    options = parser.parse_args()
    faces, count, placed, runs = (2_000, 2_000, 20, 1) if options.quick else (80_000, 1_000_000, 200, 5)
    runs = options.runs or runs
    mesh = impinge.generate("torus-knot", faces=faces)
    print(f"impinge {impinge.__version__}, {impinge.threads()} threads, {platform.machine()}, Python "
          f"{platform.python_version()}, NumPy {np.__version__}, {len(mesh.faces)} faces")
    print(versions(), flush=True)
    size = float(np.abs(mesh.bounds).max())  # type: ignore[arg-type]
    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "mesh": lambda: mesh_against_mesh(mesh, poses(options.poses or placed, size), runs),
        "rays": lambda: rays(mesh, count, runs),
        "points": lambda: points(mesh, count, runs),
    }
    ours: dict[str, Any] = {}
    rows = []
    for name, part in parts.items():
        if options.only not in (None, name):
            continue
        for question, who, took, answer in part():
            if who == "impinge":
                note, ours[question] = "", answer
            else:
                wrong = differ(ours[question], answer)
                # Peers that report more than one contact for two faces that meet are compared by whether there is any.
                if question == "all contacts":
                    wrong = (np.asarray(ours[question]) > 0) != (np.asarray(answer) > 0)
                note = f"{int(wrong.sum())} of {len(wrong)} answers differ from ours"
            rows.append({"question": question, "who": who, "seconds": took})
            print(f"{question:16} {who:18} {took * 1e6:12.3f} µs  {note}", flush=True)
    judge_times(rows)
    if options.only in (None, "overhead"):
        overhead(mesh, runs)
    end()


if __name__ == "__main__":
    main()
