"""The public names: there, and loaded when they are used."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import pytest_relevance

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", pytest_relevance.__all__)
def test_every_public_name_can_be_had_and_says_what_it_is(name: str) -> None:
    assert getattr(pytest_relevance, name).__doc__


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        (
            [
                "metrics",
                "metrics.agreement",
                "metrics.names",
                "metrics.settings",
                "metrics.ndcg",
                "metrics.measures",
                "metrics.similarity",
            ],
            ["numpy", "pandas"],
        ),
        (
            ["judgments.grading", "judgments.scale", "results.evaluate"],
            ["numpy", "pandas"],
        ),
        (["metrics.significance", "results.compare.differences"], ["numpy", "pandas"]),
        (["metrics.matrix"], ["pandas"]),
        (
            ["_problems"],
            ["numpy", "pandas", "yaml", "pytest"],
        ),  # and the package itself
    ],
)
def test_what_scores_one_query_at_a_time_imports_no_numpy(
    modules: list[str], absent: list[str]
) -> None:
    program = "import sys\n" + "".join(
        f"import pytest_relevance.{module}\n" for module in modules
    )
    program += f"print([name for name in {absent!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_library_works_where_no_pytest_runs() -> None:
    script = (
        "import sys, pytest_relevance\n"
        "for name in pytest_relevance.__all__:\n"
        "    if name != 'Relevance': getattr(pytest_relevance, name)  # the type of a fixture\n"
        "pytest_relevance.evaluate({'q': {'a': 1}}, {'q': ['a']})\n"
        "print('pytest' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        # an error for type checkers too: mypy refuses a comment that ignores nothing
        pytest_relevance.evaluat  # type: ignore[attr-defined]  # noqa: B018


def test_benchmarks_import_what_is_there() -> None:
    text = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").glob("*.py")
    )
    imports = re.findall(
        r"^from (pytest_relevance[.\w]*) import (\w+(?:, \w+)*)", text, re.MULTILINE
    )
    assert len(imports) >= 20
    for module, names in imports:
        assert [
            name
            for name in names.split(", ")
            if not hasattr(import_module(module), name)
        ] == [], module
