"""What tests import: public names, the layer that their folder is named after, and of
the layers below only inputs.

Tests of a layer may also use what all layers share: the errors of files, and the reader
of tables and objects.

A test that looks inside is a reason not to change what is inside. So tests of the
plugin, of the command line, of the page in a browser and of the documentation use what
users have: pytest, `pytest-relevance`, `from pytest_relevance import ...`. No test uses
a name that begins with an underscore, or replaces a function of the package.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import pytest_relevance
from tests.helpers import statements, syntax_nodes

TESTS = Path(__file__).parent
FILES = {path.relative_to(TESTS).as_posix(): path for path in TESTS.rglob("*.py")}
PACKAGE = "pytest_relevance"
ROOT = Path(pytest_relevance.__file__).parents[1]
MODULES = set()
for path in (ROOT / PACKAGE).rglob("*.py"):
    MODULES.add(".".join(path.relative_to(ROOT).with_suffix("").parts))

LAYERS = (
    "metrics",
    "passages",
    "judgments",
    "cases",
    "results",
    "expectations",
    "gates",
    "reports",
    "ext",
)
"""The folders whose tests may import their own layer, the lowest first."""

COMMAND_LINE = {f"{PACKAGE}.cli.main", f"{PACKAGE}.cli.ABOUT"}
"""The entry point of `pytest-relevance`, and its commands, for every test."""

SHARED = {"_csv_cells", "_json_text", "_number_text", "_problems", "_source"}
"""The modules at the root that tests of every layer may use: errors of files, their
reader, numbers.
"""

INPUTS: Mapping[str, set[str]] = {
    "metrics": {
        "measures",
        "metric",
        "names",
        "ndcg",
        "settings",
        "significance",
        "similarity",
    },
    "passages": {"matching"},
    "judgments": {"model", "scale"},
    "cases": {"expectation", "model", "reader"},
    "results": {
        "case_parts",
        "case_result",
        "change_counts",
        "changes",
        "compare.differences",
        "deeper_search",
        "details",
        "near_passages",
        "records.run_info",
        "responses.errors",
        "responses.options",
        "responses.ranking",
        "responses.read_ranking",
        "responses.texts",
        "scored_ranking",
        "scoring",
        "unjudged",
    },
    "expectations": {"metric"},
    "gates": {"common_findings", "judging"},
}
"""The modules of a layer that tests of the layers above take inputs and expected values
from.
"""

EXCEPTIONS: Mapping[str, tuple[str, set[str]]] = {
    "helpers.py": (
        "makes cases, rankings, gates and results for all tests",
        {
            *("_problems", "cases.build", "cases.gates", "cases.model"),
            *("cases.location", "codec", "metrics.names"),
            *("results.case_parts", "results.details"),
            *("results.responses.options", "results.responses.ranking"),
            "results.responses.read_ranking",
            *("results.responses.response_values", "results.scoring"),
            "reports.reasons",
        },
    ),
    "test_codec.py": (
        "pins what each type hint becomes, and the path in each message",
        {"codec"},
    ),
    "browser/test_metrics_in_the_page.py": (
        "compares the arithmetic of the page with the functions that the page repeats",
        {
            "metrics.interval",
            "metrics.ndcg",
            "metrics.settings",
            "results.case_parts",
        },
    ),
    "browser/test_verdict_in_the_page.py": (
        "compares what the page makes of grades with the functions that it repeats",
        {
            "ext.html.page_rows",
            "metrics.ndcg",
            "results.case_parts",
            "results.certainty",
            "results.settling",
        },
    ),
    "plugin/conftest.py": (
        "reads what reports carry",
        {"plugin.attached"},
    ),
    "plugin/test_redaction.py": (
        "masks any text: a run of pytest for each would take minutes",
        {
            "plugin.known_secrets",
            "plugin.options",
            "plugin.redaction",
            "plugin.secret_patterns",
        },
    ),
    "cases/test_case_writing.py": (
        "writes and reads any case: commands would take minutes",
        {
            "ext.commands.case_file",
            "ext.commands.case_judgments",
            "ext.commands.yaml_text",
        },
    ),
    "results/test_merging.py": (
        "merges runs that are made in Python: files of records would take minutes",
        {"ext.merging.merge"},
    ),
    "reports/test_run_report.py": (
        "pins the report of a merged run beside that of a run",
        {"ext.merging.merge", "ext.merging.report"},
    ),
    "reports/test_widths.py": (
        "fits every report in text into terminals",
        {"ext.merging.report", "ext.merging.merge"},
    ),
    "gates/test_gates.py": (
        "pins the words of what gates find beside it",
        {"reports.run.gates"},
    ),
}
"""Files that import other modules, each with the reason and with these modules."""


def imported(source: str) -> Iterator[str]:
    """The names that a test imports from the package, with their modules."""
    for node in statements(source):
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name.name}" for name in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == PACKAGE)


def module_of(name: str) -> str:
    """The module of a name without that of the package: `metrics.names`; empty for a
    public name.
    """
    module = name if name in MODULES else name.rpartition(".")[0]
    return module.partition(".")[2]


def is_allowed(file: str, name: str) -> bool:
    """Whether a file of tests may import a name."""
    module = module_of(name)
    _, excepted = EXCEPTIONS.get(file, ("", set()))
    if not module or name in COMMAND_LINE or module in excepted:
        return True
    folder = file.partition("/")[0]
    if folder == "ext" and module.startswith("ext."):
        return True
    if folder not in LAYERS:
        return False
    module = re.sub(r"^ext\.formats\.", "judgments.", module)
    module = re.sub(r"^ext\.(html|markdown)\.", "reports.", module)
    module = re.sub(r"^ext\.judging\.", "results.", module)
    layer, _, inner = module.partition(".")
    is_below = layer in LAYERS[: LAYERS.index(folder)]
    return layer == folder or module in SHARED or (is_below and inner in INPUTS[layer])


def is_private(name: str) -> bool:
    """Whether a part of a name begins with one underscore."""
    private = [part for part in name.split(".") if re.match("_(?!_)", part)]
    return not SHARED.issuperset(private)


def refused(file: str, source: str) -> list[str]:
    """The names that a file imports and may not."""
    found = []
    for name in imported(source):
        if is_private(name) or not is_allowed(file, name):
            found.append(name)
    return found


def replaced(source: str) -> Iterator[str]:
    """What a test replaces in the package, but for limits, which are public and in
    capitals.
    """
    homes = {name.rpartition(".")[2]: name for name in imported(source)}
    for node in syntax_nodes(source):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr != "setattr":
            continue
        target, *others = node.args
        owner = ast.unparse(target).partition(".")[0]
        name = ""
        if isinstance(target, ast.Constant):
            name = str(target.value)
        elif owner in homes and others:
            name = f"{homes[owner]}.{ast.literal_eval(others[0])}"
        is_limit = re.fullmatch("[A-Z][A-Z_]*", name.rpartition(".")[2])
        if name.startswith(f"{PACKAGE}.") and not is_limit:
            yield name


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    """The text of every file of tests that names the package."""
    texts = {file: path.read_text(encoding="utf-8") for file, path in FILES.items()}
    return {file: text for file, text in texts.items() if PACKAGE in text}


def test_tests_import_what_they_may(sources: dict[str, str]) -> None:
    found = {file: refused(file, source) for file, source in sources.items()}
    assert {file: names for file, names in found.items() if names} == {}


def test_tests_replace_no_function(sources: dict[str, str]) -> None:
    found = {}
    for file, source in sources.items():
        if "setattr(" in source:  # to parse a file takes long
            found[file] = list(replaced(source))
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize("file", EXCEPTIONS)
def test_an_exception_names_what_its_file_imports_and_nothing_else(file: str) -> None:
    _, modules = EXCEPTIONS[file]
    source = FILES[file].read_text(encoding="utf-8")
    assert modules <= {module_of(name) for name in imported(source)}
