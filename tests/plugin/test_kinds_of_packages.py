"""What another package adds by entry points: the examples of
docs/reference/hooks.md.
"""

import sys
from pathlib import Path

import pytest

from pytest_relevance import Run, compare_runs, read_suite
from pytest_relevance.cli import main
from tests.plugin.conftest import Project
from tests.walkthrough import PAGES, blocks

CASES = """
    expect: {brands: 2}
    cases:
    - query: acme-1 acme-2 nord-1
    - query: acme-1 acme-2
"""


def example(name: str) -> str:
    """The example of a page that defines a name."""
    (found,) = (
        block.text
        for block in blocks(PAGES["reference/hooks.md"], "python")
        if f"\n{name} = " in block.text
    )
    return found


def command_example() -> str:
    """The example of the page that is the module of a command."""
    (found,) = (
        block.text
        for block in blocks(PAGES["reference/hooks.md"], "python")
        if "def declare(" in block.text
    )
    return found


def install(project: Project, monkeypatch: pytest.MonkeyPatch, **groups: str) -> None:
    """Install a package `my_package` with the examples of these names, an entry point
    of each group.
    """
    points, code = "", ""
    for group, name in groups.items():
        points += f"[pytest_relevance.{group}]\n{name.lower()} = my_package:{name}\n"
        code += example(name)
    install_code(project, monkeypatch, points, code)


