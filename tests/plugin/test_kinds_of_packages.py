"""What another package adds by entry points: the examples of
docs/reference/extending.md.
"""

import re
import sys
from collections.abc import Callable

import pytest

from pytest_relevance import compare_runs, read_judgments, read_run, read_suite
from tests.helpers import install_package
from tests.plugin.conftest import Command, Project, one_line
from tests.walkthrough import PAGES, blocks

RECORD = "--relevance-record=run.jsonl"


def example(beginning: str) -> str:
    """The example of the page with a line that begins so."""
    (found,) = (
        block.text
        for block in blocks(PAGES["reference/extending.md"], "python")
        if f"\n{beginning}" in block.text
    )
    return found


class Package(Project):
    """A project in whose environment a package `my_package` is installed, with an
    example of the page.
    """

    def install(self, group: str, name: str = "") -> None:
        """Install the package with the example of this name, an entry point of the
        group; without a name, with the example of a command.
        """
        code = example(f"{name} = " if name else "def declare(")
        point = (
            f"{name.lower()} = my_package:{name}" if name else "queries = my_package"
        )
        install_package(self.path / "site", "my_package", code, **{group: point})
        self.conftest()

    def change(self, old: str, new: str) -> None:
        """Change the code of the package."""
        file = self.path / "site/my_package.py"
        code = file.read_text(encoding="utf-8")
        assert old in code
        file.write_text(code.replace(old, new), encoding="utf-8")


Uninstall = Callable[[], None]


@pytest.fixture
def package(project: Project, monkeypatch: pytest.MonkeyPatch) -> Package:
    monkeypatch.syspath_prepend(project.path / "site")
    return Package(project.pytester)


@pytest.fixture
def uninstall(package: Package, monkeypatch: pytest.MonkeyPatch) -> Uninstall:
    return lambda: monkeypatch.setattr(sys, "path", sys.path[1:])


def test_the_project_file_of_the_page_names_the_examples_of_the_page() -> None:
    (toml,) = blocks(PAGES["reference/extending.md"], "toml")
    names = re.findall(r'= "my_package:(\w+)"', toml.text)
    assert [example(f"{name} = ") for name in names]
    groups = re.findall(r'entry-points\."pytest_relevance\.(\w+)"', toml.text)
    assert len(groups) == len(names) + 1  # and the module of a command


# --- an expectation -------------------------------------------------------------------

MEETS, MISSES = "acme-1 acme-2 nord-1", "acme-1 acme-2"


@pytest.fixture
def brands(package: Package) -> Package:
    """A suite with the expectation `brands` of a package."""
    package.install("expectations", "BRANDS")
    cases = f"cases: [{{query: {MEETS}}}, {{query: {MISSES}}}]"
    package.cases(f"expect: {{brands: 2}}\n{cases}")
    return package


def test_an_expectation_of_a_package_decides_a_case(brands: Package) -> None:
    run = brands.run(RECORD)
    assert run.outcomes == {MEETS: "passed", MISSES: "failed"}
    assert "brands: 1 found, expected 2 or more" in run.failure(MISSES)
    recorded = brands.recorded()
    outcomes = [result.evaluation.outcomes[0] for result in recorded.results]
    values = [(one.kind, one.value, one.met) for one in outcomes]
    assert values == [("brands", 2, True), ("brands", 1, False)]
    assert compare_runs(recorded, recorded).judge().passed


def test_an_expectation_of_a_package_looks_at_the_results_of_its_rank(
    brands: Package,
) -> None:
    brands.cases(f"expect: {{brands@2: 2}}\ncases: [{{query: {MEETS}}}]")
    run = brands.run("--relevance-update=all")
    assert "brands@2: 1 found, expected 2 or more" in run.failure(MEETS)
    again = brands.run().failure(MEETS)
    assert "brands@2: 1 found, expected 2 or more" in again
    assert "missed by more" not in again  # the kind does not say which is worse


def test_the_reader_refuses_what_an_expectation_of_a_package_refuses(
    brands: Package,
) -> None:
    path = brands.cases("cases: [{query: boots, expect: {brands: many}}]")
    with pytest.raises(ValueError, match="expected a number of brands"):
        read_suite(path)
    brands.cases("cases: [{query: boots, expect: {brnds: 2}}]")
    assert 'did you mean "brands"' in brands.run().text


