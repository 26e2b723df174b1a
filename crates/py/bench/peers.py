"""Questions through Python beside other packages, overhead included; answers are compared with ours.

Run ``python bench/peers.py --quick`` to see that it works, without ``--quick`` for figures. A peer that is not installed is left out and named.
Each figure is the median of several runs after one that is not counted, on meshes and rays that are the same for all.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import statistics
import time
from typing import Any, Callable, Iterator, Optional

import impinge
import numpy as np


def optional(name: str) -> Optional[Any]:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def median(call: Callable[[], Any], runs: int) -> tuple[float, Any]:
    answer = call()
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return statistics.median(times), answer


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
        "contacts": lambda pose: len(pair.intersections(pose)),
        "distance": lambda pose: pair.distance(pose).distance,  # type: ignore[union-attr]
    }
    for question, ask in ours.items():
        took, answers = median(lambda ask=ask: [ask(pose) for pose in placed], runs)
        yield question, "impinge", took / len(placed), answers
    took, deep = median(lambda: mesh.penetration_all(mesh, placed[:20]).depth.tolist(), 1)
    yield "depth", "impinge", took / 20, deep
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
        yield "contacts", "python-fcl", took / len(placed), hits
        request = fcl.DistanceRequest()
        took, far = median(
            lambda: [fcl.distance(still, other, request, fcl.DistanceResult()) for other in moving], 1
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
        request = coal.CollisionRequest()
        took, hits = median(
            lambda: [coal.collide(model, still, model, at, request, coal.CollisionResult()) > 0 for at in moved], runs
        )
        yield "boolean", "coal", took / len(placed), hits
        asked = coal.DistanceRequest()
        took, far = median(
            lambda: [coal.distance(model, still, model, at, asked, coal.DistanceResult()) for at in moved], 1
        )
        yield "distance", "coal", took / len(placed), far


def rays_and_points(mesh: impinge.Mesh, count: int, runs: int) -> Iterator[Row]:
    rng = np.random.default_rng(3)
    size = float(np.abs(mesh.bounds).max())  # type: ignore[arg-type]
    origins = rng.normal(size=(count, 3))
    origins *= 3 * size / np.linalg.norm(origins, axis=1, keepdims=True)
    directions = rng.uniform(-size, size, (count, 3)) * 0.5 - origins
    points = rng.uniform(-1.5 * size, 1.5 * size, (count, 3))
    mesh.build_index()
    took, hits = median(lambda: mesh.cast_rays(origins, directions), runs)
    yield "rays", "impinge", took / count, hits.t
    took, near = median(lambda: mesh.closest_points(points), runs)
    yield "closest points", "impinge", took / count, near.distance
    took, inside = median(lambda: mesh.contains_all(points), runs)
    yield "contains", "impinge", took / count, inside
    vertices, faces = np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64)
    trimesh = optional("trimesh")
    if trimesh is not None:
        few = min(count, 10_000)
        theirs = trimesh.Trimesh(vertices, faces, process=False, use_embree=False)
        took, found = median(lambda: trimesh.proximity.closest_point(theirs, points[:few]), 1)
        yield "closest points", "trimesh", took / few, found[1]
        took, found = median(lambda: theirs.contains(points[:few]), 1)
        yield "contains", "trimesh", took / few, found
    if optional("embreex") is not None:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        scene = EmbreeScene()
        TriangleMesh(scene, vertices.astype(np.float32), faces.astype(np.int32))
        o, d = origins.astype(np.float32), directions.astype(np.float32)
        took, found = median(lambda: scene.run(o, d, query="DISTANCE"), runs)
        yield "rays", "embreex (single)", took / count, np.where(found > 1e30, np.inf, found)
    open3d = optional("open3d")
    if open3d is not None:
        core = open3d.core
        scene = open3d.t.geometry.RaycastingScene()
        scene.add_triangles(
            core.Tensor(vertices.astype(np.float32)), core.Tensor(faces.astype(np.uint32))
        )
        rays = core.Tensor(np.hstack([origins, directions]).astype(np.float32))
        asked = core.Tensor(points.astype(np.float32))
        took, found = median(lambda: scene.cast_rays(rays)["t_hit"].numpy(), runs)
        yield "rays", "Open3D (single)", took / count, found
        took, found = median(lambda: scene.compute_distance(asked).numpy(), runs)
        yield "closest points", "Open3D (single)", took / count, found
        took, found = median(lambda: scene.compute_occupancy(asked).numpy() > 0.5, runs)
        yield "contains", "Open3D (single)", took / count, found


def disagreement(ours: Any, theirs: Any) -> str:
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    a = a[: len(b)]
    finite = np.isfinite(a) & np.isfinite(b)
    wrong = (np.isfinite(a) != np.isfinite(b)) | (finite & (np.abs(np.where(finite, np.subtract(a, b, where=finite, out=np.zeros_like(a)), 0)) > 1e-3 * (1 + np.abs(b))))
    return f"{int(wrong.sum())} of {len(b)} differ"


def overhead(runs: int) -> float:
    """Nanoseconds of a call that asks almost nothing."""
    pair, pose = impinge.Pair(impinge.Ball(1.0), impinge.Ball(1.0)), np.eye(4)
    took, _ = median(lambda: [pair.intersects(pose) for _ in range(1000)], runs)
    return took / 1000 * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: only that it runs")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    faces, count, placed, runs = (2_000, 2_000, 20, 1) if options.quick else (80_000, 1_000_000, 200, 5)
    mesh = impinge.generate("torus-knot", faces=faces)
    print(f"impinge {impinge.__version__}, {impinge.threads()} threads, {platform.machine()}, {len(mesh.faces)} faces")
    for name in ("fcl", "coal", "trimesh", "embreex", "open3d"):
        if optional(name) is None:
            print(f"{name} is not installed: left out")
    ours: dict[str, Any] = {}
    rows = []
    size = float(np.abs(mesh.bounds).max())  # type: ignore[arg-type]
    for question, who, took, answer in [
        *mesh_against_mesh(mesh, poses(placed, size), runs),
        *rays_and_points(mesh, count, runs),
    ]:
        note = "" if who == "impinge" else disagreement(ours[question], answer)
        if who == "impinge":
            ours[question] = answer
        rows.append({"question": question, "who": who, "seconds": took, "note": note})
        print(f"{question:16} {who:18} {took * 1e6:12.3f} µs  {note}")
    print(f"one call that asks almost nothing: {overhead(runs):.0f} ns")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
