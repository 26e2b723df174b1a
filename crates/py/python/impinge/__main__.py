"""``python -m impinge``: the command line, which is a program of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Optional


def program() -> Optional[str]:
    """The program: one that came with the package, else the one on the path."""
    name = "impinge.exe" if os.name == "nt" else "impinge"
    beside = Path(__file__).parent / "bin" / name
    if beside.is_file():
        return str(beside)
    return shutil.which("impinge")


def main() -> int:
    found = program()
    if found is None:
        print(
            "impinge: the command line is not installed; `cargo install impinge-cli` puts it on your path",
            file=sys.stderr,
        )
        return 2
    return subprocess.run([found, *sys.argv[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
