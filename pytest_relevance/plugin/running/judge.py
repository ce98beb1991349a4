"""Ask a judge for grades: the value of the fixture `relevance_judge`, a function `judge(query, document)`.

It is asked outside of any event loop, about `AT_ONCE` documents at a time: in daemon threads, or as tasks of a loop if
it is a coroutine function. What it raises costs the grade of one document.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from contextvars import Context, copy_context
from itertools import islice
from math import isfinite
from numbers import Real
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple

import pytest

from pytest_relevance._text import shown
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.scale import Scale, on_scale
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.plugin.failures import error_text
from pytest_relevance.plugin.options import redaction, settings
from pytest_relevance.plugin.run_end import PATIENCE
from pytest_relevance.plugin.running import loops
from pytest_relevance.plugin.running.case_run import close_unawaited, is_coroutine_function, is_waiting

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

NAME = "relevance_judge"
"""The name of the fixture."""

AT_ONCE = 16
"""How many documents a judge is asked about at a time."""

_LOOKS_AFTER = 0.5
"""The limit of a wait for threads, in seconds: on Windows, Ctrl-C does not end a wait without a limit."""

_ENDING = (KeyboardInterrupt, pytest.exit.Exception)


class Question(NamedTuple):
    """A query and a document, {"id": ..., "title": ..., further fields}, whose grade has this scale and these gains."""

    query: str
    document: Mapping[str, str]
    scale: Scale | None = None
    settings: Settings = Settings()


class Answer(NamedTuple):
    """The grade and the note that a judge gave; without a grade it cannot tell, unless a `fault` says what it did."""

    grade: float | None = None
    note: str = ""
    fault: str = ""


class UnusableJudge(ValueError):
    """The value of the fixture cannot be asked; the message says what it has to be."""


class Judge:
    """A judge: its `name`, which is the rater of its grades, and whether it `gave_up`.

    `value` is what the fixture returned. `loop` is the event loop of another plugin that the last search ran in, None
    for the plugin's own. Raises `UnusableJudge` for a value that is no function with a name.
    """

    def __init__(self, value: Any, config: pytest.Config, loop: Any = None) -> None:
        if not callable(value):
            close_unawaited(value)
            raise UnusableJudge(f"{NAME} is no function but {shown(value)}; return one, judge(query, document)")
        name = getattr(value, "name", None)
        if not (isinstance(name, str) and name.strip() and name.isprintable()):
            what = "has no attribute name" if name is None else f"has the name {shown(name)}"
            advice = 'say which model and which prompt it is, as grades are kept by it: judge.name = "model-x/prompt-3"'
            raise UnusableJudge(f"{NAME} {what}; {advice}")
        self.name = name.strip()
        self.gave_up = False
        self._function: Callable[[str, dict[str, str]], Any] = value
        self._config = config
        self._loop = loop

    def ask(self, questions: Sequence[Question]) -> Generator[tuple[int, Answer]]:
        """Yield the number of each question with its answer, as the answers come.

        After as many faults in a row as a search may have (`relevance_give_up`) it gives up: `gave_up` is true then.
        Raises KeyboardInterrupt for Ctrl-C; calls that have begun are left alone.
        """
        most, in_a_row, has_answered = settings(self._config).give_up, 0, False
        answers = self._on_loop if is_coroutine_function(self._function) else self._in_threads
        with closing(answers(questions)) as found:
            for answered, (number, answer) in enumerate(found, 1):
                yield number, answer
                in_a_row = in_a_row + 1 if answer.fault else 0
                has_answered |= not answer.fault
                if most and in_a_row >= most * (PATIENCE if has_answered else 1):
                    self.gave_up = answered < len(questions)
                    return

    def _in_threads(self, questions: Sequence[Question]) -> Generator[tuple[int, Answer]]:
        waiting: SimpleQueue[tuple[int, Question, Context]] = SimpleQueue()
        answers: SimpleQueue[tuple[int, Answer | BaseException]] = SimpleQueue()
        stopped = Event()
        for number, question in enumerate(questions):
            waiting.put((number, question, copy_context()))

        def serve() -> None:
            while not stopped.is_set():
                try:
                    number, question, context = waiting.get_nowait()
                except Empty:
                    return
                answers.put((number, context.run(self._called, question)))

        for number in range(min(AT_ONCE, len(questions))):
            Thread(target=serve, name=f"relevance-judge-{number}", daemon=True).start()
        try:
            left = len(questions)
            while left:
                try:
                    number, answer = answers.get(timeout=_LOOKS_AFTER)
                except Empty:
                    continue
                if isinstance(answer, BaseException):
                    raise answer
                left -= 1
                yield number, answer
        finally:
            stopped.set()

    def _on_loop(self, questions: Sequence[Question]) -> Generator[tuple[int, Answer]]:
        if loops.is_trio(self._loop):  # its loop ends with each call
            for number, question in enumerate(questions):
                yield number, self._loop.run(self._awaited, question)
            return
        import asyncio

        is_open = self._loop is not None and not self._loop.is_closed()
        loop = self._loop if is_open else loops.own_loop(self._config)
        left, numbers = iter(enumerate(questions)), dict[Any, int]()
        try:
            while True:
                for number, question in islice(left, AT_ONCE - len(numbers)):
                    numbers[loop.create_task(self._awaited(question))] = number
                if not numbers:
                    return
                done, _ = loop.run_until_complete(asyncio.wait([*numbers], return_when=asyncio.FIRST_COMPLETED))
                for task in done:
                    answer = Answer(fault="it cancelled its task") if task.cancelled() else task.result()
                    yield numbers.pop(task), answer
        finally:
            for task in numbers:
                task.cancel()
            if numbers and not loop.is_closed():
                loop.run_until_complete(asyncio.wait([*numbers], timeout=_LOOKS_AFTER))

    def _called(self, question: Question) -> Answer | BaseException:
        """Call a plain function. Also returns what ends the run, for the main thread to raise."""
        try:
            said = self._function(question.query, {**question.document})
        except _ENDING as error:
            return error
        except BaseException as error:
            return self._fault(error)
        if is_waiting(said):
            close_unawaited(said)
            return Answer(fault="it returned something to await, and is no coroutine function; write async def")
        return answer_of(said, question)

    async def _awaited(self, question: Question) -> Answer:
        try:
            said = await loops.wait(self._function(question.query, {**question.document}))
        except Exception as error:
            return self._fault(error)
        except (pytest.fail.Exception, pytest.skip.Exception) as error:
            return self._fault(error)
        return answer_of(said, question)

    def _fault(self, error: BaseException) -> Answer:
        traceback = error.__traceback__
        if isinstance(error, TypeError) and traceback is not None and traceback.tb_next is None:
            return Answer(fault=f"it cannot be called: {error}; write judge(query, document)")
        return Answer(fault=redaction(self._config).text(f"it raised {error_text(error, self._config)}"))


def answer_of(said: object, question: Question) -> Answer:
    """Read what a judge returned: a grade, (grade, note), or None for either; a grade may be a name of the scale."""
    grade, note = said if isinstance(said, tuple) and len(said) == 2 else (said, None)
    if not (note is None or isinstance(note, str)):
        return Answer(fault=f"it said {shown(said)}: a note is text")
    if grade is None:
        return Answer(None, note or "")
    scale = question.scale
    number: float | None = None
    if isinstance(grade, str):
        number = scale.names.get(grade.strip()) if scale is not None else None
        number = number_of(grade) if number is None else number
    elif isinstance(grade, Real) and not isinstance(grade, bool) and isfinite(grade):
        number = float(grade)
        number = int(number) if number == int(number) else number
    wrong: object = f"a grade is {'a number' if scale is None else f'one of {scale.describe()}'}, or None for no grade"
    if number is not None:
        wrong = on_scale(number, scale)
        if not isinstance(wrong, str):
            try:
                _ = question.settings.gains[number]
                return Answer(number, note or "")
            except ValueError as error:
                wrong = error
    return Answer(fault=f"it said {shown(said)}: {wrong}")
