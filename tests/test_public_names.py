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


def printed(program: str) -> str:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.strip()


OF_ONE_QUERY = ["agreement", "names", "settings", "ndcg", "measures", "similarity"]


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        ([f"metrics.{name}" for name in OF_ONE_QUERY], ["numpy", "pandas"]),
        (["judgments.grading", "results.evaluate"], ["numpy", "pandas"]),
        (["metrics.significance", "results.compare.differences"], ["numpy", "pandas"]),
        (["metrics.matrix"], ["pandas"]),
        # and the package itself
        (["_problems"], ["numpy", "pandas", "yaml", "pytest"]),
    ],
)
def test_what_is_not_imported_at_once(modules: list[str], absent: list[str]) -> None:
    imports = "".join(f"import pytest_relevance.{module}\n" for module in modules)
    question = f"print([name for name in {absent!r} if name in sys.modules])"
    assert printed(f"import sys\n{imports}{question}") == "[]"


def test_the_library_works_without_pytest() -> None:
    program = """
import sys, pytest_relevance
for name in pytest_relevance.__all__:
    if name != "Relevance":  # the type of a fixture
        getattr(pytest_relevance, name)
pytest_relevance.evaluate({"q": {"a": 1}}, {"q": ["a"]})
print("pytest" in sys.modules)
"""
    assert printed(program) == "False"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        # an error for type checkers too: mypy refuses a comment that ignores nothing
        pytest_relevance.evaluat  # type: ignore[attr-defined]  # noqa: B018


def test_benchmarks_import_what_is_there() -> None:
    files = (ROOT / "benchmarks").glob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    line = re.compile(r"^from (pytest_relevance[.\w]*) import (.*)$", re.MULTILINE)
    imports = line.findall(text)
    assert len(imports) >= 20
    for module, names in imports:
        for name in re.findall(r"\w+", names):
            assert hasattr(import_module(module), name), f"{module}.{name}"
