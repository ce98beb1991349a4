"""Ask a judge many questions: show the progress, and report what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest

from pytest_relevance._text import counted, quoted
from pytest_relevance.ext.judging.judge import Answer, Judge, Question, UnusableJudge
from pytest_relevance.ext.judging.progress import Progress
from pytest_relevance.plugin.output_files import Message
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.terminal import run_terminal

_MOST_PROBLEMS = 3
"""How many different problems of a judge are reported."""

NOT_ASKED = "not asked for: "
"""The beginning of a reason why a judge was not asked a question."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a judge to some questions.

    `by_number`: {index of the question: answer}.
    `ungraded`: {why questions have no grade: number of questions}.
    `stopped_by`: the exception that ended the asking early; None without one.
    """

    by_number: Mapping[int, Answer]
    ungraded: Mapping[str, int]
    stopped_by: BaseException | None

    @property
    def have_all_failed(self) -> bool:
        """Whether each call failed, and nothing but the judge ended the asking."""
        if not (self.stopped_by is None or isinstance(self.stopped_by, UnusableJudge)):
            return False
        problems = [answer.problem for answer in self.by_number.values()]
        return bool(problems) and all(problems)


def ask_all(
    judge: Judge,
    questions: Sequence[Question],
    title: str,
    config: pytest.Config,
    keep: Callable[[int, Answer], None] | None = None,
) -> Answers:
    """Ask a judge all questions, and return its answers.

    The commonest problems are reported at the end of the run. No verdict changes.

    `title`: the beginning of the line that shows the progress.
    `keep`: called with the index of a question and its answer, as soon as the answer
        comes. An answer with a problem is not passed to it.
    """
    bar = Progress(title, len(questions), *run_terminal(config))
    by_number: dict[int, Answer] = {}
    stopped_by: BaseException | None = None
    why_stopped = ""
    bar.advance(0)
    try:
        for number, answer in judge.ask(questions):
            if keep is not None and not answer.problem:
                keep(number, answer)
            by_number[number] = answer
            bar.advance()
    except KeyboardInterrupt as error:
        stopped_by, why_stopped = error, "Ctrl-C"
    # a timeout of the last test may raise `pytest.fail.Exception`
    except (UnusableJudge, pytest.exit.Exception, pytest.fail.Exception) as error:
        stopped_by, why_stopped = error, str(error)
    finally:
        bar.end()
    _report_problems(judge, questions, by_number, config)
    ungraded = {"it cannot tell": 0, "failed": 0}
    for answer in by_number.values():
        if answer.problem:
            ungraded["failed"] += 1
        elif answer.grade is None:
            ungraded["it cannot tell"] += 1
    ungraded[f"{NOT_ASKED}{why_stopped}"] = len(questions) - len(by_number)
    return Answers(by_number, ungraded, stopped_by)


def report_without_text(
    judge: Judge, questions: Sequence[Question], config: pytest.Config
) -> None:
    """Report the documents that a judge cannot be asked about, if there are any.

    `questions`: the questions about documents of which only the id is known.
    """
    if not questions:
        return
    documents = counted(len(questions), "document")
    text = (
        f"{judge.name} was not asked about {documents} of which only the id is known: "
        f"{_places(questions)}. Give documents a title: in what the search returns "
        "(title_field), in a catalogue (documents), or by the fixture relevance_documents"
    )
    run_store(config).notes.say(Message(text, is_good=False))


def counts_text(counts: Mapping[str, int]) -> str:
    """Return {reason: count} as text, without counts of 0: `2 it cannot tell`."""
    return "; ".join(f"{count:,} {reason}" for reason, count in counts.items() if count)


def _report_problems(
    judge: Judge,
    questions: Sequence[Question],
    answers: Mapping[int, Answer],
    config: pytest.Config,
) -> None:
    """Report the commonest problems of answers, each with its first document."""
    by_problem: dict[str, list[int]] = {}
    for number in sorted(answers):
        if answers[number].problem:
            by_problem.setdefault(answers[number].problem, []).append(number)
    notes = run_store(config).notes
    most_first = sorted(by_problem.values(), key=len, reverse=True)
    for numbers in most_first[:_MOST_PROBLEMS]:
        first = answers[numbers[0]]
        said = f"it said {first.said}: " if first.said else ""
        places = _places([questions[number] for number in numbers])
        calls = counted(len(numbers), "call")
        text = f"{judge.name}, {calls}: {said}{first.problem} ({places})"
        safe = redaction(config).text(text)  # an answer may repeat its prompt
        notes.say(Message(safe, is_good=False))
    others = sum(len(numbers) for numbers in most_first[_MOST_PROBLEMS:])
    if others:
        text = f"{judge.name}, {counted(others, 'call')}: other problems"
        notes.say(Message(text, is_good=False))


def _places(questions: Sequence[Question]) -> str:
    """Return the query and the document of the first question, for a message."""
    first = questions[0]
    place = f"query {quoted(first.case.query)}, document {quoted(first.document['id'])}"
    return place if len(questions) == 1 else f"first {place}"
