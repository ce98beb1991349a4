"""What tests of several parts share: cases, rankings and results without a run of
pytest, and blocks of text.
"""

import ast
import base64
import dataclasses
import gc
import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from html import unescape
from importlib.metadata import entry_points
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeVar
from unicodedata import category

from pytest_relevance import Case, CaseResult, Run
from pytest_relevance._problems import Problems
from pytest_relevance.cases.build import case_from_values
from pytest_relevance.cases.gates import check_gates
from pytest_relevance.cases.location import Location, Subject
from pytest_relevance.cases.model import Gate
from pytest_relevance.cli import main
from pytest_relevance.codec import decode, encode
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.reports.reasons import reason_texts
from pytest_relevance.results.case_parts import (
    IMPROVEMENT,
    REGRESSION,
    WITHIN,
    BaselineComparison,
    CaseCall,
    SearchError,
)
from pytest_relevance.results.details import with_details
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.responses.response_values import read_response_values
from pytest_relevance.results.scoring import score_case


def only_plugins(*names: str) -> list[str]:
    """Options that keep all installed plugins of pytest out of a run but
    pytest-relevance and these entry points.

    Importing some of them takes several times as long as all else.
    """
    wanted = ("relevance", *names)
    return [f"-pno:{name}" for name in _installed_plugins() if name not in wanted]


@cache
def _installed_plugins() -> list[str]:
    """The entry points of all installed plugins of pytest. Reading them takes long."""
    return sorted(entry_points(group="pytest11").names)


