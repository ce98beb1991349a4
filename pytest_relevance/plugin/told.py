"""What a run has to tell besides the results of its cases: messages, findings, errors,
warnings, fingerprints.
"""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from pytest_relevance.plugin.attached import News
from pytest_relevance.plugin.options import redaction
from pytest_relevance.plugin.output_files import Message
from pytest_relevance.results.records.run_info import (
    Fingerprint,
    RunError,
    RunFinding,
    common,
)

LOST = "lost"
"""A kind of name in `Told.named`: a check made after the last report of its test, so
that its result is lost.
"""

PASSED_OVER = "passed_over"
"""A kind of name in `Told.named`: a file that seems to be a case file by its content,
not by its name.
"""


class Told:
    """What a run has to tell at its end, besides the results of its cases.

    `messages` are for the end of the run, `findings` are what the run says about
        itself.

    All processes told of the rest. `fingerprints` are the different ones of those that
    ran cases, `warnings` texts about fixtures and hooks of the project that could not
    be used, by subject. `named` are the names of checks that are `LOST`, and of files
    that are `PASSED_OVER`.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._errors: dict[tuple[str, str], RunError] = {}
        self.messages: list[Message] = []
        self.findings: list[RunFinding] = []
        self.fingerprints: list[Fingerprint] = []
        self.warnings: dict[str, str] = {}
        self.named: dict[str, list[str]] = {LOST: [], PASSED_OVER: []}

    def say(self, message: Message) -> None:
        """Keep a message for the end of the run."""
        self.messages.append(message)

    def take_messages(self) -> list[Message]:
        """Return the messages that were not printed yet, and forget them."""
        messages, self.messages = self.messages, []
        return messages

    def warn(self, subject: str, text: str) -> None:
        """Keep a warning, unless there is one about its subject."""
        if subject not in self.warnings:
            self.warnings[subject] = text
            self.say(Message(text, is_good=False))

    def keep_finding(self, finding: RunFinding, *, is_told: bool = False) -> None:
        """Keep what the run says about itself, for its reports and its end. Secrets are
        masked.

        `is_told`: pytest tells it in the terminal.
        """
        text = redaction(self._config).text(finding.text)
        self.findings.append(replace(finding, text=text))
        if not is_told:
            self.say(Message(text, is_good=False, fails=finding.fails))

    def keep_errors(self, errors: Iterable[RunError]) -> None:
        """Keep errors that are not those of a case. Each process of a run may have the
        same ones.
        """
        hide = redaction(self._config).text
        for found in errors:
            error = replace(found, message=hide(found.message))
            self._errors.setdefault((error.text, error.node), error)

    @property
    def errors(self) -> tuple[RunError, ...]:
        """The errors that are not those of a case, in the order in which they came."""
        return tuple(self._errors.values())

    def receive(self, news: News) -> None:
        """Keep what a process tells. Of several warnings about a subject the first
        counts.
        """
        fingerprint = news.fingerprint
        if fingerprint is not None and fingerprint not in self.fingerprints:
            self.fingerprints.append(fingerprint)
        for subject, text in news.warnings.items():
            self.warn(subject, text)
        for kind, names in news.named.items():
            self.named[kind].extend(names)

    @property
    def fingerprint(self) -> Fingerprint:
        """What the fingerprints have in common; empty where there is none."""
        return common(self.fingerprints) if self.fingerprints else {}
