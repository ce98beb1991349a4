"""What a process sends besides results: warnings, errors, fingerprints and more.

Each process collects its `News` in `Unsent`, and its next report carries the news. The
process that receives all reports keeps the news in `RunNotes`, for the end of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from pytest_relevance._text import printable
from pytest_relevance.plugin.output_files import Message
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.results.case_parts import DocumentTexts
from pytest_relevance.results.records.fingerprint import Fingerprint, common
from pytest_relevance.results.records.run_info import FileInfo, RunError, RunFinding

LOST = "lost"
"""The key of checks in `RunNotes.named`: they were made after the last report of their
test, so their results are lost.
"""

PASSED_OVER = "passed_over"
"""The key of files in `RunNotes.named`: they have the content of a case file, and not
the name of one.
"""


@dataclass(frozen=True, slots=True)
class Described:
    """More texts about the documents of a result that was sent before.

    `nodeid`: the node id of the case or the test.
    `number`: the place of the result among those of its report, from 0.
    """

    nodeid: str
    number: int
    texts: DocumentTexts


@dataclass(frozen=True, slots=True)
class News:
    """What a process sends besides results, with its next report.

    Attributes:
        fingerprint: what the process searches, with its first report of a case.
        warnings: {subject: text}. The end of the run shows the first text of a subject.
        named: {`LOST`: names of checks, `PASSED_OVER`: names of files}.
        described: more texts about documents of results that were sent before.
        files: {name: case file}, with the first report of a worker of pytest-xdist.
        collected: with `files`, the node ids of the cases in the order of their files;
            empty if they run in this order.
        errors: the mistakes that keep a file or a folder from being collected.
    """

    fingerprint: Fingerprint | None = None
    warnings: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, Sequence[str]] = field(default_factory=dict)
    described: Sequence[Described] = ()
    files: Mapping[str, FileInfo] = field(default_factory=dict)
    collected: Sequence[str] = ()
    errors: Sequence[RunError] = ()


NO_NEWS = News()


class Unsent:
    """Collects what this process has to send besides results, with its next report.

    `fingerprint`: what the process searches; None before the fixture was requested.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._news = NO_NEWS
        self.fingerprint: Fingerprint | None = None

    def set_fingerprint(self, fingerprint: Fingerprint) -> None:
        """Set the fingerprint of this process. An empty fingerprint is not sent."""
        self.fingerprint = fingerprint
        if fingerprint:
            self._news = replace(self._news, fingerprint=fingerprint)

    def warn(self, subject: str, text: str) -> None:
        """Add a warning. The end of the run shows only the first text of a subject."""
        if subject not in self._news.warnings:
            hidden = printable(redaction(self._config).text(text))
            warnings = {**self._news.warnings, subject: hidden}
            self._news = replace(self._news, warnings=warnings)

    def name(self, kind: str, name: str) -> None:
        """Add the name of a check (`LOST`) or of a file (`PASSED_OVER`)."""
        names = [*self._news.named.get(kind, ()), printable(name)]
        self._news = replace(self._news, named={**self._news.named, kind: names})

    def describe(self, nodeid: str, number: int, texts: DocumentTexts) -> None:
        """Add more texts about the documents of a result that was sent before.

        `number`: the place of the result among those of its report, from 0.
        """
        hidden = redaction(self._config).hide_in_result(texts)
        described = Described(nodeid, number, hidden)
        self._news = replace(self._news, described=(*self._news.described, described))

    def take(self) -> News:
        """Return what has to be sent, and forget it."""
        news, self._news = self._news, NO_NEWS
        return news


class RunNotes:
    """Keeps what the reports at the end of a run have besides the results of cases.

    Attributes:
        messages: sentences that are not printed yet.
        failures: reasons why the run fails, as far as they are not printed yet.
        findings: what the run reports about itself.
        fingerprints: the different fingerprints of all processes that ran cases.
        warnings: {subject: text}, about fixtures and hooks of the project that fail.
        named: {`LOST`: names of checks, `PASSED_OVER`: names of files}.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._errors: dict[tuple[str, str], RunError] = {}
        self.messages: list[Message] = []
        self.failures: list[Message] = []
        self.findings: list[RunFinding] = []
        self.fingerprints: list[Fingerprint] = []
        self.warnings: dict[str, str] = {}
        self.named: dict[str, list[str]] = {LOST: [], PASSED_OVER: []}

    def say(self, message: Message) -> None:
        """Keep a message for the end of the run."""
        self.messages.append(message)

    def take_messages(self) -> list[Message]:
        """Return the messages that are not printed yet, and forget them.

        Good messages come first, and the reasons why the run fails come last.
        """
        good = [message for message in self.messages if message.is_good]
        bad = [message for message in self.messages if not message.is_good]
        messages = [*good, *bad, *self.failures]
        self.messages, self.failures = [], []
        return messages

    def warn(self, subject: str, text: str) -> None:
        """Keep a warning, and print it at the end of the run.

        If there is a warning about the same subject already, nothing is kept.
        """
        if subject not in self.warnings:
            self.warnings[subject] = text
            self.say(Message(text, is_good=False))

    def keep_finding(self, finding: RunFinding, *, is_printed: bool = False) -> None:
        """Keep what the run reports about itself, with secrets masked.

        `is_printed`: whether pytest itself prints it. Then it is not printed again.
        """
        text = redaction(self._config).text(finding.text)
        self.findings.append(replace(finding, text=text))
        if not is_printed:
            to_print = self.failures if finding.fails else self.messages
            to_print.append(Message(text, is_good=False))

    def keep_errors(self, errors: Iterable[RunError]) -> None:
        """Keep errors that are not about a case. Equal errors are kept once."""
        hide = redaction(self._config).text
        for found in errors:
            error = replace(found, message=hide(found.message))
            self._errors.setdefault((error.text, error.node), error)

    @property
    def errors(self) -> tuple[RunError, ...]:
        """Return the errors that are not about a case, in order of arrival."""
        return tuple(self._errors.values())

    def receive(self, news: News) -> None:
        """Keep what a process has sent besides results."""
        fingerprint = news.fingerprint
        if fingerprint is not None and fingerprint not in self.fingerprints:
            self.fingerprints.append(fingerprint)
        for subject, text in news.warnings.items():
            self.warn(subject, text)
        for kind, names in news.named.items():
            self.named[kind].extend(names)

    @property
    def fingerprint(self) -> Fingerprint:
        """Return the entries that all fingerprints have in common."""
        return common(self.fingerprints) if self.fingerprints else {}