def install_package(site: Path, name: str, code: str, **points: str) -> None:
    """Install a package of one module in a folder, which has to be in `sys.path`.

    `points`: the lines of its entry points by group, `formats="bars = acme:bars"`.
    """
    groups = []
    for group, lines in points.items():
        groups.append(f"[pytest_relevance.{group}]\n{lines}\n")
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    (info / "METADATA").write_text(about, encoding="utf-8")
    (info / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")
    (site / f"{name}.py").write_text(code, encoding="utf-8")


Part = TypeVar("Part")


def travelled(part: Part) -> Part:
    """A result or another part of a record after its way through JSON."""
    return decode(type(part), json.loads(json.dumps(encode(part))))


def encoded(part: object) -> dict[str, Any]:
    """A result or another part of a record as JSON values."""
    values: dict[str, Any] = encode(part)
    return values


def values_of(kind: Callable[..., Any], *parts: Any, **named: Any) -> Any:
    """A strategy of Hypothesis: named tuples of these parts. `builds` would make up the
    fields with defaults too.
    """
    from hypothesis import strategies

    return strategies.builds(
        lambda *values, **others: kind(*values, **others), *parts, **named
    )


def _parsed(source: str) -> ast.Module:
    """The syntax tree of a module.

    CPython 3.11 raises SystemError where the garbage collector runs while it makes a
    tree, and what it calls makes one.
    """
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        if is_enabled:
            gc.enable()


def syntax_nodes(source: str) -> list[ast.AST]:
    """All nodes of the syntax tree of a module."""
    return [*ast.walk(_parsed(source))]


def statements(source: str) -> Iterator[ast.stmt]:
    """All statements of a module, wherever in it; most of its nodes are expressions,
    which are passed over.
    """
    pending: list[Any] = [_parsed(source)]
    while pending:
        node = pending.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            found = getattr(node, field, ())
            yield from (each for each in found if isinstance(each, ast.stmt))
            pending += found


def case_of(keys: Mapping[str, Any]) -> Case:
    """A case from its keys, as they are in a case file."""
    return case_from_values(keys)


def ranking_of(returned: object) -> Ranking:
    """The ranking in what a search returned."""
    return read_ranking(returned)


def ranking_for(case: Case, returned: object) -> Ranking:
    """The ranking in what a search returned, with all that the case looks at."""
    ranking = read_ranking(returned, ReadOptions(fields=case.fields))
    values = read_response_values(returned, case.response_conditions)
    return replace(ranking, response=values)


def passage_case(*passages: object, **keys: Any) -> Case:
    """A case with these passages, as they are in a case file, and these keys."""
    return case_of({"query": "q", "passages": list(passages), **keys})


def texts_of(*texts: str, **others: Any) -> Ranking:
    """A ranking of results with these texts. Their ids are d1, d2, ... unless given."""
    ids = others.pop("ids", [f"d{rank}" for rank in range(1, len(texts) + 1)])
    return Ranking(ids=ids, texts=texts, **others)


def scored(
    case: Case,
    returned: object,
    latency: float | None = None,
    asked: int | None = None,
    *,
    baseline: Callable[[CaseResult], BaselineComparison] | None = None,
    all_missing: bool = False,
) -> CaseResult:
    """The result of a case whose search returned this, after `latency` seconds, where
    it was asked for `asked` results.

    `baseline` compares the result with an accepted ranking. `all_missing` names every
    judged document that is missing.
    """
    ranking = read_ranking(
        returned, ReadOptions(fields=case.fields if case.expect else {})
    )
    result = score_case(case, ranking, CaseCall(latency=latency), asked, details=False)
    if baseline is not None:
        result = replace(result, baseline=baseline(result))
    return with_details(result, case, ranking, all_missing=all_missing)


def case_result(
    file: str,
    line: int,
    id: str,  # noqa: A002
    verdict: str,
    query: str = "",
    **fields: Any,
) -> CaseResult:
    """A result with these fields, by their names in a record."""
    return changed(CaseResult(file, line, id, verdict, query or id), **fields)


def changed(result: CaseResult, **fields: Any) -> CaseResult:
    """The result with other values of these fields, by their names in a record."""
    if fields.get("outcome") == fields.get("verdict", result.verdict):
        fields["outcome"] = ""
    own = _taken(fields, result)
    for part in ("origin", "conditions", "ranking", "texts", "evaluation", "call"):
        values = getattr(result, part)
        own_of_part = _taken(fields, values)
        if own_of_part:
            own[part] = replace(values, **own_of_part)
    assert not fields
    return replace(result, **own)


def _taken(values: dict[str, Any], part: Any) -> dict[str, Any]:
    """Take the values that are fields of this part."""
    found = {}
    for field in dataclasses.fields(part):
        if field.name in values:
            found[field.name] = values.pop(field.name)
    return found


def reasons_of(result: CaseResult) -> list[str]:
    """The reasons of a result in words."""
    return reason_texts(result)


def result_of(
    keys: Mapping[str, Any],
    ranking: object,
    latency: float | None = 0.012,
    *,
    file: str = "",
    line: int = 0,
    asked: int | None = None,
) -> CaseResult:
    """The result of a case.

    `keys` are those of a case in a case file, `ranking` is what the search returned
    after `latency` seconds, `asked` how many results it was asked for. The case stands
    in the line of a file where one is named.
    """
    result = scored(case_of(keys), ranking, latency, asked)
    if file:
        return replace(result, file=file, line=line, node=f"{file}::{result.id}")
    return result


def is_harmless(text: str) -> bool:
    """Whether text has no control character, line break or invisible one that could
    reorder or hide text.

    Joiners are none: scripts and emoji need them.
    """
    return all(
        character in "\u200c\u200d"
        or category(character) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
        for character in text
    )


def block(text: str) -> str:
    """A block of text without the indentation that it has in its test."""
    return dedent(text).removeprefix("\n")


def gates_of(*gates: Mapping[str, Any]) -> list[Gate]:
    """Gates of a case file; the first is in line 2."""
    checked = check_gates(gates, Location(Subject(Problems("case file"))))
    assert isinstance(checked, tuple)
    return [replace(gate, line=line) for line, gate in enumerate(checked, 2)]


def gate_record(
    condition: str,
    line: int = 1,
    bounds: Sequence[tuple[str, float]] = (),
    **values: Any,
) -> Gate:
    """A gate that a record has, with the condition as its id unless `values` name
    another. `bounds` are by the names of metrics.
    """
    of_metrics = tuple((metric_named(metric), bound) for metric, bound in bounds)
    values = {"id": condition, **values}
    return Gate(condition=condition, line=line, bounds=of_metrics, **values)


def write_page(run: Run, folder: Path) -> Path:
    """Write the HTML report of a run, as `pytest-relevance report` does from its
    record.
    """
    record, page = folder / "run.jsonl", folder / "report.html"
    run.write(record)
    assert main(["report", str(record), "--output", str(page)]) == 0
    return page


def page_values(page: str) -> dict[str, Any]:
    """The data that an HTML report carries for its script."""
    found = re.search(
        r'<script type="application/json" id="data" data-encoding="(\w+)">(.*?)</script>',
        page,
    )
    assert found is not None
    encoding, text = found.groups()
    values: dict[str, Any] = json.loads(
        gzip.decompress(base64.b64decode(text)) if encoding == "gzip" else text
    )
    return values


def compared(
    query: str, before: float, ranking: list[str], tag: str = ""
) -> CaseResult:
    """The result of a case with a floor of 0.5, whose accepted ranking has the score
    `before`, and `good` first.
    """
    case = {
        "query": query,
        "id": f"q-{query}",
        "judgments": {"good": 3},
        "min_ndcg": 0.5,
        "tags": [tag] if tag else [],
    }
    found = result_of(case, ranking, file="shop.relevance.yaml")
    change = (found.score or 0) - before
    standing = WITHIN
    if abs(change) > 0.05:
        standing = REGRESSION if change < 0 else IMPROVEMENT
    accepted = BaselineComparison(
        standing,
        before,
        documents=("good", "other"),
        grades=(3, None),
        newly_failing=found.verdict == "failed",
    )
    return changed(found, baseline=accepted)


def error_of(message: str) -> SearchError:
    """An error of a search."""
    return SearchError("ConnectionError", message, "conftest.py:3 in search")


def page_text(page: str) -> str:
    """What an HTML report shows where scripts are off, without markup: each element's
    text in a line.
    """
    body = re.sub(r"(?s)<script.*", "", page.partition("<body>")[2])
    texts = [unescape(part).strip() for part in re.split(r"<[^>]*>", body)]
    return "\n".join(filter(None, texts))


def verdict_of(page: str) -> tuple[str, str]:
    """The sentence of an HTML report, and what its colour tells."""
    found = re.search(r'<h1 data-verdict="(\w+)">(.*?)</h1>', page)
    assert found is not None
    return unescape(found[2]), found[1]
