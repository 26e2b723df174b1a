"""From the wheel to the first answer, in a fresh environment.

``python bench/start.py WHEEL`` says how large the wheel is, how long pip takes, how long ``import impinge`` takes, and how long the example of
the README takes, import included.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bars import bar, end

README = Path(__file__).resolve().parents[1] / "README.md"

#: Times the import after that of NumPy, and with it.
IMPORT = """
import time
began = time.perf_counter()
{first}
before = time.perf_counter()
import impinge
now = time.perf_counter()
print(now - before, now - began)
"""


def seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    wheel = Path(sys.argv[1])
    size = wheel.stat().st_size / 1e6
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    lines = [line for line in code.splitlines() if line and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = str(Path(folder) / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
        pip = seconds([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)])
        print(f"{wheel.name}: {size:.2f} MB; pip install with NumPy from the network or its cache: {pip:.1f} s")
        first = seconds([python, "-c", code])
        again = statistics.median(seconds([python, "-c", code]) for _ in range(5))
        print(f"the README's example, {len(lines)} lines of code: first run {first:.2f} s, median of 5 more {again:.2f} s")
        alone, whole = [], []
        for _ in range(7):
            said = subprocess.run(
                [python, "-c", IMPORT.format(first="import numpy")], check=True, capture_output=True, text=True
            ).stdout.split()
            alone.append(float(said[0]))
            whole.append(float(said[1]))
        print(f"import impinge after NumPy: {statistics.median(alone):.3f} s, with NumPy {statistics.median(whole):.3f} s")
    bar("the wheel has at most 12 MB", f"{size:.2f} MB", size <= 12.0)
    bar("the README's example runs in at most 5 s in a fresh environment, import included", f"{first:.2f} s", first <= 5.0)
    most = statistics.median(whole)
    bar("import in at most 0.3 s, NumPy included", f"{most:.3f} s", most <= 0.3)
    end()


if __name__ == "__main__":
    main()
