"""IFC and STEP, where the wheels of others are installed."""

from __future__ import annotations

import json
import zipfile
from xml.etree import ElementTree

import impinge
import numpy as np
import pytest
from ifc_building import MISTAKES_PER_STOREY, building
from impinge._cli import main
from step_box import step_box


def walls(ifcopenshell, offsets):
    """Boxes of 5 m by 0.2 m by 3 m, each at an offset, as walls of a file in metres."""
    import ifcopenshell.guid

    file = ifcopenshell.file(schema="IFC4")
    origin = file.createIfcCartesianPoint((0.0, 0.0, 0.0))
    axes = file.createIfcAxis2Placement3D(origin)
    context = file.createIfcGeometricRepresentationContext(None, "Model", 3, 1e-5, axes, None)
    unit = file.createIfcSIUnit(None, "LENGTHUNIT", None, "METRE")
    units = file.createIfcUnitAssignment([unit])
    new = ifcopenshell.guid.new
    file.createIfcProject(new(), None, "walls", None, None, None, None, [context], units)
    made = []
    for number, offset in enumerate(offsets):
        profile = file.createIfcRectangleProfileDef(
            "AREA",
            None,
            file.createIfcAxis2Placement2D(file.createIfcCartesianPoint((2.5, 0.1)), None),
            5.0,
            0.2,
        )
        up = file.createIfcDirection((0.0, 0.0, 1.0))
        place = file.createIfcAxis2Placement3D(file.createIfcCartesianPoint(tuple(map(float, offset))))
        solid = file.createIfcExtrudedAreaSolid(profile, place, up, 3.0)
        body = file.createIfcShapeRepresentation(context, "Body", "SweptSolid", [solid])
        product = file.createIfcProductDefinitionShape(None, None, [body])
        local = file.createIfcLocalPlacement(None, axes)
        wall = file.createIfcWall(new(), None, f"wall {number}", None, None, local, product, None, None)
        made.append(wall.GlobalId)
    return file, made


#: Where a second wall stands, and what its overlap with the first is.
OFFSETS = [
    ((0, 0.15, 0), "crossing"),  # 50 mm, aligned
    ((0.002, 0.152, 0.002), "crossing"),  # nudged by 2 mm
    ((2.5, 0, 0), "crossing"),  # half of the length, aligned
    ((0, 0, 0), "duplicate"),
    ((4.9, 0.1, 0.5), "crossing"),
    ((-2.0, 0.05, -1.0), "crossing"),
]


@pytest.mark.parametrize("offset, kind", OFFSETS)
def test_two_walls_that_overlap_are_found_with_their_depth(offset, kind):
    ifcopenshell = pytest.importorskip("ifcopenshell")
    from impinge import ifc

    file, _ = walls(ifcopenshell, [(0, 0, 0), offset])
    model = ifc.open(file)
    assert len(model) == 2 and not model.refused
    found = model.clashes()
    assert [clash.kind for clash in found] == [kind]
    if kind == "crossing":
        sizes = np.array([5.0, 0.2, 3.0]) - np.abs(offset)
        truth = min(sizes)
        # The depth of a clash is that of the deepest point: never more than the way out.
        assert 0.0 < found[0].depth[0] <= truth + 1e-9


def test_clashes_are_written_for_other_tools(tmp_path):
    ifcopenshell = pytest.importorskip("ifcopenshell")
    from impinge import ifc

    file, guids = walls(ifcopenshell, [(0, 0, 0), (0, 0.15, 0), (0, 9, 0)])
    path = tmp_path / "walls.ifc"
    file.write(str(path))
    model = ifc.open(path, selector="IfcWall")
    found = model.clashes()
    said = json.loads(ifc.clashes_json(model, found))[0]["clashes"]
    (only,) = said.values()
    assert {only["a_global_id"], only["b_global_id"]} == set(guids[:2]) and only["a_ifc_class"] == "IfcWall"
    assert only["depth"][0] <= 0.05 + 1e-9
    assert ifc.save_bcf(model, found, tmp_path / "walls.bcf") == 1
    with zipfile.ZipFile(tmp_path / "walls.bcf") as archive:
        names = archive.namelist()
        (topic,) = {name.split("/")[0] for name in names if "/" in name}
        markup = ElementTree.fromstring(archive.read(f"{topic}/markup.bcf"))
        view = ElementTree.fromstring(archive.read(f"{topic}/viewpoint.bcfv"))
    assert markup.find("Topic").get("Guid") == topic and markup.find("Viewpoints/Viewpoint").text == "viewpoint.bcfv"
    assert {part.get("IfcGuid") for part in view.iter("Component")} == set(guids[:2])
    assert len(ifc.open(file, selector="IfcDoor")) == 0


def test_the_planned_clashes_of_a_building_are_found_by_one_command(capsys, tmp_path):
    pytest.importorskip("ifcopenshell")
    path, topics = tmp_path / "building.ifc", tmp_path / "building.bcf"
    file, planned = building(2)
    file.write(str(path))
    assert main(["clash", str(path), "--json", "--bcf", str(topics)]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["parts"] == 2 * 242 and not said["skipped"]
    found = {frozenset((one["a"]["name"], one["b"]["name"])): one["kind"] for one in said["clashes"]}
    assert found == planned and len(found) == len(said["clashes"]) == 2 * MISTAKES_PER_STOREY
    shallow = [one["depth"] for one in said["clashes"] if one["depth"] and one["depth"]["upper"] < 0.03]
    assert len(shallow) == 4 and all(depth["lower"] <= 0.02 + 1e-9 <= depth["upper"] + 1e-6 for depth in shallow)
    with zipfile.ZipFile(topics) as archive:
        assert sum(name.endswith("markup.bcf") for name in archive.namelist()) == len(found)
    assert main(["-q", "clash", str(path), "--selector", "IfcSlab"]) == 0


def test_a_step_box_has_its_volume(tmp_path):
    pytest.importorskip("cascadio")
    from impinge import step

    path = tmp_path / "box.step"
    path.write_text(step_box(10.0, 20.0, 30.0))
    parts = step.open(path)
    assert len(parts) == 1
    name, mesh, pose = parts[0]
    assert mesh.is_closed and mesh.placed(pose).mass().volume == pytest.approx(0.01 * 0.02 * 0.03, rel=1e-6)


def test_a_step_file_without_parts_is_refused(tmp_path):
    pytest.importorskip("cascadio")
    from impinge import step

    with pytest.raises(impinge.Error, match="no such file"):
        step.open(tmp_path / "none.step")
    with pytest.raises(impinge.Error, match="tolerance"):
        path = tmp_path / "empty.step"
        path.write_text(step_box(1, 1, 1))
        step.open(path, tolerance=-1.0)