@pytest.mark.usefixtures("brands")
def test_the_schema_has_an_expectation_of_a_package(command: Command) -> None:
    schema = command("schema")
    assert schema.code == 0
    assert '"brands": {' in schema.out


def test_what_the_accepted_ranking_met_is_newly_missed(brands: Package) -> None:
    brands.cases("expect: {brands: 2}\ncases: [{query: acme-1 nord-1}]")
    brands.run("--relevance-update=all")
    brands.search("return lambda query: ['acme-1', 'acme-2']")
    baseline = brands.run().results["acme-1 nord-1"].baseline
    assert baseline is not None
    assert baseline.newly_failing


def test_an_expectation_that_raises_names_its_package(brands: Package) -> None:
    brands.change("brands = {", "1 / 0\n        brands = {")
    raised = "brands (my_package:BRANDS) raised ZeroDivisionError"
    assert raised in brands.run().text


FAILING_METHODS = (
    *("cutoff(self, expected)", "depth(self, expected)"),
    *("looks_at_all(self, expected)", "most_results(self, expected)"),
    *("allowed_ranks(self, expected, k)", "open_rank(self, expected, k, ranking)"),
    "open_rank_without_k(self, expected, k, ranking)",
    *("missed_as_badly(self, both)", "is_comparable(self, both)"),
    "implies(self, both)",
)


@pytest.mark.parametrize("method", FAILING_METHODS)
def test_any_method_of_an_expectation_that_raises_names_its_package(
    brands: Package, method: str
) -> None:
    brands.run("--relevance-update")
    explain = "    def explain"
    brands.change(explain, f"    def {method}:\n        return 1 / 0\n\n{explain}")
    if method.startswith("implies"):
        brands.cases(f"expect: {{brands: 3}}\ncases: [{{query: {MEETS}}}]")
    text = one_line(brands.run("-v", "-rA").text)
    assert "brands (my_package:BRANDS) raised ZeroDivisionError" in text
    assert "INTERNALERROR" not in text


MADE = "[Expectation(kind=self.name, written=key, bound=value, within=within)]"


@pytest.mark.parametrize(
    ("made", "says"),
    [
        ("None", "check returned None, not a list of Expectation, nor what at.refuse"),
        (MADE[1:-1], "check returned Expectation(kind='brands', "),
        ("[3]", "check returned a list with 3, not an Expectation"),
        (MADE.replace("=value", "={'least': 2}"),
            "an Expectation whose bound is {'least': 2}; it has to be a number"),
        (MADE.replace("self.name", "'brnds'"),
            "whose kind is 'brnds'; it has to be \"brands\""),
        (MADE.replace("bound=value", "documents='acme'"),
            "whose documents is 'acme'; it has to be a tuple of texts"),
        (MADE.replace("within=within", "within=2.5"),
            "whose within is 2.5; it has to be a whole number or None"),
        (MADE.replace("bound=value", "conditions=[FieldCondition('x', '==', [None])]"),
            "whose values are texts, numbers and booleans"),
    ],
)  # fmt: skip
def test_an_expectation_that_no_record_can_hold_is_refused(
    brands: Package, made: str, says: str
) -> None:
    brands.change(MADE, made)
    brands.change("import Expectation, ", "import Expectation, FieldCondition, ")
    with pytest.raises(ValueError, match=r"brands \(my_package:BRANDS\)") as refused:
        read_suite(brands.path / "shop.relevance.yaml")
    assert says in str(refused.value)
    assert str(refused.value).count("an entry point of the package my_package") == 1


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("outcome_of(expected, len", "bool(len", "judge returned True, not an Outcome"),
        ("=len(brands))", "='two')", "judge returned an Outcome whose value is 'two'"),
        ('return f"{reason', 'f"{reason', "explain returned None, not a text"),
    ],
)  # fmt: skip
def test_what_an_expectation_returns_wrongly_names_its_package(
    brands: Package, old: str, new: str, says: str
) -> None:
    if "bool" in new:
        brands.change(", value=len(brands))", ")")
    brands.change(old, new)
    text = one_line(brands.run().text)
    assert f"brands (my_package:BRANDS): {says}" in text
    assert "it is an entry point of the package my_package" in text


