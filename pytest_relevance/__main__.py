"""Run `python -m pytest_relevance`, which is the same as `pytest-relevance`."""

from __future__ import annotations

import sys

from pytest_relevance.cli import main

if __name__ == "__main__":
    sys.exit(main())
