"""IFC and STEP: two walls six times, a generated building by one command, its BCF against the published schemas, a part of known volume.

``python bench/building.py [--storeys N] [--schemas FOLDER]``. The schemas of BCF 2.1 (``markup.xsd``, ``visinfo.xsd``, ``version.xsd``) are in the source
distribution of ``bcf-client``: ``pip download --no-deps --no-binary :all: bcf-client``, then ``src/bcf/v2/xsd``. The check needs ``pip install xmlschema``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Optional

import ifcopenshell
import numpy as np
from bars import bar, end
from impinge import ifc, step

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from ifc_building import building  # noqa: E402
from step_box import step_box  # noqa: E402
from test_bridges import OFFSETS, walls  # noqa: E402


def two_walls() -> None:
    """Two walls of 5 m by 0.2 m by 3 m, one of them moved."""
    found_all, deep = 0, 0
    for offset, kind in OFFSETS:
        file, _ = walls(ifcopenshell, [(0, 0, 0), offset])
        found = ifc.open(file).clashes()
        way_out = float(min(np.array([5.0, 0.2, 3.0]) - np.abs(offset)))
        said = [(clash.kind, clash.depth) for clash in found]
        print(f"moved by {offset}: {said}, shared box at least {way_out:.3f} m across")
        found_all += [kind] == [clash.kind for clash in found]
        deep += len(found) == 1 and (kind == "duplicate" or found[0].depth is not None and found[0].depth[0] > 0)
    bar("IFC: six of six overlaps of two walls found, with depth", f"{found_all} found, {deep} with depth or duplicate", found_all == deep == 6)


def one_command(folder: Path, storeys: int, schemas: Optional[Path]) -> None:
    path, topics = folder / "building.ifc", folder / "clashes.bcf"
    file, planned = building(storeys)
    file.write(str(path))
    elements = len(file.by_type("IfcElement"))
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "impinge", "clash", str(path), "--json", "--bcf", str(topics)],
        capture_output=True, text=True, check=False,
    )
    took = time.perf_counter() - began
    said = json.loads(done.stdout)
    found = {frozenset((one["a"]["name"], one["b"]["name"])): one["kind"] for one in said["clashes"]}
    print(f"python -m impinge clash building.ifc --json --bcf clashes.bcf: {elements} elements on {storeys} storeys, "
          f"{path.stat().st_size / 1e6:.1f} MB, {len(said['clashes'])} clashes of {len(planned)} planned, {took:.1f} s")
    bar("IFC: a building of at least 5000 elements by one command, every planned clash and no other",
        f"{said['parts']} elements, {len(found)} clashes", said["parts"] >= 5000 and found == planned)
    claim = "BCF: every file is valid by the schemas of BCF 2.1"
    if schemas is None:
        bar(claim, "no folder of schemas was given", None)
        return
    import xmlschema

    kinds = {"markup.bcf": "markup.xsd", "viewpoint.bcfv": "visinfo.xsd", "bcf.version": "version.xsd"}
    rules = {name: xmlschema.XMLSchema(str(schemas / xsd)) for name, xsd in kinds.items()}
    checked, wrong = 0, []
    with zipfile.ZipFile(topics) as archive:
        for name in archive.namelist():
            why = [str(error.reason) for error in rules[name.split("/")[-1]].iter_errors(archive.read(name).decode())]
            checked += 1
            wrong += [f"{name}: {reason}" for reason in why]
    for line in wrong[:5]:
        print(line)
    bar(claim, f"{len(wrong)} errors in {checked} files", not wrong and checked == 2 * len(planned) + 1)


def known_volume(folder: Path) -> None:
    path = folder / "box.step"
    path.write_text(step_box(10.0, 20.0, 30.0), encoding="utf-8")
    parts = step.open(path)
    _, mesh, pose = parts[0]
    volume, truth = mesh.placed(pose).mass().volume, 0.01 * 0.02 * 0.03
    print(f"STEP: a box of 10 mm by 20 mm by 30 mm has {volume:.9e} m³ of {truth:.9e}")
    bar("STEP: the volume of a box, which is tessellated without error, within single precision", f"{abs(volume / truth - 1):.1e} off",
        len(parts) == 1 and mesh.is_closed and abs(volume / truth - 1) < 1e-6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--storeys", type=int, default=21)
    parser.add_argument("--schemas", type=Path, help="folder of the schemas of BCF 2.1")
    options = parser.parse_args()
    two_walls()
    with tempfile.TemporaryDirectory() as name:
        one_command(Path(name), options.storeys, options.schemas)
        known_volume(Path(name))
    end()


if __name__ == "__main__":
    main()
