"""``python -m impinge`` has the answers, the JSON and the exit codes of the program."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import impinge
import numpy as np
import pytest
from impinge._cli import main


@pytest.fixture
def poses(tmp_path):
    """Files that place the second mesh so far along x."""

    def write(x: float, *, flat: bool = True) -> str:
        matrix = impinge.translation([x, 0, 0])
        path = tmp_path / f"{x}-{flat}.json"
        path.write_text(json.dumps((matrix.ravel() if flat else matrix).tolist()))
        return str(path)

    return write


def ask(capsys, *words: str):
    code = main(["--json", *words])
    lines = capsys.readouterr().out.splitlines()
    return code, [json.loads(line) for line in lines]


def test_a_query_without_questions_tells_pairs_or_the_distance(capsys, poses):
    code, (answer,) = ask(capsys, "query", "model:icosphere", "model:icosphere", "--pose", poses(1.5))
    assert code == 1 and answer["intersects"] and answer["face_pairs"] > 0 and "distance" not in answer
    far = ("query", "model:icosphere", "model:icosphere", "--pose", poses(9.0, flat=False))
    code, (answer,) = ask(capsys, *far)
    assert code == 0 and not answer["intersects"] and answer["face_pairs"] == 0
    assert answer["distance"]["value"] == pytest.approx(7.0)
    assert answer["a"] == {"source": "model:icosphere", "vertices": 1002, "faces": 2000, "intersecting_faces": 0}
    assert answer["a_from_b"][3] == 9.0


def test_every_question_answers_as_the_verbs_do(capsys, poses):
    ball = impinge.generate("icosphere", seed=1)
    at = impinge.translation([1.5, 0, 0])
    words = ("--ask", "depth,volume,contacts,distance", "--pose", poses(1.5))
    code, (answer,) = ask(capsys, "query", "model:icosphere", "model:icosphere", *words)
    assert code == 1
    assert answer["depth"]["value"] == ball.penetration(ball, at).depth
    assert answer["volume"]["value"] == ball.volume(ball, at).volume
    assert len(answer["contacts"]) == len(ball.contacts(ball, at))
    assert answer["distance"]["value"] == 0.0
    words = ("--ask", "impact", "--pose", poses(9.0), "--to", poses(0.0))
    code, (answer,) = ask(capsys, "query", "model:icosphere", "model:icosphere", *words)
    truth = ball.impact(ball, impinge.translation([9, 0, 0]), impinge.translation([0, 0, 0]))
    assert code == 1 and answer["impact"]["hit"] and answer["impact"]["value"] == truth.time
    words = ("--ask", "tolerance", "--tolerance", "6.5", "--pose", poses(9.0))
    code, (answer,) = ask(capsys, "query", "model:icosphere", "model:icosphere", *words)
    assert code == 0 and answer["tolerance"]["within"] is False


def test_the_exit_code_answers_the_first_question_but_distance(poses):
    def code(asked: str, x: float) -> int:
        return main(["-q", "query", "model:icosphere", "model:icosphere", "--ask", asked, "--pose", poses(x)])

    assert code("distance", 1.0) == 1 and code("distance", 9.0) == 0
    assert code("distance,intersects", 1.0) == 1 and code("intersects,distance", 9.0) == 0
    assert code("depth", 9.0) == 0 and code("volume", 1.0) == 1


def test_a_mesh_inside_another_meets_it_as_a_solid(tmp_path):
    impinge.Cuboid([0.1, 0.1, 0.1]).to_mesh().save(tmp_path / "small.stl")
    impinge.Cuboid([1, 1, 1]).to_mesh().save(tmp_path / "large.stl")
    both = [str(tmp_path / "large.stl"), str(tmp_path / "small.stl")]
    assert main(["-q", "query", *both, "--ask", "intersects"]) == 0
    assert main(["-q", "query", *both, "--ask", "intersects", "--solid"]) == 1


def test_pairs_are_written(tmp_path, poses):
    path = tmp_path / "pairs.csv"
    at = poses(1.5)
    words = ["-q", "query", "model:icosphere", "model:icosphere", "--pose", at, "--pairs", str(path)]
    assert main(words) == 1
    head, *rows = path.read_text().splitlines()
    ball = impinge.generate("icosphere", seed=1)
    truth = ball.intersections(ball, impinge.translation([1.5, 0, 0]))
    assert head == "face_a,face_b" and [[int(x) for x in row.split(",")] for row in rows] == truth.tolist()


def test_info_tells_measures_and_findings_and_goes_on_after_a_bad_file(capsys, tmp_path):
    impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).save(tmp_path / "open.obj")
    code, answers = ask(capsys, "info", "model:icosphere", str(tmp_path / "open.obj"))
    assert code == 1 and answers[0]["closed"] and not answers[1]["closed"]
    assert answers[0]["volume"] == pytest.approx(4.16563, abs=1e-5)
    assert answers[0]["area"] == pytest.approx(12.52777731)
    assert answers[1]["volume"] is None and answers[1]["errors"] + answers[1]["warnings"] > 0 and answers[1]["no_volume_because"]
    code, answers = ask(capsys, "info", "nothing.obj", "model:icosphere")
    assert code == 2 and "No such file" in answers[0]["error"] and answers[1]["faces"] == 2000


def test_clashes_are_listed_ranked_and_written(capsys, tmp_path):
    table = tmp_path / "clashes.csv"
    code, (answer,) = ask(capsys, "clash", "model:icosphere", "model:blob", "model:box", "--csv", str(table))
    assert code == 1 and answer["format"] == "impinge clash 1" and answer["parts"] == 3
    kinds = [one["kind"] for one in answer["clashes"]]
    assert sum(answer["counts"].values()) == len(kinds) == len(table.read_text().splitlines()) - 1
    rules = tmp_path / "rules.txt"
    rules.write_text("ignore *\n")
    assert main(["-q", "clash", "model:icosphere", "model:blob", "--rules", str(rules)]) == 0


def test_spheres_meshes_and_models_are_written(capsys, tmp_path):
    path = tmp_path / "spheres.json"
    code, (answer,) = ask(capsys, "pack", "model:box", "-n", "30", "-o", str(path))
    spheres = json.loads(path.read_text())["spheres"]
    assert code == 0 and answer["balls"] == len(spheres) == 30 and 0.3 < answer["fill"] < 1.0
    code, _ = ask(capsys, "generate", "icosphere", "-o", str(tmp_path / "ball.stl"))
    assert code == 0
    code, (answer,) = ask(capsys, "convert", str(tmp_path / "ball.stl"), str(tmp_path / "ball.ply"), "--weld")
    assert code == 0 and answer["vertices"] == 1002
    code, listed = ask(capsys, "generate", "--list")
    assert {one["name"] for one in listed} == set(impinge.models())


@pytest.mark.parametrize(
    "words, message",
    [
        (["query", "model:blob", "model:nope"], "there is no model 'nope'"),
        (["query", "model:blob?faces=many", "model:blob"], "faces must be a whole number"),
        (["query", "model:blob?size=3", "model:blob"], "unknown setting 'size'"),
        (["query", "model:blob", "model:blob", "--ask", "colour"], "found 'colour'"),
        (["query", "model:blob", "model:blob", "--ask", "impact"], "--to FILE"),
        (["query", "model:blob", "model:blob", "--ask", "tolerance"], "--tolerance D"),
        (["query", "model:blob", "model:blob", "--pose", "nothing.json"], "nothing.json"),
        (["query", "model:blob", "nothing.obj"], "nothing.obj"),
        (["clash", "model:blob", "--bcf", "out.bcf"], "one IFC file"),
        (["convert", "model:blob", "mesh.docx"], "docx"),
    ],
)
def test_what_cannot_be_done_is_said_and_exits_with_2(capsys, words, message):
    assert main(words) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.startswith("impinge: ")
    assert main(["--json", *words]) == 2
    assert message in json.loads(capsys.readouterr().out.splitlines()[-1])["error"]


@pytest.mark.parametrize("pose", ["[1, 2]", "[[1]]", "no", json.dumps((2 * np.eye(4)).tolist())])
def test_a_bad_pose_file_is_named(capsys, tmp_path, pose):
    path = tmp_path / "pose.json"
    path.write_text(pose)
    assert main(["query", "model:blob", "model:blob", "--pose", str(path)]) == 2
    assert f"pose file {path}" in capsys.readouterr().err


def test_the_module_runs_and_has_help():
    run = lambda *words: subprocess.run(  # noqa: E731
        [sys.executable, "-m", "impinge", *words], capture_output=True, text=True, check=False
    )
    done = run("query", "model:icosphere", "model:blob", "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["intersects"] is True
    for words in (["--help"], ["query", "--help"], ["clash", "--help"]):
        done = run(*words)
        assert done.returncode == 0 and "Exit codes: 0 no" in done.stdout
    assert run("--version").stdout == f"impinge {impinge.__version__}\n"
    assert run().returncode == 2 and run("frobnicate").returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="a script of Unix")
def test_other_commands_are_handed_to_the_program_or_refused(tmp_path):
    program = tmp_path / "impinge"
    program.write_text('#!/bin/sh\necho "program: $@"\nexit 7\n')
    program.chmod(program.stat().st_mode | stat.S_IEXEC)

    def run(path: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "impinge", "haptics", "--help"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path},
        )

    done = run(f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert done.returncode == 7 and done.stdout == "program: haptics --help\n" and str(program) in done.stderr
    done = run(str(tmp_path / "nowhere"))
    assert done.returncode == 2 and "not on the path" in done.stderr