def test_a_class_in_place_of_its_object_is_told_once(brands: Package) -> None:
    brands.change("BRANDS = Brands()", "BRANDS = Brands")
    with pytest.raises(ValueError, match="is a class") as refused:
        read_suite(brands.path / "shop.relevance.yaml")
    said = str(refused.value)
    assert "is a class; make an object of it, BRANDS = Brands(), and name that" in said
    assert said.count("it is an entry point of the package my_package") == 1


def test_a_report_names_an_expectation_whose_package_is_gone(
    brands: Package, uninstall: Uninstall, command: Command
) -> None:
    brands.run(RECORD)
    uninstall()
    assert "brands is not met" in command("report", "run.jsonl").out


@pytest.mark.parametrize(
    ("group", "name", "suite"),
    [
        ("expectations", "p", "expect: {P: {soups: 1}}"),
        ("expectations", "ndcg", "expect: {brands: 3}"),
        ("gates", "tag", "gates: [{tag: head}]"),
        ("gates", "id", "gates: [{max_empty: 3}]"),
    ],
)
def test_a_name_of_a_metric_or_of_an_option_of_a_gate_is_taken(
    package: Package, group: str, name: str, suite: str
) -> None:
    points = {group: f"{name} = my_package:KIND"}
    install_package(package.path / "site", "my_package", "", **points)
    path = package.cases(f"{suite}\ncases: [{{query: boots, tags: [head]}}]")
    with pytest.raises(
        ValueError, match=rf"the entry point {name} .* my_package has a "
    ):
        read_suite(path)


# --- a gate ---------------------------------------------------------------------------


@pytest.fixture
def max_empty(package: Package) -> Package:
    """A suite with the gate `max_empty` of a package, and a query that finds
    nothing.
    """
    package.install("gates", "MAX_EMPTY")
    package.search("return lambda query: ['b1'] if query == 'boots' else []")
    gates = "gates: [{max_empty: 0}, {max_empty: 1, id: one}]"
    package.cases(f"{gates}\ncases: [{{query: boots}}, {{query: nothing}}]")
    return package


def test_a_gate_of_a_package_is_judged(max_empty: Package, command: Command) -> None:
    run = max_empty.run(RECORD)
    assert run.gates == {"gate[max_empty 0]": "failed", "gate[one]": "passed"}
    found = "1 cases returned nothing, allowed are 0"
    assert found in run.failure("gate[max_empty 0]")
    assert found in command("report", "run.jsonl").out


def test_the_reader_refuses_what_a_gate_of_a_package_refuses(
    max_empty: Package,
) -> None:
    path = max_empty.cases("gates: [{max_empty: few}]\ncases: [{query: boots}]")
    with pytest.raises(ValueError, match="expected a number of cases"):
        read_suite(path)


@pytest.mark.usefixtures("max_empty")
def test_the_schema_has_a_gate_of_a_package(command: Command) -> None:
    assert '"max_empty": {' in command("schema").out


def test_a_gate_whose_package_is_gone_is_not_met(
    max_empty: Package, uninstall: Uninstall, command: Command
) -> None:
    max_empty.run(RECORD)
    uninstall()
    said = command("report", "run.jsonl").out
    assert said.count("no installed package judges a gate with max_empty") == 4


def test_a_gate_that_raises_names_its_package(max_empty: Package) -> None:
    max_empty.change("gate.value)", "1 / 0)")
    raised = "max_empty (my_package:MAX_EMPTY) raised ZeroDivisionError"
    assert raised in max_empty.run().failure("gate[one]")


def test_a_gate_whose_package_cannot_say_if_it_is_stricter_is_looser(
    max_empty: Package,
) -> None:
    max_empty.run("--relevance-update")
    max_empty.change(
        "    def judge",
        "    def implies(self, now, before):\n        1 / 0\n\n    def judge",
    )
    gates = "gates: [{max_empty: 0}, {max_empty: 2, id: one}]"
    max_empty.cases(f"{gates}\ncases: [{{query: boots}}, {{query: nothing}}]")
    text = one_line(max_empty.run().text)
    assert 'a gate is looser: max_empty 1 ("one") -> max_empty 2 ("one"); it' in text
    raised = "max_empty (my_package:MAX_EMPTY) raised ZeroDivisionError"
    assert f"it is not known if that is stricter: {raised}" in text


