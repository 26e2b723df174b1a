"""The test suites of python-fcl and trimesh, unchanged, with the stand-ins in the place of the originals.

``python bench/suites.py --fcl FOLDER --trimesh FOLDER``: folders of their repositories, or of their source distributions with the folders ``tests`` and
``models`` of the repository. Nothing of theirs is part of this repository. trimesh's tests need scipy, networkx, shapely, rtree and requests.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from bars import bar, end

#: Suites of trimesh: their files, and how many tests they had when the stand-ins were written.
TRIMESH = {
    "collision": (["test_collision.py"], 5),
    "ray": (["test_ray.py", "test_ray_upstream.py"], 30),
    "proximity": (["test_proximity.py"], 10),
}


def run(name: str, folder: Path, files: list[str], least: int) -> None:
    here = str(Path(__file__).resolve().parent)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "stand_ins", "-p", "no:cacheprovider", "-q", "--tb=short", *files],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": here, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    said = done.stdout.splitlines()
    for line in said:
        if line.startswith(("fcl is", "FAILED", "ERROR", "E  ", "SKIPPED")):
            print(line)
    counted = {word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|error|skipped)", said[-1] if said else "")}
    passed, whole = counted.get("passed", 0), sum(counted.values())
    bar(f"{name}: every test passes, at least {least}", f"{passed} of {whole}", done.returncode == 0 and passed == whole >= least)
    if not counted:
        print(done.stdout, done.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fcl", type=Path, help="folder of python-fcl")
    parser.add_argument("--trimesh", type=Path, help="folder of trimesh")
    options = parser.parse_args()
    if options.fcl is not None:
        tests = next(path for path in (options.fcl / "tests", options.fcl / "test") if path.is_dir())
        run("python-fcl's tests", tests, sorted(path.name for path in tests.glob("test_*.py")), 15)
    if options.trimesh is not None:
        for name, (files, least) in TRIMESH.items():
            run(f"trimesh's tests of {name}", options.trimesh / "tests", files, least)
    end()


if __name__ == "__main__":
    main()
