"""Clashes and pose sweeps on a cluster, by Dask: ``pip install impinge[dask]``.

Work is cut into tasks of about a second; meshes go to each worker once, as built indexes. Results are merged by
key, so that they equal those of a single process, byte for byte, whichever worker did what and however often one died. With a folder,
finished tasks are kept there, and a run that was stopped goes on where it ended.

Without an address a local cluster is used; any scheduler of Dask is named by its address or given as a client.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Sequence, Union

import numpy as np

from . import _impinge as native

__all__ = ["clashes", "intersects_all", "distance_all", "impact_all", "pack_folder"]

#: Tasks that are on their way at one time, per worker: bounds the memory of the scheduler and of the caller.
IN_FLIGHT = 4

#: How often a task is tried when workers die.
TRIES = 6


@contextmanager
def _client(address: Union[None, str, Any], workers: Optional[int]) -> Iterator[Any]:
    """The given client, one for an address, or one of a local cluster that ends with the call."""
    from dask.distributed import Client, LocalCluster

    if isinstance(address, Client):
        yield address
        return
    if address is not None:
        with Client(address) as client:
            yield client
        return
    count = workers or os.cpu_count() or 1
    with LocalCluster(
        n_workers=count, threads_per_worker=1, dashboard_address=":0", processes=True
    ) as cluster, Client(cluster) as client:
        yield client


def _kept(folder: Optional[Path], key: str) -> Optional[Any]:
    if folder is None:
        return None
    path = folder / f"{key}.pickle"
    if not path.is_file():
        return None
    try:
        return pickle.loads(path.read_bytes())
    except (pickle.UnpicklingError, EOFError):
        return None  # half a file, from a run that was killed while writing


def _keep(folder: Optional[Path], key: str, value: Any) -> None:
    if folder is None:
        return
    part = folder / f"{key}.{os.getpid()}.part"
    part.write_bytes(pickle.dumps(value))
    part.replace(folder / f"{key}.pickle")


def _ship(client: Any, shared: Any) -> Any:
    """What tasks share, as a task of its own: a worker that needs it fetches it once, and if every worker that held it has died, the
    scheduler makes it again. Data that is scattered would be lost, and scattering waits for a worker that died meanwhile."""
    with warnings.catch_warnings():
        # The scheduler holds the bytes on purpose.
        warnings.simplefilter("ignore", UserWarning)
        return client.submit(pickle.loads, pickle.dumps(shared), pure=False, retries=TRIES)


def _run(
    client: Any,
    task: Callable[..., Any],
    jobs: Sequence[tuple[str, tuple[Any, ...]]],
    shared: Any,
    folder: Optional[Path],
    progress: Optional[Callable[[int, int], object]] = None,
) -> dict[str, Any]:
    """Runs ``task(shared, *arguments)`` for every job that is not in the folder, with bounded work in flight."""
    from concurrent.futures import CancelledError

    from dask.distributed import KilledWorker, as_completed

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    done: dict[str, Any] = {}
    waiting = []
    for key, arguments in jobs:
        known = _kept(folder, key)
        if known is None:
            waiting.append((key, arguments))
        else:
            done[key] = known[0]
    if progress is not None:
        progress(len(done), len(jobs))
    if not waiting:
        return done
    data = _ship(client, shared)
    rest = iter(waiting)
    names: dict[Any, tuple[str, tuple[Any, ...]]] = {}
    tries: dict[str, int] = {}

    def submit(job: Optional[tuple[str, tuple[Any, ...]]]) -> Any:
        if job is None:
            return None
        future = client.submit(task, data, *job[1], pure=False, retries=3)
        names[future.key] = job
        return future

    width = IN_FLIGHT * max(len(client.scheduler_info()["workers"]), 1)
    first = [submit(next(rest, None)) for _ in range(width)]
    running = as_completed([future for future in first if future is not None])
    for future in running:
        job = names.pop(future.key)
        key = job[0]
        try:
            done[key] = future.result()
        except (CancelledError, OSError, KilledWorker):
            # Too many workers died under this task, or what it shares was lost.
            tries[key] = tries.get(key, 0) + 1
            if tries[key] > TRIES:
                raise
            data = _ship(client, shared)
            running.add(submit(job))
            continue
        _keep(folder, key, (done[key],))
        future.release()
        following = submit(next(rest, None))
        if following is not None:
            running.add(following)
        if progress is not None:
            progress(len(done), len(jobs))
    return done


def _fingerprint(*things: Any) -> str:
    digest = hashlib.sha256()
    for thing in things:
        digest.update(thing if isinstance(thing, bytes) else repr(thing).encode())
    return digest.hexdigest()[:16]


def _mesh_bytes(mesh: native.Mesh) -> bytes:
    return np.ascontiguousarray(mesh.vertices).tobytes() + np.ascontiguousarray(mesh.faces).tobytes()


# ---- poses ----------------------------------------------------------------------------------------------------------------


def _poses_task(shared: tuple[native.Shape, native.Shape], what: str, arrays: Any, options: Any) -> Any:
    a, b = shared
    return getattr(a, what)(b, *arrays, threads=1, **options)


def _sweep(
    what: str,
    a: native.Shape,
    b: native.Shape,
    arrays: Sequence[Any],
    options: dict[str, Any],
    client: Any,
    workers: Optional[int],
    folder: Union[None, str, Path],
    chunk: int,
    progress: Optional[Callable[[int, int], object]],
) -> list[Any]:
    # Runs of poses share a cache: a chunk must be a whole number of runs for the same bytes.
    chunk = max(32, (chunk + 31) // 32 * 32)
    arrays = [np.array(array, dtype=np.float64) for array in arrays]
    count = len(arrays[0])
    for shape in (a, b):
        if isinstance(shape, native.Mesh):
            shape.build_index()
    stamp = _fingerprint(what, options, chunk, *(array.tobytes() for array in arrays), pickle.dumps((a, b)))
    jobs = []
    for start in range(0, count, chunk):
        part = [array[start : start + chunk] for array in arrays]
        jobs.append((f"{stamp}-{start:012d}", (what, part, options)))
    where = None if folder is None else Path(folder)
    with _client(client, workers) as held:
        done = _run(held, _poses_task, jobs, (a, b), where, progress)
    return [done[key] for key, _ in jobs]


def _joined(kind: Any, parts: list[Any], fields: Sequence[str]) -> Any:
    return kind(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))


def intersects_all(
    a: native.Shape,
    b: native.Shape,
    poses: Any,
    *,
    solid: bool = False,
    client: Any = None,
    workers: Optional[int] = None,
    folder: Union[None, str, Path] = None,
    chunk: int = 4096,
    progress: Optional[Callable[[int, int], object]] = None,
) -> np.ndarray:
    """``a.intersects_all(b, poses)`` on a cluster: the same bytes."""
    parts = _sweep("intersects_all", a, b, [poses], {"solid": solid}, client, workers, folder, chunk, progress)
    return np.concatenate(parts) if parts else np.zeros(0, dtype=bool)


def distance_all(
    a: native.Shape,
    b: native.Shape,
    poses: Any,
    *,
    client: Any = None,
    workers: Optional[int] = None,
    folder: Union[None, str, Path] = None,
    chunk: int = 4096,
    progress: Optional[Callable[[int, int], object]] = None,
) -> native.Distances:
    """``a.distance_all(b, poses)`` on a cluster: the same bytes."""
    parts = _sweep("distance_all", a, b, [poses], {}, client, workers, folder, chunk, progress)
    if not parts:
        return a.distance_all(b, np.zeros((0, 3)))
    fields = ("distance", "lower", "upper", "point_a", "point_b")
    joined: native.Distances = _joined(native.Distances, parts, fields)
    return joined


def impact_all(
    a: native.Shape,
    b: native.Shape,
    starts: Any,
    ends: Any,
    *,
    motion: str = "straight",
    client: Any = None,
    workers: Optional[int] = None,
    folder: Union[None, str, Path] = None,
    chunk: int = 256,
    progress: Optional[Callable[[int, int], object]] = None,
) -> native.Impacts:
    """``a.impact_all(b, starts, ends)`` on a cluster: motions of a plan, validated."""
    options = {"motion": motion}
    parts = _sweep("impact_all", a, b, [starts, ends], options, client, workers, folder, chunk, progress)
    if not parts:
        return a.impact_all(b, np.zeros((0, 3)), np.zeros((0, 3)))
    joined: native.Impacts = _joined(native.Impacts, parts, ("time", "lower", "upper", "point", "normal"))
    return joined


# ---- clashes --------------------------------------------------------------------------------------------------------------


def _boxes(meshes: Sequence[native.Mesh], poses: np.ndarray) -> np.ndarray:
    """Boxes of placed parts, a little larger than they are."""
    local: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    boxes = np.empty((len(meshes), 2, 3))
    for k, mesh in enumerate(meshes):
        if id(mesh) not in local:
            bounds = mesh.bounds
            if bounds is None:
                bounds = np.array([[np.inf] * 3, [-np.inf] * 3])
            local[id(mesh)] = (bounds.mean(axis=0), np.ptp(bounds, axis=0) / 2.0)
        center, half = local[id(mesh)]
        middle = poses[k, :3, :3] @ center + poses[k, :3, 3]
        reach = np.abs(poses[k, :3, :3]) @ half
        reach = reach + 1e-9 * (np.abs(middle) + reach)
        boxes[k] = middle - reach, middle + reach
    return boxes


def _cells(boxes: np.ndarray, clearance: float, parts_in_cell: int) -> Iterator[np.ndarray]:
    """Sets of parts such that every near pair is together in one: space is halved until few parts are in a cell."""
    grown = boxes + np.array([-clearance, clearance])[:, None]
    stack = [np.flatnonzero(np.isfinite(boxes).all(axis=(1, 2)))]
    while stack:
        inside = stack.pop()
        if len(inside) <= 1:
            continue
        here = grown[inside]
        middles = here.mean(axis=1)
        axis = int(np.argmax(np.ptp(middles, axis=0)))
        cut = float(np.median(middles[:, axis]))
        left = inside[here[:, 0, axis] <= cut]
        right = inside[here[:, 1, axis] >= cut]
        # A cut through most parts separates nothing.
        if len(inside) <= parts_in_cell or max(len(left), len(right)) > 0.9 * len(inside):
            yield inside
        else:
            stack += [right, left]


def _clash_task(shared: Any, inside: np.ndarray, options: dict[str, Any]) -> Any:
    names, meshes, mesh_of, poses = shared
    parts = [(names[k], meshes[mesh_of[k]], poses[k]) for k in inside]
    found = native.Assembly(parts).clashes(threads=1, **options)
    return [_renumbered(clash, inside) for clash in found]


def _renumbered(clash: native.Clash, inside: np.ndarray) -> tuple[Any, ...]:
    kind, values = clash.__reduce__()[:2]  # type: ignore[misc]
    return (int(inside[clash.a]), int(inside[clash.b]), *values[2:])


#: The order of the gravest first, as the library has it.
_CLASS = {"duplicate": 0, "crossing": 1, "contained": 1, "touching": 2, "clearance": 3}


def _rank(clash: native.Clash) -> tuple[Any, ...]:
    grave = _CLASS[clash.kind]
    depth = 0.0 if grave != 1 else (-1.0 if clash.depth is None else clash.depth[0])
    return grave, -depth, clash.distance, clash.a, clash.b


def clashes(
    assembly: native.Assembly,
    *,
    clearance: Optional[float] = None,
    tolerance: float = 0.0,
    client: Any = None,
    workers: Optional[int] = None,
    folder: Union[None, str, Path] = None,
    parts_in_cell: int = 2000,
    progress: Optional[Callable[[int, int], object]] = None,
) -> list[native.Clash]:
    """``assembly.clashes()`` on a cluster, cut into cells of space: the same clashes in the same order.

    With ``folder`` finished cells are kept, and a run that was stopped goes on with the missing ones.
    """
    names, poses = assembly.names, assembly.poses
    meshes: list[native.Mesh] = []
    place: dict[int, int] = {}
    mesh_of = []
    for mesh in assembly.meshes:
        if id(mesh) not in place:
            place[id(mesh)] = len(meshes)
            meshes.append(mesh)
        mesh_of.append(place[id(mesh)])
    boxes = _boxes([meshes[k] for k in mesh_of], poses)
    options = {"clearance": clearance, "tolerance": tolerance}
    stamp = _fingerprint(options, parts_in_cell, poses.tobytes(), names, *(_mesh_bytes(mesh) for mesh in meshes))
    jobs = []
    for number, inside in enumerate(_cells(boxes, clearance or 0.0, parts_in_cell)):
        jobs.append((f"{stamp}-{number:08d}", (inside, options)))
    where = None if folder is None else Path(folder)
    with _client(client, workers) as held:
        done = _run(held, _clash_task, jobs, (names, meshes, mesh_of, poses), where, progress)
    # A pair that is in several cells is found in each, with the same answer.
    found: dict[tuple[int, int], native.Clash] = {}
    for key, _ in jobs:
        for values in done[key]:
            found.setdefault((values[0], values[1]), native.Clash(*values))
    return sorted(found.values(), key=_rank)


# ---- packing --------------------------------------------------------------------------------------------------------------


def _pack_task(shared: Any, path: str, options: dict[str, Any]) -> Any:
    try:
        return native.pack(native.Mesh.open(path).welded(), **options)
    except native.Error as refused:
        return str(refused)


def pack_folder(
    source: Union[str, Path],
    *,
    count: int = 1000,
    seed: int = 0,
    client: Any = None,
    workers: Optional[int] = None,
    folder: Union[None, str, Path] = None,
    progress: Optional[Callable[[int, int], object]] = None,
) -> tuple[dict[str, native.Spheres], dict[str, str]]:
    """Fills every mesh of a folder with spheres. A file that cannot be read or filled is told, and the rest finishes.

    Returns the spheres and the refusals, by file name.
    """
    endings = (".obj", ".stl", ".ply", ".off", ".3mf", ".gltf", ".glb", ".gz")
    paths = sorted(path for path in Path(source).iterdir() if path.name.lower().endswith(endings))
    options = {"count": count, "seed": seed}
    jobs = []
    for path in paths:
        stamp = _fingerprint(path.name, options, path.read_bytes())
        jobs.append((stamp, (str(path), options)))
    where = None if folder is None else Path(folder)
    with _client(client, workers) as held:
        done = _run(held, _pack_task, jobs, None, where, progress)
    packed: dict[str, native.Spheres] = {}
    refused: dict[str, str] = {}
    for path, (key, _) in zip(paths, jobs):
        answer = done[key]
        if isinstance(answer, str):
            refused[path.name] = answer
        else:
            packed[path.name] = answer
    return packed, refused