def install_code(
    project: Project, monkeypatch: pytest.MonkeyPatch, points: str, code: str
) -> None:
    """Install a package `my_package` of one module, with these entry points."""
    folder = project.path / "site"
    info = folder / "my_package-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    about = "Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n"
    (info / "METADATA").write_text(about, encoding="utf-8")
    (folder / "my_package.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    project.conftest()


@pytest.fixture
def brands(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite with the expectation `brands` of a package."""
    install(project, monkeypatch, expectations="BRANDS")
    return project.cases(CASES)


def test_an_expectation_of_a_package_decides_a_case(
    brands: Path, project: Project
) -> None:
    run = project.run()
    assert run.outcomes == {
        "acme-1 acme-2 nord-1": "passed",
        "acme-1 acme-2": "failed",
    }
    assert "brands: 1 found, expected 2 or more" in run.failure("acme-1 acme-2")


def test_the_reader_refuses_what_an_expectation_of_a_package_refuses(
    brands: Path, project: Project
) -> None:
    path = project.cases("cases: [{query: boots, expect: {brands: many}}]")
    with pytest.raises(ValueError, match="expected a number of brands"):
        read_suite(path)


def test_a_mistake_is_told_an_expectation_of_a_package(
    brands: Path, project: Project
) -> None:
    project.cases("cases: [{query: boots, expect: {brnds: 2}}]")
    assert 'did you mean "brands"' in project.run().text


@pytest.mark.usefixtures("brands")
def test_the_schema_has_an_expectation_of_a_package(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["schema"]) == 0
    assert '"brands": {' in capsys.readouterr().out


def test_a_record_has_an_expectation_of_a_package(
    brands: Path, project: Project
) -> None:
    project.run("--relevance-record=run.jsonl")
    run = Run.open(project.path / "run.jsonl")
    outcomes = [result.evaluation.outcomes[0] for result in run.results]
    assert [(one.kind, one.value, one.met) for one in outcomes] == [
        ("brands", 2, True),
        ("brands", 1, False),
    ]
    assert compare_runs(run, run).judge().passed


def test_what_the_accepted_ranking_met_is_newly_missed(
    brands: Path, project: Project
) -> None:
    project.cases("expect: {brands: 2}\ncases: [{query: acme-1 nord-1}]")
    project.run("--relevance-update=all")
    project.search("return lambda query: ['acme-1', 'acme-2']")
    baseline = project.run().results["acme-1 nord-1"].baseline
    assert baseline is not None
    assert baseline.newly_failing


def test_an_expectation_that_raises_names_its_package(
    brands: Path, project: Project
) -> None:
    package = project.path / "site" / "my_package.py"
    code = package.read_text(encoding="utf-8")
    code = code.replace("brands = {", "1 / 0\n        brands = {")
    package.write_text(code, encoding="utf-8")
    text = project.run().text
    assert "brands (my_package:BRANDS) raised ZeroDivisionError" in text


def test_a_report_names_an_expectation_whose_package_is_gone(
    brands: Path,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.run("--relevance-record=run.jsonl")
    monkeypatch.setattr(sys, "path", sys.path[1:])
    main(["report", str(project.path / "run.jsonl")])
    assert "brands is not met" in capsys.readouterr().out


EMPTY = """
    gates: [{max_empty: 0}, {max_empty: 1, id: one}]
    cases: [{query: boots}, {query: nothing}]
"""


@pytest.fixture
def max_empty(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite with the gate `max_empty` of a package, and a query that finds
    nothing.
    """
    install(project, monkeypatch, gates="MAX_EMPTY")
    project.search("return lambda query: ['b1'] if query == 'boots' else []")
    return project.cases(EMPTY)


def test_a_gate_of_a_package_is_judged(max_empty: Path, project: Project) -> None:
    run = project.run()
    assert run.outcomes["gate[max_empty 0]"] == "failed"
    assert run.outcomes["gate[one]"] == "passed"
    text = "1 cases returned nothing, allowed are 0"
    assert text in run.failure("gate[max_empty 0]")


def test_the_reader_refuses_what_a_gate_of_a_package_refuses(
    max_empty: Path, project: Project
) -> None:
    path = project.cases("gates: [{max_empty: few}]\ncases: [{query: boots}]")
    with pytest.raises(ValueError, match="expected a number of cases"):
        read_suite(path)


@pytest.mark.usefixtures("max_empty")
def test_the_schema_has_a_gate_of_a_package(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["schema"]) == 0
    assert '"max_empty": {' in capsys.readouterr().out


def test_a_report_judges_a_gate_of_a_package_anew(
    max_empty: Path, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.run("--relevance-record=run.jsonl")
    main(["report", str(project.path / "run.jsonl")])
    assert "1 cases returned nothing, allowed are 0" in capsys.readouterr().out


def test_a_gate_whose_package_is_gone_is_not_met(
    max_empty: Path,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.run("--relevance-record=run.jsonl")
    monkeypatch.setattr(sys, "path", sys.path[1:])
    main(["report", str(project.path / "run.jsonl")])
    said = capsys.readouterr().out
    assert said.count("no installed package judges a gate with max_empty") == 2


def test_a_gate_that_raises_names_its_package(
    max_empty: Path, project: Project
) -> None:
    package = project.path / "site" / "my_package.py"
    code = package.read_text(encoding="utf-8")
    package.write_text(code.replace("gate.value)", "1 / 0)"), encoding="utf-8")
    text = project.run().failure("gate[one]")
    assert "max_empty (my_package:MAX_EMPTY) raised ZeroDivisionError" in text


@pytest.fixture
def always_slow(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with the diagnosis `always_slow`, for which any latency is long."""
    install(project, monkeypatch, diagnoses="ALWAYS_SLOW")
    change_package(project, "> 2", "> 0")
    return project.cases("cases: [{query: boots}, {query: shoes}]")


def change_package(project: Project, old: str, new: str) -> None:
    package = project.path / "site" / "my_package.py"
    code = package.read_text(encoding="utf-8")
    package.write_text(code.replace(old, new), encoding="utf-8")


@pytest.mark.usefixtures("always_slow")
def test_a_diagnosis_of_a_package_is_told(project: Project) -> None:
    assert "search took over 2 s in all 2 cases: is the cache" in project.run().text


@pytest.mark.usefixtures("always_slow")
def test_a_record_has_a_diagnosis_of_a_package(project: Project) -> None:
    project.run("--relevance-record=run.jsonl")
    (fault,) = Run.open(project.path / "run.jsonl").info.faults
    assert (fault.kind, fault.cases) == ("always_slow", 2)
    assert fault.message.startswith("took over 2 s in all 2 cases")


@pytest.mark.usefixtures("always_slow")
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("return slow", "return 1 / 0", "raised ZeroDivisionError: division by zero"),
        (
            "return slow",
            "return [1]; return slow",
            "find gave 1, not a result of a case",
        ),
        ("return f", "return 1 / 0, f", "raised ZeroDivisionError: division by zero"),
        ("ALWAYS_SLOW =", "SLOW =", "raised AttributeError"),
    ],
)
def test_a_diagnosis_that_cannot_be_made_names_its_package(
    project: Project, old: str, new: str, says: str
) -> None:
    change_package(project, old, new)
    run = project.run()
    assert set(run.outcomes.values()) == {"passed"}
    text = " ".join(run.text.split())
    assert "always_slow (my_package:ALWAYS_SLOW)" in text
    assert says in text


@pytest.fixture
def untagged(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with the check `untagged`, and a suite with a case that has no tag."""
    install(project, monkeypatch, checks="UNTAGGED")
    return project.cases(
        "cases: [{query: boots}, {query: shoes, tags: [head]}]", "shop.relevance.yaml"
    )


def test_a_check_of_a_package_warns(
    untagged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--strict", str(untagged)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "warning: each case needs a tag: tags: [head]" in said
    assert f'{untagged.name}:1: "boots": no tag' in said
    assert said.endswith("no errors, 1 warning")


def test_a_check_that_raises_names_its_package(
    untagged: Path, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    change_package(project, "yield Problem", "yield 1, Problem")
    assert main(["check", str(untagged)]) == 2
    said = capsys.readouterr().err
    assert "untagged (my_package:UNTAGGED) raised TypeError: find gave (1" in said


@pytest.fixture
def queries(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with the command `queries`, and a suite."""
    points = "[pytest_relevance.commands]\nqueries = my_package\n"
    install_code(project, monkeypatch, points, command_example())
    return project.cases("cases: [{query: boots}, {query: shoes}]")


def test_a_command_of_a_package_runs(
    queries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["queries", str(queries)]) == 0
    assert capsys.readouterr().out == "boots\nshoes\n"


@pytest.mark.usefixtures("queries")
def test_the_help_has_a_command_of_a_package(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--help"]) == 0
    assert "Print the queries of a case file\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("return 0", "return 1 / 0", "raised ZeroDivisionError: division by zero"),
        ("return 0", "return None", "returned None, not an exit code"),
        ("def declare", "def declares", "has no function declare"),
    ],
)
def test_a_command_that_fails_names_its_package(
    queries: Path,
    project: Project,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    says: str,
) -> None:
    change_package(project, old, new)
    assert main(["queries", str(queries)]) == 2
    said = capsys.readouterr().err
    assert f"queries (my_package) {says}" in said
