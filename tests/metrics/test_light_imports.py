"""A suite with inline judgments is scored without numpy and pandas."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        (
            ["metrics", "metrics.names", "metrics.settings", "metrics.ndcg", "metrics.measures", "metrics.similarity"],
            ["numpy", "pandas"],
        ),
        (["judgments.grading", "judgments.scale", "results.evaluate"], ["numpy", "pandas"]),
        (["metrics.significance", "results.compare.differences"], ["numpy", "pandas"]),
        (["metrics.batch"], ["pandas"]),
    ],
)
def test_importing_them_imports_nothing_heavy(modules: list[str], absent: list[str]) -> None:
    program = "import sys\n" + "".join(f"import pytest_relevance.{module}\n" for module in modules)
    program += f"print([name for name in {absent!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