@pytest.mark.parametrize("value", ["{value}", "float('nan')", "object()"])
def test_a_gate_that_no_record_can_hold_is_refused(
    max_empty: Package, value: str
) -> None:
    max_empty.change("return value if", f"return {value} if")
    with pytest.raises(ValueError, match="it has to be a value that JSON can hold"):
        read_suite(max_empty.path / "shop.relevance.yaml")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("EmptyFinding(Finding)", "EmptyFinding", "judge returned EmptyFinding(empty=1"),
        ('kind = "max_empty"', 'kind = "empty"', "a finding whose kind is 'empty'; it has"),
        ('kind = "max_empty"', "", "a finding whose kind is None; it has to be"),
        ("yield EmptyFinding", "EmptyFinding", "judge returned None, not an Iterable"),
        ("return self.empty", "return self.emty", " raised AttributeError"),
    ],
)  # fmt: skip
def test_what_a_gate_returns_wrongly_names_its_package(
    max_empty: Package, old: str, new: str, says: str
) -> None:
    max_empty.change(old, new)
    told = one_line(max_empty.run().failure("gate[one]"))
    assert "max_empty (my_package:MAX_EMPTY)" in told
    assert says in told
    assert "it is an entry point of the package my_package" in told


# --- formats of files -----------------------------------------------------------------


def test_a_format_of_judgments_of_a_package_is_recognised_and_written(
    package: Package, command: Command
) -> None:
    package.install("formats", "SHOP_LOG")
    package.write("shop.log", "shop-log\nboots|b1|3\nshoes|s2|1\n")
    assert read_judgments("shop.log") == {"boots": {"b1": 3}, "shoes": {"s2": 1}}
    command("convert", "shop.log", "again.log", "--to=shop_log")
    assert read_judgments("again.log") == read_judgments("shop.log")


def test_a_format_of_judgments_of_a_package_says_where_a_mistake_is(
    package: Package,
) -> None:
    package.install("formats", "SHOP_LOG")
    package.write("shop.log", "shop-log\nboots|b1|3\nshoes|s2\n")
    with pytest.raises(ValueError, match=r"^shop.log:3: expected query\|document\|"):
        read_judgments("shop.log")
    package.write("shop.log", "shop-log\nboots|b1|good\n")
    with pytest.raises(ValueError, match=r'^shop.log:2: .* "good" is not a number'):
        read_judgments("shop.log")


def test_a_format_of_runs_of_a_package_is_recognised(package: Package) -> None:
    package.install("run_formats", "SHOP_RUN")
    package.write("shop.run", "shop-run\nboots|b1 b2\n")
    assert read_run("shop.run") == {"boots": ["b1", "b2"]}


def test_a_format_that_is_not_written_is_listed_with_those_that_are(
    package: Package, command: Command
) -> None:
    package.install("formats", "SHOP_LOG")
    package.write("shop.log", "shop-log\nboots|b1|3\n")
    said = command("convert", "shop.log", "shop.foo", "--to=shop-log").err
    assert "choose case-file, csv, jsonl, trec, run or shop_log" in said


# --- a shape --------------------------------------------------------------------------


HITS = """
    import asyncio
    from types import SimpleNamespace
    import pytest

    def answer(query):
        return SimpleNamespace(hits=[{"id": "b1"}])

    async def answer_later(query):
        await asyncio.sleep(0.1 if query == "shoes" else 0)
        return answer(query)

    def answer_with_score(query):
        return [(SimpleNamespace(id="b1"), 0.9)]

    @pytest.fixture(scope="session")
    def search():
        return SEARCH
"""
"""A search whose response the shapes of packages are asked about."""


SLOW = """
import time
from pytest_relevance.extending import ResponseShape

time.sleep(2)
open("imported", "w").close()
SLOW = ResponseShape(name="slow")
"""
"""A package with a shape, whose import takes long."""


