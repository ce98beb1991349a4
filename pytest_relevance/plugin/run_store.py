"""`RunStore`: the results and case files of a run, in the process that receives all reports.

Under pytest-xdist the controller neither collects nor runs cases, and other plugins run each test in a process of its
own, so all data about cases comes from the attribute `relevance` of reports, of builtin types:

    {"cases": [CaseResult.to_dict(), ...],      # one for a case, one for each check of a test in Python
     "shown": CaseResult.to_dict(),             # the case that the report's failure is about, if any
     "files": {"shop.relevance.yaml": {...}},   # FileInfo, with the first report of a worker of pytest-xdist
     "collected": ["shop.relevance.yaml::boots"],  # with "files", if the tests run in another order
     "fingerprint": {"index": "products-20"},   # of the process, with its first report of a case
     "warnings": {"relevance_fingerprint": ""}, # by subject; the first about each subject is shown
     "documents": [[nodeid, number, {...}]],    # fields of results that were sent before their titles were known
     "lost": ["test_shop.py::test: \"boots\""],  # checks made after the last report of their test
     "passed_over": ["shop.YAML"],              # files that seem to be case files by content, not by name
     "errors": [RunError, ...]}                 # with the report of a file or folder that was not collected

The last report of an item counts, so that a case that is run again counts once. If a worker crashes, the results that
it has sent are kept; `RunStore.unfinished` names the cases that have none. The summary and the output files at the end
of a run are made from this data.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_relevance._text import first_few, harmless, printable
from pytest_relevance.plugin.options import CASE_FILES, redaction
from pytest_relevance.results.case_result import CaseResult, has_failed
from pytest_relevance.results.records.run_info import (
    FileInfo,
    Fingerprint,
    RunError,
    RunFinding,
    common,
)

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult
    from pytest_relevance.reports.styled_lines import Line
    from pytest_relevance.results.documents import RunTitles

ATTRIBUTE = "relevance"

LOST = "lost"
"""A kind of name in `RunStore.named`: a check made after the last report of its test, so that its result is lost."""

PASSED_OVER = "passed_over"
"""A kind of name in `RunStore.named`: a file that seems to be a case file by its content, not by its name."""

_RESULTS = frozenset({"cases", "shown"})
"""The keys of what is attached to the report of a case itself; all others go to `RunStore.receive`."""

DOCUMENTS = "relevance_documents"
"""The name of the fixture that gives the titles of documents."""

OTHER_IDS = f"{DOCUMENTS}: other ids"
"""The subject of the warning that an index does not know what the search returned; no document is then missing."""

_MOST_NAMED = 3


class Message(NamedTuple):
    """A sentence for the end of the run.

    `is_good` is false for a failure. `fails`: the run fails for this reason.
    """

    text: str
    is_good: bool = True
    fails: bool = False

    @property
    def place(self) -> int:
        """Its place among the messages: what fails the run stands last, near the verdict."""
        return (not self.is_good) + self.fails


class SkippedFolder(NamedTuple):
    """A folder with case files that its conftest.py skips: the paths of the files, and the reason."""

    files: Sequence[str]
    reason: str


class Unsent:
    """What this process has to tell besides results; its next report carries it.

    `fingerprint` says what the process searches, None before it was requested.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._values: dict[str, Any] = {}
        self.fingerprint: Fingerprint | None = None

    def set_fingerprint(self, fingerprint: Fingerprint) -> None:
        """Set the fingerprint of this process, and send it unless it is empty."""
        self.fingerprint = fingerprint
        if fingerprint:
            self._values["fingerprint"] = fingerprint

    def warn(self, subject: str, text: str) -> None:
        """Send a warning; the end of the run shows the first about each subject."""
        hidden = redaction(self._config).text(text)
        self._values.setdefault("warnings", {}).setdefault(subject, printable(hidden))

    def name(self, kind: str, name: str) -> None:
        """Send the name of a check that is `LOST`, or of a file that is `PASSED_OVER`."""
        self._values.setdefault(kind, []).append(printable(name))

    def describe(self, nodeid: str, number: int, fields: Mapping[str, Any]) -> None:
        """Send new facts about the documents of a result that was sent before."""
        hidden = hide_secrets(fields, self._config)
        self._values.setdefault("documents", []).append([nodeid, number, hidden])

    def take(self) -> dict[str, Any]:
        """Return what was not sent yet, and forget it."""
        values, self._values = self._values, {}
        return {name: sendable(value, self._config) for name, value in values.items()}

    def attach(self, report: pytest.TestReport) -> None:
        """Attach to a report what was not sent yet."""
        if self._values:
            setattr(
                report, ATTRIBUTE, {**getattr(report, ATTRIBUTE, {}), **self.take()}
            )


