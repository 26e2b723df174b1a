"""Examples in docstrings run, and everything has one or is told by its stub."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib
import re
import subprocess
import sys

import impinge
import pytest
from impinge import _impinge

MODULES = [
    "impinge",
    "impinge.dynamics",
    "impinge.embree",
    "impinge.fcl",
    "impinge.raycasting",
    "impinge.sdf",
    "impinge.trimesh",
]


def documented():
    seen = {}
    for name, value in vars(_impinge).items():
        if name.startswith("_"):
            continue
        seen[name] = value.__doc__
        if inspect.isclass(value):
            for key, member in vars(value).items():
                if not key.startswith("_"):
                    seen[f"{name}.{key}"] = getattr(member, "__doc__", None)
    return {key: text for key, text in seen.items() if text and ">>>" in text}


@pytest.mark.parametrize("name, text", sorted(documented().items()), ids=lambda value: value[:40])
def test_examples_of_the_extension_run(name, text):
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    said = []
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_modules_run(name):
    failed, ran = doctest.testmod(importlib.import_module(name))
    assert failed == 0 and ran > 0


def test_every_name_is_documented_and_typed():
    stub = pathlib.Path(impinge.__file__).with_name("_impinge.pyi").read_text(encoding="utf-8")
    for name in impinge.__all__:
        value = getattr(impinge, name)
        assert name == "__version__" or value.__doc__, name
        if name not in ("show", "__version__"):
            assert re.search(rf"^(class|def) {name}\b", stub, re.M), name
    for name, value in vars(_impinge).items():
        if not inspect.isclass(value):
            continue
        body = re.search(rf"^class {name}\b.*?(?=\n\n|\Z)", stub, re.M | re.S)
        body = body.group() if body else ""
        for key in vars(value):
            if not key.startswith("_"):
                assert re.search(rf"\b{key}\b", body), f"{name}.{key}"


def test_examples_run():
    folder = pathlib.Path(__file__).parent.parent / "examples"
    for path in sorted(folder.glob("*.py")):
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{path.name}: {done.stderr}"


def test_the_readme_runs():
    text = (pathlib.Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(code.splitlines()) <= 12 and len(done.stdout.splitlines()) == 2


def test_the_import_is_quick():
    code = (
        "import numpy, time; began = time.perf_counter(); import impinge; print(time.perf_counter() - began)"
    )
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    # The bar is 0.3 s; the test only fails far beyond it.
    assert min(times) < 1.0
    print(f"import impinge: {min(times):.3f} s after numpy")