@pytest.mark.parametrize(
    ("search", "options"),
    [
        ("answer", []),
        ("answer_later", ["--relevance-concurrency=2"]),
        ("answer_with_score", []),
    ],
    ids=["alone", "several at once", "objects with scores"],
)
def test_the_import_of_what_reads_a_response_is_no_latency(
    package: Package, search: str, options: list[str]
) -> None:
    site = package.path / "site"
    install_package(site, "my_package", SLOW, shapes="slow = my_package:SLOW")
    path = f"    import sys\n    sys.path.insert(0, {str(site)!r})\n"
    package.conftest(path + HITS.replace("SEARCH", search))
    package.cases("cases: [{query: boots}, {query: shoes}]")
    package.run_apart(RECORD, *options)
    calls = [result.call for result in package.recorded().results]
    assert (package.path / "imported").exists()
    assert len(calls) == 2
    assert all(call.latency is not None and call.latency < 1 for call in calls)


# --- a diagnosis ----------------------------------------------------------------------


@pytest.fixture
def always_slow(package: Package) -> Package:
    """A package with the diagnosis `always_slow`, for which any latency is long."""
    package.install("diagnoses", "ALWAYS_SLOW")
    package.change("> 2", "> 0")
    package.cases("cases: [{query: boots}, {query: shoes}]")
    return package


def test_a_diagnosis_of_a_package_is_told_and_recorded(always_slow: Package) -> None:
    run = always_slow.run(RECORD)
    assert "search took over 2 s in all 2 cases: is the cache" in run.text
    (fault,) = always_slow.recorded().info.faults
    assert (fault.kind, fault.cases) == ("always_slow", 2)
    assert fault.message.startswith("took over 2 s in all 2 cases")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("return slow", "return 1 / 0", "raised ZeroDivisionError: division by zero"),
        ("return slow", "return [1]; return slow", "find gave 1, not a result of a case"),
        ("return f", "return 1 / 0, f", "raised ZeroDivisionError: division by zero"),
        ("ALWAYS_SLOW =", "SLOW =", "raised AttributeError"),
    ],
)  # fmt: skip
def test_a_diagnosis_that_cannot_be_made_names_its_package(
    always_slow: Package, old: str, new: str, says: str
) -> None:
    always_slow.change(old, new)
    run = always_slow.run()
    assert run.counts["passed"] == 2
    text = one_line(run.text)
    assert "always_slow (my_package:ALWAYS_SLOW)" in text
    assert says in text


# --- a check of case files, and a command ---------------------------------------------


@pytest.fixture
def untagged(package: Package) -> Package:
    """A package with the check `untagged`, and a suite with a case that has no tag."""
    package.install("checks", "UNTAGGED")
    package.cases("cases: [{query: boots}, {query: shoes, tags: [head]}]")
    return package


@pytest.mark.usefixtures("untagged")
def test_a_check_of_a_package_warns(command: Command) -> None:
    checked = command("check", "--strict", "shop.relevance.yaml")
    assert checked.code == 1
    assert "warning: each case needs a tag: tags: [head]" in checked.out
    assert 'shop.relevance.yaml:1: "boots": no tag' in checked.out
    assert checked.out.endswith("no errors, 1 warning")


def test_a_check_that_raises_names_its_package(
    untagged: Package, command: Command
) -> None:
    untagged.change("yield Problem", "yield 1, Problem")
    checked = command("check", "shop.relevance.yaml")
    assert checked.code == 2
    raised = "untagged (my_package:UNTAGGED) raised TypeError: find gave (1"
    assert raised in checked.err


@pytest.fixture
def queries(package: Package) -> Package:
    """A package with the command `queries`, and a suite."""
    package.install("commands")
    package.cases("cases: [{query: boots}, {query: shoes}]")
    return package


@pytest.mark.usefixtures("queries")
def test_a_command_of_a_package_runs_and_is_in_the_help(command: Command) -> None:
    listed = command("queries", "shop.relevance.yaml")
    assert (listed.code, listed.out) == (0, "boots shoes")
    assert "Print the queries of a case file" in command("--help").out


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("return 0", "return 1 / 0", "raised ZeroDivisionError: division by zero"),
        ("return 0", "return None", "returned None, not an exit code"),
        ("def declare", "def declares", "has no function declare"),
    ],
)
def test_a_command_that_fails_names_its_package(
    queries: Package, command: Command, old: str, new: str, says: str
) -> None:
    queries.change(old, new)
    failed = command("queries", "shop.relevance.yaml")
    assert failed.code == 2
    assert f"queries (my_package) {says}" in failed.err
