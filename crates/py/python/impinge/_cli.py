"""The commands of ``python -m impinge``, answered by the package itself: info, query, clash, pack, convert, generate.

They have the flags, the JSON keys and the exit codes of the program ``impinge``, as far as they go. A command that is not here is
handed to that program if it is on the path.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Optional, Sequence
from urllib.parse import parse_qsl

import numpy as np

from . import _impinge as native

NO, YES, FAILED = 0, 1, 2

EXIT_CODES = """\
Exit codes: 0 no (nothing found), 1 yes (found), 2 error.

A mesh is a file (OBJ, STL, PLY, OFF, 3MF, glTF, GLB; each also .gz) or a built-in model such as model:torus-knot or
'model:blob?faces=20000&seed=7'; clash also reads IFC (with ifcopenshell) and STEP (with cascadio).
Other commands of the program impinge, such as haptics, are handed to it if it is on the path."""

#: Commands of the program that the package leaves to it.
ELSEWHERE = (
    "tour cloud cloud-info run replay deform devices haptics workspace study completions man".split()
)

ASKS = ("intersects", "pairs", "distance", "tolerance", "depth", "volume", "contacts", "impact")
#: What text lists: clashes and findings of a kind without ``--all``, contacts.
SHOWN_CLASHES, SHOWN_FINDINGS, SHOWN_CONTACTS = 40, 3, 10


class Output:
    """Results go to standard output as text or JSON, remarks to standard error."""

    def __init__(self, as_json: bool, quiet: bool) -> None:
        self.json, self.quiet = as_json, quiet

    def line(self, text: str) -> None:
        if not (self.json or self.quiet):
            print(text)

    def record(self, record: dict[str, Any]) -> None:
        if self.json:
            print(json.dumps(record, allow_nan=False))

    def remark(self, text: str) -> None:
        if not self.quiet:
            print(f"impinge: {text}", file=sys.stderr)

    def failure(self, why: object, file: Optional[str] = None) -> None:
        self.record({"error": str(why)} if file is None else {"file": file, "error": str(why)})
        print(f"impinge: {why}", file=sys.stderr)


def model_of(source: str) -> Optional[tuple[str, Optional[int], int]]:
    """The name, faces and seed of a built-in model; none for a file."""
    if not source.startswith("model:"):
        return None
    name, _, settings = source[len("model:") :].partition("?")
    faces, seed = None, 1
    for key, value in parse_qsl(settings, keep_blank_values=True):
        if key not in ("faces", "seed"):
            raise native.Error(f"unknown setting '{key}': a model has faces=N and seed=S")
        if not value.isdigit():
            raise native.Error(f"{key} must be a whole number, not '{value}'")
        if key == "faces":
            faces = int(value)
        else:
            seed = int(value)
    return name, faces, seed


def load(source: str, args: argparse.Namespace) -> native.Mesh:
    model = model_of(source)
    if model is None:
        return native.Mesh.open(source, scale=args.scale, unit=args.units)
    name, faces, seed = model
    mesh = native.generate(name, faces=faces, seed=seed)
    return mesh if args.scale == 1.0 else native.Mesh(mesh.vertices * args.scale, mesh.faces)


def connected(source: str, mesh: native.Mesh) -> native.Mesh:
    """STL files repeat vertices: welded, so that the mesh can be closed."""
    endings = [ending.lower() for ending in Path(source).suffixes]
    return mesh.welded() if ".stl" in endings else mesh


def read_pose(path: Optional[str], repair: bool) -> np.ndarray:
    """16 numbers in a JSON file, flat or as four rows."""
    if path is None:
        return np.eye(4)
    try:
        numbers = np.array(json.loads(Path(path).read_text(encoding="utf-8")), dtype=float)
    except (ValueError, TypeError) as why:
        raise native.Error(f"pose file {path}: {why}") from why
    if numbers.shape not in ((16,), (4, 4)):
        raise native.Error(f"pose file {path}: expected 16 numbers or four rows of four")
    matrix = numbers.reshape(4, 4)
    if repair:
        return native.nearest_pose(matrix)
    # Anything that is asked would refuse it too, but could not name the file.
    try:
        native.Ball(1.0).intersects(native.Ball(1.0), matrix)
    except native.Error as why:
        raise native.Error(f"pose file {path}: {why}") from why
    return matrix


def bounds_record(value: Optional[float], lower: float, upper: float) -> dict[str, Any]:
    """JSON has no infinity."""
    return {"value": value, "lower": lower, "upper": upper if np.isfinite(upper) else None}


def numbers(values: Any) -> list[float]:
    return [float(value) for value in values]


def short(values: Any) -> str:
    return "(" + ", ".join(f"{float(value):.6g}" for value in values) + ")"


def milliseconds_since(began: float) -> float:
    return (time.perf_counter() - began) * 1e3


def info(args: argparse.Namespace, out: Output) -> int:
    answer = NO
    for source in args.sources:
        try:
            found = info_of(source, args, out)
        except (native.Error, OSError) as why:
            out.failure(why, source)
            answer = FAILED
        else:
            answer = max(answer, found)
    return answer


def info_of(source: str, args: argparse.Namespace, out: Output) -> int:
    mesh = load(source, args)
    whole = connected(source, mesh)
    findings = whole.findings()
    severities = Counter(finding.severity for finding in findings)
    errors, warnings = severities["error"], severities["warning"]
    mass = None
    why_not = None
    try:
        mass = whole.mass()
    except native.Error as why:
        why_not = str(why)
    box = whole.bounds
    record: dict[str, Any] = {
        "file": source,
        "welded": len(whole.vertices) != len(mesh.vertices),
        "vertices": len(whole.vertices),
        "faces": len(whole.faces),
        "closed": whole.is_closed,
        "bounds": None if box is None else {"min": numbers(box[0]), "max": numbers(box[1])},
        "volume": None if mass is None else mass.volume,
        "area": area_of(whole),
        "centroid": None if mass is None else numbers(mass.centroid),
        "inertia": None if mass is None else mass.inertia,
    }
    if why_not is not None:
        record["no_volume_because"] = why_not
    counts = Counter((finding.kind, finding.severity) for finding in findings)
    record |= {
        "errors": errors,
        "warnings": warnings,
        "counts": [{"kind": kind, "severity": how, "count": count} for (kind, how), count in counts.items()],
        "findings": [
            {"kind": finding.kind, "severity": finding.severity, "text": finding.message} for finding in findings
        ],
    }
    out.record(record)
    out.line(source)
    out.line(f"  size      {len(whole.faces):,} faces, {len(whole.vertices):,} vertices")
    out.line(f"  surface   {'closed' if whole.is_closed else 'open'}")
    if box is not None:
        out.line(f"  bounds    {short(box[0])} to {short(box[1])}")
    out.line(f"  area      {record['area']:.6g}")
    if mass is not None:
        out.line(f"  volume    {mass.volume:.6g}")
        out.line(f"  centroid  {short(mass.centroid)}")
    out.line(f"  findings  {errors or 'no'} errors, {warnings or 'no'} warnings")
    told: Counter[str] = Counter()
    for finding in findings:
        told[finding.kind] += 1
        if args.all or told[finding.kind] <= SHOWN_FINDINGS:
            out.line(f"    {finding.severity}: {finding.message}")
    return YES if errors or warnings else NO


def area_of(mesh: native.Mesh) -> float:
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0)


def query(args: argparse.Namespace, out: Output) -> int:
    asked = [word for word in args.ask.split(",") if word] if args.ask else []
    for word in asked:
        if word not in ASKS:
            raise native.Error(f"--ask: expected some of {', '.join(ASKS)}, found '{word}'")
    if "impact" in asked and args.to is None:
        raise native.Error("impact needs the end of the motion: --to FILE")
    if "tolerance" in asked and args.tolerance is None:
        raise native.Error("tolerance needs a distance: --tolerance D")
    is_default = not asked
    pose = read_pose(args.pose, args.repair_pose)
    end = None if args.to is None else read_pose(args.to, args.repair_pose)
    began = time.perf_counter()
    a, b = load(args.a, args), load(args.b, args)
    loaded = milliseconds_since(began)
    began = time.perf_counter()
    record: dict[str, Any] = {}
    lines: list[str] = []
    #: What the exit code tells: the first question, distance aside.
    verdicts: list[tuple[str, bool]] = []
    operands = [
        {"source": source, "vertices": len(mesh.vertices), "faces": len(mesh.faces)}
        for source, mesh in ((args.a, a), (args.b, b))
    ]
    for word in asked or ["intersects", "pairs"]:
        verdicts.append((word, ask(word, (a, b), pose, end, args, record, lines, operands)))
    if is_default and not verdicts[0][1]:
        ask("distance", (a, b), pose, end, args, record, lines, operands)
    searched = milliseconds_since(began)
    record |= {
        "a": operands[0],
        "b": operands[1],
        "a_from_b": numbers(pose.reshape(16)),
        "milliseconds": {"load": loaded, "search": searched},
    }
    out.record(record)
    out.line(f"{args.a} (a) and {args.b} (b)")
    for line in lines:
        out.line(f"  {line}")
    others = [verdict for verdict in verdicts if verdict[0] != "distance"]
    return YES if (others or verdicts)[0][1] else NO


def ask(
    word: str,
    meshes: tuple[native.Mesh, native.Mesh],
    pose: np.ndarray,
    end: Optional[np.ndarray],
    args: argparse.Namespace,
    record: dict[str, Any],
    lines: list[str],
    operands: list[dict[str, Any]],
) -> bool:
    """Answers one question: into the record, into lines of text, and as yes or no."""
    a, b = meshes
    if word in ("depth", "volume") or args.solid:
        a, b = connected(args.a, a), connected(args.b, b)
    if word == "intersects":
        meets = a.intersects(b, pose, solid=args.solid)
        record["intersects"] = meets
        what = "solids" if args.solid else "surfaces"
        lines.append(f"intersects  {'yes' if meets else 'no'}: the {what} {'meet' if meets else 'are apart'}")
        return meets
    if word == "pairs":
        pairs = meshes[0].intersections(meshes[1], pose)
        record |= {"face_pairs": len(pairs), "complete": True}
        for column, operand in enumerate(operands):
            operand["intersecting_faces"] = len(np.unique(pairs[:, column]))
        lines.append(f"pairs       {len(pairs):,} pairs of faces meet")
        if args.pairs is not None:
            rows = "".join(f"{x},{y}\n" for x, y in pairs)
            Path(args.pairs).write_text("face_a,face_b\n" + rows, encoding="utf-8")
        return len(pairs) > 0
    if word in ("distance", "tolerance"):
        limit = args.tolerance if word == "tolerance" else args.max_distance
        gap = a.distance(b, pose, max_distance=limit)
        if gap is None:
            nearest = {"value": None, "lower": limit or 0.0, "upper": None, "point_a": None, "point_b": None}
            lines.append(f"{word:<12}nothing" + ("" if limit is None else f" within {limit:.6g}"))
        else:
            nearest = bounds_record(gap.distance, gap.lower, gap.upper)
            nearest |= {"point_a": numbers(gap.point_a), "point_b": numbers(gap.point_b)}
            lines.append(f"{word:<12}{gap.distance:.6g}, from {short(gap.point_a)} to {short(gap.point_b)}")
        nearest["complete"] = True
        if word == "distance":
            record["distance"] = nearest
            return gap is not None and gap.distance == 0.0
        record["tolerance"] = {"within": gap is not None, "tolerance": limit} | nearest
        return gap is not None
    if word == "depth":
        deep = a.penetration(b, pose)
        out: dict[str, Any] = {"overlaps": deep is not None}
        if deep is None:
            out |= bounds_record(None, 0.0, 0.0) | {"direction": None, "translation": None}
            lines.append("depth       the solids are apart")
        else:
            out |= bounds_record(deep.depth, deep.lower, deep.upper)
            way = deep.normal * deep.depth
            out |= {"direction": numbers(deep.normal), "translation": numbers(way)}
            lines.append(f"depth       {deep.depth:.6g}: b moved by {short(way)} is free of a")
            if deep.lower < deep.upper:
                lines.append(f"            the shortest way out is at least {deep.lower:.6g} long")
        record["depth"] = out
        return deep is not None
    if word == "volume":
        common = a.volume(b, pose)
        shared = common.volume > 0.0
        record["volume"] = bounds_record(common.volume, common.lower, common.upper) | {
            "centroid": numbers(common.centroid) if shared else None,
            "force_on_b": numbers(-common.gradient),
            "torque_on_b": numbers(-common.gradient_rotation),
        }
        lines.append(f"volume      {common.volume:.6g}" + (f", centroid {short(common.centroid)}" if shared else ""))
        return shared
    if word == "contacts":
        found = a.contacts(b, pose, margin=args.margin)
        each = zip(found.depth, found.point_a, found.point_b, found.normal)
        record["contacts"] = [
            {
                "depth": float(depth),
                "point_a": numbers(point_a),
                "point_b": numbers(point_b),
                "normal": numbers(normal),
            }
            for depth, point_a, point_b, normal in each
        ]
        more = f"; the {SHOWN_CONTACTS} deepest" if len(found) > SHOWN_CONTACTS else ""
        lines.append(f"contacts    {len(found)}{more}")
        deepest = sorted(record["contacts"], key=lambda contact: -contact["depth"])
        for contact in deepest[:SHOWN_CONTACTS]:
            lines.append(f"            {contact['depth']:.6g} deep at {short(contact['point_a'])}")
        return len(found) > 0
    hit = a.impact(b, pose, pose if end is None else end)
    if hit is None:
        record["impact"] = {"hit": False} | bounds_record(None, 1.0, np.inf) | {"point": None, "normal": None}
        lines.append("impact      none on the way")
        return False
    record["impact"] = {"hit": True} | bounds_record(hit.time, hit.lower, hit.upper)
    record["impact"] |= {
        "point": numbers(hit.point),
        "normal": numbers(hit.normal),
        "face_a": hit.face_a,
        "face_b": hit.face_b,
    }
    lines.append(f"impact      at {hit.time:.6g} of the way, at {short(hit.point)}")
    return True


def clash(args: argparse.Namespace, out: Output) -> int:
    parts: list[tuple[str, native.Mesh, Any]] = []
    skipped: list[tuple[str, str]] = []
    titles: dict[str, str] = {}
    model = None
    began = time.perf_counter()
    for source in args.sources:
        if source.lower().endswith(".ifc"):
            from . import ifc

            read = ifc.open(source, selector=args.selector, threads=args.threads or native.threads())
            model = read if len(args.sources) == 1 else None
            titles |= {element.guid: f"{element.kind} {element.name}".strip() for element in read.elements}
            skipped += [(line.partition(": ")[0], line.partition(": ")[2]) for line in read.refused]
            assembly = read.assembly
        elif source.startswith("model:"):
            name = (model_of(source) or ("",))[0]
            assembly = native.Assembly([(name, load(source, args))])
        elif source.lower().endswith((".step", ".stp")):
            from . import step

            assembly = step.open(source)
        else:
            assembly = native.Assembly.open(source, scale=args.scale, unit=args.units)
            skipped += assembly.refused
            for note in assembly.notes:
                out.remark(f"{source}: {note}")
        parts += [assembly[k] for k in range(len(assembly))]
    if not parts:
        raise native.Error("there is no part to look at")
    whole = native.Assembly(parts)
    loaded = milliseconds_since(began)
    began = time.perf_counter()
    rules = None if args.rules is None else Path(args.rules).read_text(encoding="utf-8")
    found = whole.clashes(
        clearance=args.clearance,
        tolerance=args.tolerance,
        rules=rules,
        threads=args.threads,
        progress=args.progress or None,
    )
    searched = milliseconds_since(began)
    counts = Counter(one.kind for one in found)
    distinct = {id(mesh): mesh for _, mesh, _ in parts}
    faces = {key: len(mesh.faces) for key, mesh in distinct.items()}
    total = sum(faces[id(mesh)] for _, mesh, _ in parts)
    if out.json:
        out.record(
            {
                "format": "impinge clash 1",
                "clearance": args.clearance,
                "tolerance": args.tolerance,
                "parts": len(parts),
                "meshes": len(distinct),
                "faces": total,
                "complete": True,
                "skipped": [{"name": name, "error": why} for name, why in skipped],
                "counts": dict(counts),
                "clashes": [clash_record(one) for one in found],
                "milliseconds": {"load": loaded, "search": searched},
            }
        )
    for name, why in skipped:
        out.remark(f"{name} was skipped: {why}")
    out.line(f"{len(parts):,} parts, {total:,} faces; read in {loaded / 1e3:.2f} s, searched in {searched / 1e3:.2f} s")
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
    out.line(f"{len(found):,} {'clash' if len(found) == 1 else 'clashes'}: {kinds}" if found else "no clashes")
    for rank, one in enumerate(found if args.all else found[:SHOWN_CLASHES], 1):
        size = f"{one.depth[1]:.6g} deep" if one.depth else f"{one.distance:.6g} apart"
        names = [titles.get(name, name) for name in (one.name_a, one.name_b)]
        out.line(f"  {rank:>3}  {one.kind:<9}  {size:<16}  {names[0]}  {names[1]}")
    if not args.all and len(found) > SHOWN_CLASHES:
        out.line(f"  and {len(found) - SHOWN_CLASHES:,} more; --all lists them")
    if args.csv is not None:
        write_csv(args.csv, found)
        out.line(f"  wrote {args.csv}")
    if args.bcf is not None or args.ifcclash is not None:
        if model is None:
            raise native.Error("--bcf and --ifcclash are for one IFC file")
        from . import ifc

        if args.bcf is not None:
            ifc.save_bcf(model, found, args.bcf)
            out.line(f"  wrote {args.bcf}")
        if args.ifcclash is not None:
            Path(args.ifcclash).write_text(ifc.clashes_json(model, found), encoding="utf-8")
            out.line(f"  wrote {args.ifcclash}")
    return FAILED if skipped else YES if found else NO


def clash_record(one: native.Clash) -> dict[str, Any]:
    record: dict[str, Any] = {
        "kind": one.kind,
        "a": {"name": one.name_a},
        "b": {"name": one.name_b},
        "depth": None if one.depth is None else {"lower": one.depth[0], "upper": one.depth[1]},
        "distance": one.distance,
        "point_a": numbers(one.point_a),
        "point_b": numbers(one.point_b),
    }
    if one.inner is not None:
        record["inner"] = one.inner
    return record


def write_csv(path: str, found: Sequence[native.Clash]) -> None:
    import csv

    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow("rank kind a b depth_lower depth_upper distance x y z".split())
        for rank, one in enumerate(found, 1):
            depth = ("", "") if one.depth is None else one.depth
            middle = numbers((one.point_a + one.point_b) / 2.0)
            table.writerow([rank, one.kind, one.name_a, one.name_b, *depth, one.distance, *middle])


def pack(args: argparse.Namespace, out: Output) -> int:
    mesh = connected(args.source, load(args.source, args))
    began = time.perf_counter()
    if args.cover is not None:
        spheres = native.cover_with_spheres(mesh, count=args.cover)
    else:
        spheres = native.pack(
            mesh,
            count=args.count,
            fill=args.fill,
            min_radius=args.min_radius,
            seed=args.seed,
            progress=args.progress or None,
        )
    took = milliseconds_since(began)
    radii = spheres.radii
    filled = None
    if args.cover is None:
        filled = float((radii**3).sum() * np.pi * 4.0 / 3.0) / mesh.mass().volume
    out.record(
        {
            "file": args.source,
            "balls": len(spheres),
            "fill": filled,
            "largest_radius": float(radii.max(initial=0.0)),
            "smallest_radius": float(radii.min()) if len(radii) else 0.0,
            "seed": args.seed,
            "milliseconds": took,
        }
    )
    out.line(f"{args.source}: {len(spheres):,} spheres in {took / 1e3:.2f} s")
    if len(radii):
        out.line(f"  radii   {radii.max():.6g} to {radii.min():.6g}")
    if filled is not None:
        out.line(f"  filled  {filled:.2%} of the volume")
    if args.output is not None:
        rows = [
            json.dumps({"center": numbers(center), "radius": float(radius)})
            for center, radius in zip(spheres.centers, radii)
        ]
        text = '{"format": "impinge-spheres", "version": 1, "spheres": [\n  ' + ",\n  ".join(rows) + "\n]}\n"
        Path(args.output).write_text(text, encoding="utf-8")
        out.line(f"  wrote {args.output}")
    return NO


def convert(args: argparse.Namespace, out: Output) -> int:
    mesh = load(args.input, args)
    if args.weld is not None:
        mesh = mesh.welded(args.weld)
    return written(mesh, args.output, {"input": args.input, "output": args.output}, out)


def generate(args: argparse.Namespace, out: Output) -> int:
    if args.list:
        for name, about in native.models().items():
            out.record({"name": name, "description": about})
            out.line(f"{name:<20}{about}")
        return NO
    if args.name is None or args.output is None:
        raise native.Error("give a model and a file: generate NAME -o FILE")
    mesh = native.generate(args.name, faces=args.faces, seed=args.seed)
    return written(mesh, args.output, {"model": args.name, "file": args.output, "seed": args.seed}, out)


def written(mesh: native.Mesh, path: str, record: dict[str, Any], out: Output) -> int:
    mesh.save(path)
    out.record(record | {"vertices": len(mesh.vertices), "faces": len(mesh.faces)})
    out.line(f"wrote {path} with {len(mesh.vertices):,} vertices and {len(mesh.faces):,} faces")
    return NO


def parser() -> argparse.ArgumentParser:
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="answer in JSON, one object per line"
    )
    everywhere.add_argument(
        "-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help="print errors only, and JSON"
    )
    reading = argparse.ArgumentParser(add_help=False)
    reading.add_argument("--scale", type=float, default=1.0, metavar="S", help="multiply every coordinate")
    reading.add_argument("--units", metavar="U", help="unit of the file (um, mm, cm, m, in, ft): converted to metres")
    top = argparse.ArgumentParser(
        prog="python -m impinge",
        description="Exact collision detection for meshes.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[everywhere],
    )
    top.add_argument("--version", action="version", version=f"impinge {native.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace, Output], int], about: str) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name,
            help=about,
            description=about,
            epilog=EXIT_CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[everywhere, reading],
        )
        made.set_defaults(run=run)
        return made

    one = command("info", info, "describe meshes: size, volume and every finding")
    one.add_argument("sources", nargs="+", metavar="FILE")
    one.add_argument("--all", action="store_true", help="list every finding")

    one = command("query", query, "query two placed meshes; touching counts")
    one.add_argument("a", metavar="A")
    one.add_argument("b", metavar="B")
    one.add_argument(
        "--ask",
        metavar="LIST",
        help=f"{', '.join(ASKS)}, separated by commas [default: intersects, pairs and, when apart, distance]",
    )
    one.add_argument("--pose", metavar="FILE", help="JSON file with B's placement in A's frame: 16 numbers, row by row")
    one.add_argument("--to", metavar="FILE", help="JSON file with B's placement at the end of its motion, for impact")
    one.add_argument("--repair-pose", action="store_true", help="use the nearest rotation")
    one.add_argument("--solid", action="store_true", help="a mesh inside another meets it")
    one.add_argument("--tolerance", type=float, metavar="D", help="the distance of the question tolerance")
    one.add_argument("--max-distance", type=float, metavar="D", help="do not search for distances beyond this")
    one.add_argument("--margin", type=float, default=0.0, metavar="D", help="contacts of what is closer than this")
    one.add_argument("--pairs", metavar="CSV", help="write the pairs of faces that meet")

    one = command("clash", clash, "find the parts of assemblies that collide or come too close")
    one.add_argument("sources", nargs="+", metavar="FILE")
    one.add_argument("--clearance", type=float, metavar="D", help="also report parts that are apart by at most this")
    one.add_argument("--tolerance", type=float, default=0.0, metavar="D", help="overlaps no deeper count as touching")
    one.add_argument("--rules", metavar="FILE", help="pairs to ignore or to select, by part names")
    one.add_argument("--selector", metavar="QUERY", help="elements of an IFC file, as in IfcWall")
    one.add_argument("--threads", type=int, metavar="N", help="threads to use [default: all cores]")
    one.add_argument("--progress", action="store_true", help="show a bar, if tqdm is installed")
    one.add_argument("--csv", metavar="OUT", help="write a table")
    one.add_argument("--bcf", metavar="OUT", help="write the clashes of an IFC file as BCF 2.1")
    one.add_argument("--ifcclash", metavar="OUT", help="write the clashes of an IFC file as IfcClash does")
    one.add_argument("--all", action="store_true", help=f"list every clash instead of the first {SHOWN_CLASHES}")

    one = command("pack", pack, "pack a closed mesh with disjoint spheres, largest first, or cover it with few")
    one.add_argument("source", metavar="FILE")
    one.add_argument("-n", "--count", type=int, metavar="N", help="stop at this many [default: 1000]")
    one.add_argument("--fill", type=float, metavar="F", help="stop when this fraction of the volume is filled")
    one.add_argument("--min-radius", type=float, metavar="R", help="stop when only smaller spheres fit")
    one.add_argument("--cover", type=int, metavar="N", help="cover the mesh with at most this many instead")
    one.add_argument("--seed", type=int, default=0, metavar="S", help="seed [default: 0]")
    one.add_argument("-o", "--output", metavar="OUT", help="JSON file to write the spheres to")
    one.add_argument("--progress", action="store_true", help="show a bar, if tqdm is installed")

    one = command("convert", convert, "convert a mesh to another format, scaled or welded")
    one.add_argument("input", metavar="IN")
    one.add_argument("output", metavar="OUT")
    one.add_argument(
        "--weld", type=float, nargs="?", const=0.0, metavar="TOL", help="merge vertices in one place, or TOL apart"
    )

    one = command("generate", generate, "write a built-in model to a file")
    one.add_argument("name", nargs="?")
    one.add_argument("--faces", type=int, metavar="N")
    one.add_argument("--seed", type=int, default=1, metavar="S")
    one.add_argument("-o", "--output", metavar="FILE")
    one.add_argument("--list", action="store_true", help="list the models")
    return top


def elsewhere(words: Sequence[str]) -> Optional[int]:
    """Runs a command that the package does not have by the program on the path; none for a command that it has."""
    command = next((word for word in words if not word.startswith("-")), None)
    if command not in ELSEWHERE:
        return None
    program = shutil.which("impinge")
    if program is None:
        print(
            f"impinge: the package has no command '{command}'; the program impinge has it "
            "(`cargo install impinge-cli`), but it is not on the path",
            file=sys.stderr,
        )
        return FAILED
    print(f"impinge: '{command}' is run by {program}", file=sys.stderr)
    return subprocess.run([program, *words], check=False).returncode


def main(words: Optional[Sequence[str]] = None) -> int:
    """Runs a command and returns its exit code."""
    words = sys.argv[1:] if words is None else list(words)
    code = elsewhere(words)
    if code is not None:
        return code
    args = parser().parse_args(words)
    out = Output(getattr(args, "json", False), getattr(args, "quiet", False))
    try:
        answer: int = args.run(args, out)
        sys.stdout.flush()
        return answer
    except BrokenPipeError:
        # The reader has seen enough; nothing more can be told.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return 130
    except (native.Error, OSError, ImportError) as why:
        out.failure(why)
        return FAILED
