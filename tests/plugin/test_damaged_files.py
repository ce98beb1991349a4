"""Whatever a record or a baseline holds, it is read, or an error names the file and the
line. There is no traceback.
"""

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_relevance.cli import main
from tests.plugin.conftest import Project
from tests.plugin.shop import AGAINST, BASELINE, KNOWN, RECORD, UPDATE

CONFTEST = """
    import pytest

    SHOP = {f"d{n}": {"id": f"d{n}", "title": f"Title {n}", "brand": "xy"[n % 2], "price": 10.0 * n} for n in range(1, 9)}
    RANKINGS = {"boots": "d1 d2 d3", "red boots": "d2 d1", "hats": "d4 d3", "socks": "d5", "nothing": ""}

    def pytest_addoption(parser):
        parser.addoption("--worse", action="store_true")

    @pytest.fixture(params=["bm25", "hybrid"])
    def search(request, pytestconfig):
        def search(query, k=10, locale="", filters=None):
            if query == "raises":
                raise ConnectionError("no engine")
            found = RANKINGS[query].split()
            return [SHOP[name] for name in (found[::-1][1:] if pytestconfig.option.worse else found)]
        return search

    @pytest.fixture
    def relevance_fingerprint(pytestconfig):
        return {"index": "v2" if pytestconfig.option.worse else "v1", "documents": 8}

    def pytest_relevance_explain(document):
        return f"because of {document}"
"""

CASES = """
    min_ndcg: 0.7
    gates:
      - {mean: {nDCG@10: 0.5}}
      - {max_drop: {nDCG@10: 0.1}, tag: shoes}
      - {passing: 0.9}
      - {latency: {p50: "< 1s"}}
    cases:
      - query: boots
        tags: [shoes]
        weight: 2
        judgments: {d1: {grade: 3, title: Boots, note: see}, d2: 1, d7: 2}
        expect:
          {first: d1, include: [d2], exclude: [d8], order: [d1, d2], within: {d2: 3}, results: ">= 2", R@3: 0.5}
      - query: hats
        judgments: {d4: 3, d3: 1}
        params: {locale: en, filters: {brand: [x, 1]}}
        expect: {every@3: {brand: x}, some@2: {price: "< 5"}, none@3: {brand: y}, response: {0.brand: y}}
      - {query: red boots, judgments: {d1: 2}, expect: {same_as: boots}}
      - {query: socks, judgments: {d6: 1}}
      - {query: nothing, expect: {results: 0}}
      - {query: raises, judgments: {d1: 1}}
"""

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
    | st.sampled_from(["d1", "nDCG@10", ">=", "first", "every", "floor", "drop"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
"""Any JSON, with some texts that mean something in these files."""

ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
"""All examples of a test damage the files of one folder."""


def places_in(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of each value within a value: the keys and indexes that lead to it."""
    yield place
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places_in(each, (*place, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from places_in(each, (*place, index))


def changed(value: Any, place: Sequence[Any], new: Any) -> Any:
    """A copy of a value with another one at a place."""
    if not place:
        return new
    found = inner = deepcopy(value)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return found


class Lines:
    """A file of JSON lines, of which one is damaged at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = path.read_text(encoding="utf-8").splitlines()

    def damage(self, data: st.DataObject) -> str:
        """Put any JSON in any place of any line, and return the position as messages
        have it.
        """
        number = data.draw(st.integers(0, len(self._lines) - 1), "line")
        line = json.loads(self._lines[number])
        place = data.draw(st.sampled_from([*places_in(line)]), "place")
        line = changed(line, place, data.draw(VALUES, "value"))
        lines = [*self._lines]
        lines[number] = json.dumps(line)
        self.path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        return f"{self.path.name}:{number + 1}: "


@pytest.fixture
def shop(project: Project) -> Project:
    """A project with a baseline, a record of main, and one of a branch with worse
    rankings.
    """
    project.conftest(CONFTEST)
    project.cases(CASES)
    project.run(UPDATE, RECORD)
    project.run("--worse", "--relevance-record=run.jsonl", KNOWN)
    return project


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("run.jsonl", "report run.jsonl -vv"),
        ("run.jsonl", "report run.jsonl --format html"),
        ("run.jsonl", "report main.jsonl --against run.jsonl --format html"),
        ("run.jsonl", "compare run.jsonl main.jsonl --common --format html"),
        ("run.jsonl", "history main.jsonl run.jsonl"),
        ("run.jsonl", "merge run.jsonl main.jsonl --last"),
        (BASELINE, f"report run.jsonl --against {BASELINE} --format html"),
    ],
)
def test_a_damaged_file(
    shop: Project, name: str, arguments: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command is done, or refuses the file and names the line, or the file that is
    not whole.
    """
    lines = Lines(shop.path / name)

    @ONE_FOLDER
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        position = lines.damage(data)
        code = main(arguments.split())
        said = "".join(capfd.readouterr())
        assert "Traceback" not in said
        assert code in (0, 1) or position in said or f"{name}: " in said, said

    check()


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ('"conditions":[["brand","==",["x"]]]', '"conditions":[["brand","=="]]', "outcomes[0].conditions[0]"),
        ('"wrong":["d3"]', '"wrong":[{}]', "outcomes[0].wrong[0]"),
        ('"params":{"filters"', '"params":["en"],"more":{"filters"', "params"),
    ],
)  # fmt: skip
def test_a_run_beside_a_damaged_baseline_names_the_line(
    shop: Project, before: str, after: str, place: str
) -> None:
    path = shop.path / BASELINE
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    run = shop.run("--relevance-record=run.jsonl")
    assert run.code == pytest.ExitCode.INTERRUPTED
    number = text.partition(before)[0].count("\n") + 1
    assert f"{BASELINE}:{number}: the line is damaged: {place}: " in run.text
    assert "Traceback" not in run.text


def test_a_damaged_record_to_compare_with_is_refused(shop: Project) -> None:
    path = shop.path / "main.jsonl"
    text = path.read_text(encoding="utf-8")
    whole, damage = '"conditions":[["brand"', '"conditions":[["brand"],["x"'
    header, *results = text.splitlines(keepends=True)
    for damaged, said in (
        ([header, *"".join(results).replace(whole, damage, 1)],
         "evaluation.outcomes[0].conditions[0]: "),
        ([header.replace(whole, damage, 1), *results], "expect[0].conditions[0]: "),
    ):  # fmt: skip
        assert "".join(damaged) != text
        path.write_text("".join(damaged), encoding="utf-8")
        run = shop.run(AGAINST)
        assert run.code == pytest.ExitCode.USAGE_ERROR
        error = run.result.stderr.str()
        assert "main.jsonl:" in error
        assert f"damaged: {said}" in error
