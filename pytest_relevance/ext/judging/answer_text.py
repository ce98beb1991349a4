"""Read the grade in the text that a judge answered, usually the text of a model.

A text is JSON with the key `grade`, or its first line is the grade and nothing else.
Any other text raises ValueError, because a wrong grade does more harm than a missing
one. So no grade is searched for in a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from pytest_relevance._json_text import JsonReader
from pytest_relevance._problems import Place
from pytest_relevance._text import first_few, quoted
from pytest_relevance.judgments.grading import grade_on_scale, number_of
from pytest_relevance.judgments.scale import Scale

KEY = "grade"
"""The key of the grade in an answer that is JSON."""

_THINK, _END_OF_THINK = "<think>", "</think>"

_FENCED = re.compile(r"```(?:[\w-]*[ \t]*\n)?((?:(?!```).)*)```", re.DOTALL)
"""A code fence, with or without the name of a language in its first line."""

_HEADING = re.compile(r"#{1,6}(?:\s+|(?=[^\W\d]))")
"""The marks of a heading. `#3` is not a heading: it may be a rank."""

_EMPHASIS = [
    re.compile(rf"(?<!\w){mark}(.+?){mark}(?!\w)")
    for mark in (r"\*\*", r"\*", "__", "_", "`")
]
"""Text between two equal Markdown marks. `~~3~~` is not here: it is crossed out."""

_QUOTES = [
    ('"', '"'),
    ("'", "'"),
    ("\u201c", "\u201d"),
    ("\u2018", "\u2019"),
    ("\u201e", "\u201c"),
    ("\u00ab", "\u00bb"),
]
"""The pairs of quotes that may surround a grade."""

_LABEL = re.compile(r"([^\W\d]+(?: [^\W\d]+)?)\s*[:=\uff1a]\s*(.+)")
"""One or two words without digits, then a colon or `=`, then the rest."""

_NO_LABEL = frozenset(
    {
        "above",
        "below",
        "confidence",
        "document",
        "least",
        "max",
        "maximum",
        "min",
        "minimum",
        "most",
        "never",
        "no",
        "not",
        "over",
        "price",
        "query",
        "rank",
        "than",
        "under",
        "wrong",
    }
)
"""Words of a label which say that the number behind it is not the grade."""

_BRACKET = re.compile(r"(.*\S)\s*\([^()]*\)")
"""A text with a bracket at its end."""

_REMARKS = re.compile(r"\(([^()]*)\)")
"""The texts in brackets."""

_OUT_OF = re.compile(
    r"([0-9]+(?:\.[0-9]+)?)\s*(?:/|\bout of\b)\s*([0-9]+(?:\.[0-9]+)?)", re.IGNORECASE
)

_NUMBERS = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?!\.?\w)")
"""Numbers in a text that are not a part of a word."""

_ONE_MORE = re.compile(r"\s*(?:[-+*>([]|\bor\b)*\s*")
"""What may stand before a second grade: a list mark, a bracket, `or`."""

_CONCLUSION = re.compile(
    r"\b(?:grade|score|rating)[\"'*`_\s]*(?:[:=]|\bis\b\s*:?)[\"'*`_\s]*([\w.]*\w)",
    re.IGNORECASE,
)
"""A grade in a sentence, such as `so the grade is 1` or `"grade": 1`."""


def without_thoughts(text: str) -> str:
    """Return a text without the `<think>` blocks at its beginning.

    White space around the text is removed too. The first opening tag may be missing,
    because the prompts of some models end with the tag.

    Raises:
        ValueError: the block has no end, or does not stand at the beginning.
    """
    rest = text.strip()
    thought, end, _ = rest.partition(_END_OF_THINK)
    if end and _THINK not in thought:
        rest = _THINK + rest
    while rest.startswith(_THINK):
        _, end, rest = rest.partition(_END_OF_THINK)
        if not end:
            raise ValueError(
                "the <think> block has no end; let the model write more tokens"
            )
        rest = rest.strip()
    if _THINK in rest or _END_OF_THINK in rest:
        raise ValueError("a <think> block stands after the answer has begun")
    return rest


def grade_in(text: str, scale: Scale | None) -> float | None:
    """Return the grade that a text without thoughts gives; None for a null in JSON.

    Raises:
        ValueError: the text does not give exactly one grade of the scale.
    """
    fenced = _FENCED.fullmatch(text.strip())
    text = text.strip() if fenced is None else fenced[1].strip()
    if not text:
        raise ValueError("the answer is empty")
    reader = _GradeReader.of(scale)
    if text.startswith("{"):
        return reader.grade_of_json(text)
    first, *others = text.splitlines()
    grade = reader.grade_of_line(first)
    if grade is None:
        reader.refuse_text()
    reader.refuse_other_grades(grade, others)
    return grade


@dataclass(frozen=True, slots=True)
class _GradeReader:
    """Reads grades of a scale.

    `folded`: {name of the scale in lower case: grade}, without names that differ only
        in their case and have different grades.
    """

    scale: Scale | None
    folded: dict[str, float]

    @classmethod
    def of(cls, scale: Scale | None) -> _GradeReader:
        names = {} if scale is None else scale.names
        folded: dict[str, float] = {}
        ambiguous = set()
        for name, grade in names.items():
            if folded.setdefault(name.casefold(), grade) != grade:
                ambiguous.add(name.casefold())
        for name in ambiguous:
            del folded[name]
        return cls(scale, folded)

    def grade_of_json(self, text: str) -> float | None:
        """Return the grade of an object in JSON; None for null. Raises ValueError."""
        document = JsonReader().read(text, _refuse_json)
        assert isinstance(document, dict)  # the text begins with {
        if KEY not in document:
            keys = first_few([quoted(key, 20) for key in document]) or "none"
            raise ValueError(f"the JSON needs the key {KEY}; its keys: {keys}")
        value = document[KEY]
        if value is None:
            return None
        grade = self.grade_of_line(value) if isinstance(value, str) else None
        if grade is None:
            self.refuse_text()
        return grade

    def grade_of_line(self, line: str) -> float | None:
        """Return the grade of a line that is a grade; None for other lines.

        Quotes, Markdown marks, a label and a bracket around the grade are allowed.

        Raises:
            ValueError: the grade is off the scale, a bracket has another grade, or the
                line names another end of the scale, such as `3/5`.
        """
        text = line.strip()
        grade = self._grade_of(text)
        for unwrap in self._unwrapping():
            if grade is not None:
                break
            text = unwrap(text).strip()
            grade = self._grade_of(text)
        if grade is not None:
            self._refuse_bracket(grade, line)
        return grade

    def _unwrapping(self) -> Sequence[Callable[[str], str]]:
        """Return the functions that remove what is around a grade, in their order."""
        return (
            _without_marks,
            _without_full_stop,
            _without_quotes,
            self._without_label,
            _without_quotes,
            _without_full_stop,
            _without_bracket,
            _without_full_stop,
            self._without_end_of_scale,
            _without_quotes,
        )

    def _grade_of(self, text: str) -> float | None:
        """Return the grade of a text that is a number or a name; None for others.

        The case of a name does not count.

        Raises ValueError for a number off the scale.
        """
        grade = grade_on_scale(text, self.scale, self.folded)
        if isinstance(grade, str):
            raise ValueError(grade)
        return grade

    def _without_label(self, text: str) -> str:
        """Return a text without its label, such as `Grade:`.

        The name of a grade is not a label. Words in `_NO_LABEL` are not labels.
        """
        match = _LABEL.fullmatch(text)
        if match is None:
            return text
        label = match[1].casefold()
        if label in self.folded or not _NO_LABEL.isdisjoint(label.split()):
            return text
        return match[2]

    def _without_end_of_scale(self, text: str) -> str:
        """Return `2` for `2/3` and `2 out of 3`; another text as it is.

        Raises ValueError if the scale does not end at 3.
        """
        match = _OUT_OF.fullmatch(text)
        if match is None:
            return text
        end = number_of(match[2])
        if self.scale is None:
            raise ValueError(
                f"nothing says that grades end at {end:g}; write a scale in the case "
                f"file, such as scale: [0, {end:g}]"
            )
        if end != self.scale.highest:
            raise ValueError(
                f"the answer counts to {end:g}, and the scale is {self.scale.describe()}; "
                "name the scale in the prompt"
            )
        return match[1]

    def _refuse_bracket(self, grade: float, line: str) -> None:
        """Raise ValueError if a bracket in a line has another grade."""
        for remark in _REMARKS.findall(line):
            for text in (remark, *_NUMBERS.findall(remark)):
                self._refuse_other(grade, self._grade_or_none(text), "in a bracket")

    def refuse_other_grades(self, grade: float, lines: Sequence[str]) -> None:
        """Raise ValueError if the lines below the grade give another grade.

        A line gives a grade if it would be read as a first line, or if it has words
        such as `the grade is 1`.
        """
        for number, line in enumerate(lines, 2):
            place = f"in line {number}"
            alone = _ONE_MORE.sub("", line, count=1).rstrip(")]")
            self._refuse_other(grade, self._grade_or_none(line), place)
            self._refuse_other(grade, self._grade_or_none(alone), place)
            for text in _CONCLUSION.findall(line):
                # without other cases of names: "the grade is a" is not always grade A
                other = grade_on_scale(text, self.scale)
                if not isinstance(other, str):
                    self._refuse_other(grade, other, place)

    def _grade_or_none(self, text: str) -> float | None:
        """Return the grade of a line; None if there is none, or if it is wrong."""
        try:
            return self.grade_of_line(text)
        except ValueError:
            return None

    def _refuse_other(self, grade: float, other: float | None, place: str) -> None:
        if other is not None and other != grade:
            raise ValueError(
                f"the answer has two grades, {grade:g} and {other:g} ({place}); ask for one"
            )

    def refuse_text(self) -> NoReturn:
        """Raise ValueError: a text is not a grade. The message says what is one."""
        raise ValueError(
            f"a grade is {allowed_grades(self.scale)}, or None for none; a text is the "
            f"grade alone in its first line, or JSON with the key {KEY}"
        )


def allowed_grades(scale: Scale | None) -> str:
    """Return which grades a scale allows, in words."""
    return "a number" if scale is None else f"one of {scale.describe()}"


def _refuse_json(message: str, place: Place) -> NoReturn:
    """Raise ValueError for a mistake in JSON."""
    where = f"{place.path}: " if place.path else ""
    raise ValueError(f"{where}{message}; ask for one JSON object and nothing else")


def _without_marks(text: str) -> str:
    """Return a line without the Markdown marks of a heading and of emphasis."""
    text = _HEADING.sub("", text, count=1) if text.startswith("#") else text
    for emphasis in _EMPHASIS:
        text = emphasis.sub(r"\1", text)
    return text


def _without_quotes(text: str) -> str:
    for opening, closing in _QUOTES:
        if len(text) > 2 and text.startswith(opening) and text.endswith(closing):
            return text[1:-1]
    return text


def _without_full_stop(text: str) -> str:
    """Return a text without its full stop. `...` is not a full stop."""
    return text if text.endswith("..") else text.removesuffix(".")


def _without_bracket(text: str) -> str:
    match = _BRACKET.fullmatch(text)
    return text if match is None else match[1]
