"""``python -m impinge``: the command line of the package, see ``impinge._cli``."""

import sys

from ._cli import main

if __name__ == "__main__":
    sys.exit(main())