class RunStore:
    """The results of the cases that ended, and the case files by the names used in reports.

    `to_run` are the node ids of all tests that were collected and not deselected, in the order in which they run,
    other tests included. `collected` are those of the cases in the order of their files; empty if they run in this
    order. `places` numbers the cases in the order of their files.
    `without_result` are items that need none: with a failed report (True), or whose call passed without scoring a case
    (False). `other_failures` are the tests with a failure that no result has. `findings` are what the run says about
    itself. `messages` are for the end of the run, `sections` have a title and stand before them in the terminal.
    `gates` are the gates that were judged. `skipped_folders` are the folders with case files that were not collected, by
    their names in messages.

    All processes told of the rest. `fingerprints` are the different ones of those that ran cases, `warnings` texts
    about fixtures and hooks of the project that could not be used, by subject. `named` are the names of checks that are
    `LOST`, and of files that are `PASSED_OVER`.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.unsent = Unsent(config)
        self.fingerprints: list[Fingerprint] = []
        self.warnings: dict[str, str] = {}
        self.named: Mapping[str, list[str]] = {LOST: [], PASSED_OVER: []}
        self.files: dict[str, FileInfo] = {}
        self.to_run: Sequence[str] = ()
        self._errors: dict[tuple[str, str], RunError] = {}
        self.collected: Sequence[str] = ()
        self.places = count()
        self.skipped_folders: dict[str, SkippedFolder] = {}
        self.without_result: dict[str, bool] = {}
        self.other_failures: dict[str, None] = {}
        self.messages: list[Message] = []
        self.findings: list[RunFinding] = []
        self.sections: list[tuple[str, Sequence[Line]]] = []
        self.gates: Sequence[GateResult] = ()
        self._cases: dict[tuple[str, int], dict[str, Any]] = {}
        self._results: list[CaseResult] | None = None
        self._are_case_files: dict[str, bool] = {}
        self._titles: RunTitles | None = None

    def send_files(self, report: pytest.TestReport) -> None:
        """Attach the `FileInfo` of all files to the first report of a worker, also of files without a selected case."""
        if self.files:
            attached = {"cases": [], **getattr(report, ATTRIBUTE, {})}
            files = {file: info.to_dict() for file, info in self.files.items()}
            attached["files"] = sendable(files, self._config)
            if self.collected:
                attached["collected"] = sendable(self.collected, self._config)
            setattr(report, ATTRIBUTE, attached)
            self.files.clear()

    def add(self, report: pytest.TestReport, attached: Mapping[str, Any]) -> None:
        """Store the data attached to a report, as `attached_to` gives them."""
        if not attached.keys() <= _RESULTS:
            self.receive(attached)
        if report.outcome not in (
            "passed",
            "failed",
            "skipped",
        ):  # after "rerun" another report of the item follows
            return
        nodeid = report.nodeid
        if report.failed:
            self.without_result[nodeid] = True
        cases = attached.get("cases")
        if report.failed and not any(map(_has_failed, cases or ())):
            self.other_failures[nodeid] = None
        if cases is None:
            return
        if not cases and report.when == "call":
            self.without_result.setdefault(nodeid, False)
        for number, values in enumerate(cases):
            self._cases[nodeid, number] = values
            self._results = None

    def keep_finding(self, finding: RunFinding, *, is_told: bool = False) -> None:
        """Keep what the run says about itself, for its reports and its end. Secrets are masked.

        `is_told`: pytest tells it in the terminal.
        """
        text = redaction(self._config).text(finding.text)
        self.findings.append(replace(finding, text=text))
        if not is_told:
            self.messages.append(Message(text, is_good=False, fails=finding.fails))

    def keep_errors(self, errors: Iterable[RunError]) -> None:
        """Keep errors that are not those of a case. Each process of a run may have the same ones."""
        hide = redaction(self._config).text
        for found in errors:
            error = replace(found, message=hide(found.message))
            self._errors.setdefault((error.text, error.node), error)

    @property
    def errors(self) -> tuple[RunError, ...]:
        """The errors that are not those of a case, in the order in which they came."""
        return tuple(self._errors.values())

    def receive(self, attached: Mapping[str, Any]) -> None:
        """Store data other than results: fingerprint, warnings, files, and documents of results that came before."""
        attached = {name: _received(values) for name, values in attached.items()}
        fingerprint = attached.get("fingerprint")
        if fingerprint is not None and fingerprint not in self.fingerprints:
            self.fingerprints.append(fingerprint)
        for subject, text in attached.get("warnings", {}).items():
            if subject not in self.warnings:
                self.warnings[subject] = text
                self.messages.append(Message(text, is_good=False))
                self._results = None
        for kind, names in self.named.items():
            names += attached.get(kind, ())
        self.collected = self.collected or attached.get("collected", ())
        for file, values in attached.get("files", {}).items():
            self.files.setdefault(file, FileInfo.from_dict(values))
        for nodeid, number, fields in attached.get("documents", ()):
            self._cases.get((nodeid, number), {}).update(fields)
            self._results = None

    @property
    def fingerprint(self) -> Fingerprint:
        """What the fingerprints have in common; empty where there is none."""
        return common(self.fingerprints) if self.fingerprints else {}

    def end(self) -> None:
        """Complete the results when no more follow: all get their titles in one pass, as a catalogue is read once."""
        if any(info.documents for info in self.files.values()):
            from pytest_relevance.results.documents import RunTitles

            self._titles = RunTitles()
        if self._results is not None:
            self._results = self.completed(self._results)

    @property
    def results(self) -> list[CaseResult]:
        """The results of all cases that ended, in the order of collection; of repeats of a case only the worst."""
        if self._results is None:
            self._results = [*map(CaseResult.from_dict, self._ended())]
            if any(len(result.origin.items) > 1 for result in self._results):
                from pytest_relevance.results.repeats import worst_of_repeats

                self._results = worst_of_repeats(self._results)
            self._results = self.completed(self._results)
        return self._results

    def forget_cases(self) -> None:
        """Forget the results of the cases, when all is shown and written."""
        self._cases.clear()
        self._results = None

    def completed(self, results: Sequence[CaseResult]) -> list[CaseResult]:
        """Results with what is known by now: the titles of the catalogues.

        Catalogues that cannot be read become messages. No document is said to be missing from an index that has other
        ids.
        """
        if OTHER_IDS in self.warnings:
            results = [result.with_texts(not_in_index=()) for result in results]
        if self._titles is None:
            return [*results]
        _ = (
            self.results
        )  # so that one pass over a catalogue finds the documents of all results
        found = self._titles.add(results, self.files)
        self.messages += map(Message, self._titles.problems)
        self._titles.problems.clear()
        self.keep_errors(self._titles.errors)
        return found

    @property
    def dicts(self) -> list[dict[str, Any]]:
        """The dicts of `results`: as they arrived, unless there are repeats, or catalogues to take titles from."""
        ended = self._ended()
        has_repeats = any(values.get("items") for values in ended)
        has_titles = any(info.documents for info in self.files.values())
        return (
            [result.to_dict() for result in self.results]
            if has_repeats or has_titles
            else ended
        )

    def _ended(self) -> list[dict[str, Any]]:
        """Return the dicts of all cases that ended, in the order of collection; then those of checks.

        The order in which the tests ran does not count: a plugin may shuffle it.
        """
        for values in self._cases.values() if OTHER_IDS in self.warnings else ():
            values.pop("not_in_index", None)
        names = self.collected or self.to_run
        places = {name: number for number, name in enumerate(names)}
        ended = sorted(self._cases, key=partial(self._place, places))
        return [self._cases[key] for key in ended]

    def _place(
        self, places: Mapping[str, int], key: tuple[str, int]
    ) -> tuple[int, str, int, str, int]:
        """Return the key by which a result is sorted: a case by its place, a check by its file and line."""
        nodeid, number = key
        if self.is_case(nodeid) and nodeid in places:
            return places[nodeid], "", 0, nodeid, number
        values = self._cases[key]
        return len(places), values["file"], values["line"], nodeid, number

    def reported_names(self) -> dict[str, str]:
        """Return the node ids under which cases were reported, by their own: pytest-xdist may have added a group."""
        return {
            values["node"]: nodeid
            for (nodeid, _), values in self._cases.items()
            if "node" in values
        }

    @property
    def finished(self) -> list[CaseResult]:
        """The results of the cases whose repeats have all ended."""
        repeated = (
            CaseResult.from_dict(values)
            for values in self._cases.values()
            if values.get("items")
        )
        ended = Counter(result.key for result in repeated)
        return [
            result
            for result in self.results
            if ended[result.key] >= len(result.origin.items)
        ]

    def of_file(self, file: str) -> list[CaseResult]:
        """Return the finished results of a case file."""
        return [result for result in self.finished if result.file == file]

    def is_whole(self, file: str) -> bool:
        """Whether every case of a file ended or was skipped: none was deselected, and the run was not stopped early."""
        return self.files[file].is_whole(self.finished, file)

    def is_case(self, nodeid: str) -> bool:
        """Whether a node id belongs to a case file or to a case. The controller of pytest-xdist has no items."""
        file = nodeid.partition("::")[0]
        if file not in self._are_case_files:
            is_collected = any(info.node == file for info in self.files.values())
            case_files, path = (
                self._config.stash[CASE_FILES],
                self._config.rootpath / file,
            )
            self._are_case_files[file] = is_collected or case_files.includes(path)
        return self._are_case_files[file]

    def unfinished(self) -> list[str]:
        """Return the node ids of cases that were to run and have no result."""
        return [
            name
            for name in self.to_run
            if (name, 0) not in self._cases and self.is_case(name)
        ]


def _has_failed(values: Mapping[str, Any]) -> bool:
    """Whether the result of a case, in builtin types, is a failure."""
    return has_failed(CaseResult.from_dict(values))


def attached_to(
    report: pytest.TestReport | pytest.CollectReport,
) -> dict[str, Any]:
    """Return the data attached to a report, decoded if a worker has sent them; the report stays as it is."""
    sent = getattr(report, ATTRIBUTE, None)
    if sent is None:  # two of the three reports of a case
        return {}
    attached: dict[str, Any] = {
        name: _received(values) for name, values in sent.items()
    }
    if "cases" in attached:
        attached["cases"] = [*map(_received, attached["cases"])]
    return attached


_IDENTITIES = frozenset(
    {
        *(
            "file",
            "id",
            "query",
            "search",
            "variant",
            "node",
            "test",
            "source",
            "items",
        ),
        *("documents", "as_returned", "irrelevant_top", "missing", "wrong", "sets"),
        *("not_in_catalogue", "not_in_index"),
    }
)
"""The keys of a result by whose values cases and documents are found again. They stay as they are."""


def hide_secrets(values: Mapping[str, Any], config: pytest.Config) -> Mapping[str, Any]:
    """Return the values of a result with known secrets masked, also in the titles and fields of documents."""
    known = redaction(config).known
    hidden: Mapping[str, Any] = known.hide_in(values, _IDENTITIES) if known else values
    return hidden


def sendable(values: Any, config: pytest.Config) -> Any:
    """Return values of builtin types in the form in which a report carries them.

    In a worker of pytest-xdist they become ASCII JSON, as execnet cannot send lone surrogates.
    """
    return json.dumps(values) if hasattr(config, "workerinput") else values


def _received(values: Any) -> Any:
    """Return the values that `sendable` was called with."""
    return json.loads(values) if isinstance(values, str) else values


def first_named(names: Sequence[str]) -> str:
    """Join names in prose; of many names, give the first few and the number of the others."""
    return first_few([*map(harmless, names)], _MOST_NAMED)


RUN_STORE: pytest.StashKey[RunStore] = pytest.StashKey()


def run_store(config: pytest.Config) -> RunStore:
    """Return the store of this process; create it on first use."""
    try:
        return config.stash[RUN_STORE]
    except KeyError:
        return config.stash.setdefault(RUN_STORE, RunStore(config))
