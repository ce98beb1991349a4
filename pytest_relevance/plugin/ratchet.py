"""`--relevance-ratchet`: after the run, `min_ndcg` in the case files is raised to what was reached, less the tolerance.

Only those characters of a file change, and only of a file that is what it was when it was collected.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import pytest

from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance._files import write_whole
from pytest_relevance.plugin.after import AfterRun, Said
from pytest_relevance.plugin.ledger import ledger_of
from pytest_relevance.plugin.options import tolerance, verbosity
from pytest_relevance.plugin.running import CaseRun
from pytest_relevance.reports.text import harmless
from pytest_relevance.results.baseline_io import locked
from pytest_relevance.results.ratchet import Ratcheted, Reached, raised, ratcheted
from pytest_relevance.results.scoring import PASSED
from pytest_relevance.results.values import defined
from pytest_relevance._text import counted, listed, quoted

OPTION = "--relevance-ratchet"

REACHED = "relevance_reached"
"""The attribute of a report that carries what cases reached, where floors are to be raised."""

MOST_NAMED = 5
"""How many raised floors the summary names."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A case file as it was collected: what it was, and how many items each of its cases became."""

    digest: str
    items: Counter[str]


_SEEN: pytest.StashKey[dict[str, _Seen]] = pytest.StashKey()


def note(config: pytest.Config, file: str, data: bytes, runs: Iterable[CaseRun]) -> None:
    """Keep what must be known of a case file that was collected."""
    config.stash.setdefault(_SEEN, {})[file] = _Seen(_digest(data), Counter(run.case.id for run in runs))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def reached(config: pytest.Config, report: pytest.TestReport, runs: Iterable[CaseRun]) -> list[str]:
    """What cases that ended reached, as text that travels."""
    found = []
    for run in runs:
        if run.function is None:
            continue
        case, scored, seen = run.case, run.scored, config.stash[_SEEN][run.file]
        own = case.terms.tolerance
        what = Reached(
            case.id,
            case.min_ndcg,
            None if scored is None else defined(scored.score),
            tolerance(config) if own is None else own,
            passed=scored is not None
            and scored.verdict == PASSED
            and report.passed
            and not hasattr(report, "wasxfail"),
            variants=seen.items[case.id],
            source=case.source,
        )
        found.append(json.dumps([run.file, seen.digest, what.values()]))
    return found


def install(config: pytest.Config) -> None:
    """Register what raises the floors. A worker of pytest-xdist raises none."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Ratchet(config), "relevance-ratchet")


class Ratchet(AfterRun[str]):
    """What raises floors after the run."""

    option = OPTION
    attribute = REACHED

    def act(self, found: Iterable[str]) -> Iterator[Said]:
        """Raise the floors in each file of which a case ran."""
        by_file: dict[tuple[str, str], list[Reached]] = defaultdict(list)
        for text in found:
            file, digest, values = json.loads(text)
            by_file[file, digest].append(Reached(**values))
        if not by_file:
            yield "no floor is raised: no case ran", True
        for (file, digest), cases in sorted(by_file.items()):
            yield from self._raise(file, digest, raised(cases))

    def _raise(self, file: str, digest: str, cases: dict[str, Reached]) -> Iterator[Said]:
        shown = harmless(file)
        elsewhere = {name: case.source for name, case in cases.items() if case.source is not None}
        floors = {name: case.new_floor for name, case in cases.items() if name not in elsewhere}
        try:
            result = self._change(Path(ledger_of(self._config).files[file].path), shown, digest, floors)
        except _Changed:
            yield f"no floor is raised in {shown}: the file was changed during the run; run it again", False
            return
        except CaseFileError as error:
            why = harmless(error.problems[0].render(file))
            yield f"no floor is raised in {shown}, which cannot be read any more: {why}", False
            return
        except OSError as error:
            yield f"no floor is raised in {shown}: the file cannot be written: {error.strerror or error}", False
            return
        yield f"floors of {shown}: {self._counted(result, cases)}", True
        for refusal in result.refusals:
            yield f"a floor that is not raised: {harmless(refusal)}", True
        if elsewhere:
            floors_of = counted(len(elsewhere), "floor that could rise is not", "floors that could rise are not")
            sources = listed((harmless(str(source)) for source in dict.fromkeys(elsewhere.values())), "and")
            yield f"{floors_of} written in {shown}: the cases come from {sources}", True

    @staticmethod
    def _change(path: Path, shown: str, digest: str, floors: dict[str, float]) -> Ratcheted:
        with locked(path.parent):
            data = path.read_bytes()
            if floors and _digest(data) != digest:
                raise _Changed
            result = ratcheted(data, str(path), shown, floors)
            if result.changes:
                write_whole(path, result.data)
        return result

    def _counted(self, result: Ratcheted, cases: dict[str, Reached]) -> str:
        """`2 raised: "smart watch" 0.5 -> 0.714, "usb hub" 0.6 -> 0.95`."""
        if not result.changes:
            return "none is raised"
        named = [f"{quoted(change.case, 40)} {cases[change.case].floor:g} -> {change.new}" for change in result.changes]
        if verbosity(self._config.option) <= 0 and len(named) > MOST_NAMED + 1:
            named = [*named[:MOST_NAMED], f"{len(named) - MOST_NAMED} more (-v shows all)"]
        return f"{len(result.changes):,} raised: {', '.join(named)}"


class _Changed(Exception):
    """A case file is not what it was when it was collected."""
