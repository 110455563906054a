"""``python -m recense``: the command line."""

import sys

from recense.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
