"""What changed in the demands of a run since its reference, in words.

The data are the `test_changes` of each case file, and cases that are gone. Reports call
the demands "the test". Looser changes are named; stricter ones are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_relevance._number_text import time_text
from pytest_relevance._text import counted, cut_to, examples, first_few, listed, quoted
from pytest_relevance.cases.gates import usual_id
from pytest_relevance.cases.model import Gate, Terms
from pytest_relevance.codec import decode, encode
from pytest_relevance.registry import GATES, ExtensionError
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.styled_lines import BAD, DIM, DOUBT
from pytest_relevance.results.case_parts import DEFAULT_SETTINGS, Outcome
from pytest_relevance.results.case_result import CaseResult, grouped
from pytest_relevance.results.records.demands import (
    EXPECT,
    GATE,
    JUDGMENTS,
    LEFT_GATE,
    PASSAGES,
    SAMPLE,
    SKIP,
    XFAIL,
    DemandChange,
    RecordedExpectation,
)
from pytest_relevance.results.records.marks import MARK_LIMITS
from pytest_relevance.results.records.run_info import FileInfo, RunInfo
from pytest_relevance.results.records.uncompared import (
    GONE,
    IRRELEVANT,
    LEFT_OUT,
    MARKED_SKIP,
    UNDEFINED,
    UNJUDGED,
    UncomparedCase,
    lost_cases,
)

TEST_CHANGED = "the test changed"
"""The words before the changes."""

MOST_CHANGES = 6
"""How many kinds of changes a report names, unless it is to be in full."""

_MOST_IN_HEADLINE = 3
_MOST_VALUES = 3
"""How many different changes of one key have a text each."""

_LONGEST_VALUE = 60

_OF_JUDGMENTS = (JUDGMENTS, PASSAGES)
"""The keys of changes without values before and now. The case file shows these."""

_JUDGMENTS_EXPLAINED = (
    "both rankings are scored by the new judgments; their diff shows the grades"
)

OF_TEST = frozenset({GONE, LEFT_OUT})
"""Why a case is lost, if somebody removed it from the case file."""

_UNSCORED = frozenset({UNJUDGED, IRRELEVANT, UNDEFINED})
"""Why a case is lost, if its judgments changed. It is reported only as lost."""

_DEFAULT_TERMS = Terms()

_OF_MARKS = {SKIP: "skipped", XFAIL: "expected to fail"}


@dataclass(frozen=True, slots=True)
class ChangedTest:
    """What changed in the demands since the reference.

    `gone`: the cases of the reference that the test does not have now.
    `looser`, `stricter`: `(file, change)` of all other changes.
    """

    gone: Sequence[UncomparedCase]
    looser: Sequence[tuple[str, DemandChange]]
    stricter: Sequence[tuple[str, DemandChange]]

    @property
    def is_looser(self) -> bool:
        """Whether something may pass now that failed then."""
        return bool(self.gone or self.looser)

    def of_cases(self, cases: Collection[str]) -> ChangedTest:
        """Return only the changes of the cases with these ids.

        Changes of gates and cases that are gone are left out.
        """
        looser = _of_cases(self.looser, cases)
        return ChangedTest((), looser, _of_cases(self.stricter, cases))


def _of_cases(
    changes: Iterable[tuple[str, DemandChange]], cases: Collection[str]
) -> list[tuple[str, DemandChange]]:
    """Return the changes that concern any of these cases, without other cases."""
    found = []
    for file, change in changes:
        of_change = tuple(case for case in change.cases if case in cases)
        if of_change:
            found.append((file, replace(change, cases=of_change)))
    return found


def changed_test(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> ChangedTest:
    """Return what changed in the demands of a run since its reference."""
    looser: list[tuple[str, DemandChange]] = []
    stricter: list[tuple[str, DemandChange]] = []
    lost = lost_cases(files, results, info)
    without_score = {(case.file, case.id) for case in lost if case.why in _UNSCORED}
    for file, file_info in files.items():
        for change in file_info.test_changes:
            if change.key in _OF_JUDGMENTS:
                change = _without_cases(file, change, without_score)
                if not change.cases:
                    continue
            (looser if change.is_looser else stricter).append((file, change))
    gone = [case for case in lost if case.why in OF_TEST]
    return ChangedTest(gone, looser, stricter)


def _without_cases(
    file: str, change: DemandChange, others: Collection[tuple[str, str]]
) -> DemandChange:
    """Return a change without the cases in `others`: (file, id of a case)."""
    left = tuple(case for case in change.cases if (file, case) not in others)
    return replace(change, cases=left)


@dataclass(frozen=True, slots=True)
class LooserFiles:
    """The case files whose demands are looser than in their baselines.

    `names`: the files.
    `by_judgments`: whether only judgments or passages changed in them.
    """

    names: Sequence[str] = ()
    by_judgments: bool = False


NONE_LOOSER = LooserFiles()


def looser_files(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> LooserFiles:
    """Return the case files whose demands are looser than in their baselines.

    Files that are compared with a record are left out: no update accepts their demands.
    """
    changed = changed_test(results, files, info)
    keys_of_file: dict[str, set[str]] = {}
    for case in changed.gone:
        keys_of_file.setdefault(case.file, set()).add(case.why)
    for file, change in changed.looser:
        keys_of_file.setdefault(file, set()).add(change.key)
    names = []
    keys: set[str] = set()
    for name, of_file in keys_of_file.items():
        file_info = files.get(name)
        if file_info is not None and not file_info.against:
            names.append(name)
            keys |= of_file
    is_by_judgments = bool(keys) and keys <= {*_OF_JUDGMENTS}
    return LooserFiles(names, by_judgments=is_by_judgments)


def lost_otherwise(
    lost: Iterable[UncomparedCase], files: Mapping[str, FileInfo]
) -> list[UncomparedCase]:
    """Return the lost cases that no sentence about changed demands names.

    Left out are cases that are gone or left out, and cases that are newly skipped.
    """
    skipped: set[tuple[str, str]] = set()
    for file, info in files.items():
        for change in info.test_changes:
            if change.key == SKIP and change.is_looser:
                skipped.update((file, case) for case in change.cases)
    left = []
    for case in lost:
        is_skip = case.why == MARKED_SKIP and (case.file, case.id) in skipped
        if case.why not in OF_TEST and not is_skip:
            left.append(case)
    return left


# --- sentences ------------------------------------------------------------------------


def change_texts(changed: ChangedTest, *, full: bool = False) -> list[str]:
    """Return a text for each kind of change: what is looser, then what is stricter.

    Example: `floor 0.9 -> 0 in 12 cases ("boots", "hats", "socks" and 9 more)`.
    """
    texts = _gone_texts(changed.gone)
    by_key = grouped(changed.looser, lambda pair: pair[1].key)
    for key in sorted(by_key, key=_place_of_key):
        texts += _texts_of_key(key, by_key[key])
    if not full and len(texts) > MOST_CHANGES:
        more = len(texts) - MOST_CHANGES + 1
        texts[MOST_CHANGES - 1 :] = [counted(more, "more change")]
    if changed.stricter:
        keys = dict.fromkeys(_name_of_key(change.key) for _, change in changed.stricter)
        # each case counts, and each gate
        count = sum(max(1, len(change.cases)) for _, change in changed.stricter)
        texts.append(f"{counted(count, 'stricter change')}: {first_few([*keys])}")
    return texts


def change_sentences(
    changed: ChangedTest,
    files: Mapping[str, FileInfo],
    *,
    full: bool = False,
) -> list[Sentence]:
    """Return the changes as sentences for a terminal, a page or Markdown."""
    style = BAD if changed.is_looser else DOUBT
    sentences = []
    for text in change_texts(changed, full=full):
        sentences.append(Sentence(f"{TEST_CHANGED}: {text}", style))
    if any(change.key == JUDGMENTS for _, change in changed.looser):
        sentences.append(Sentence(_JUDGMENTS_EXPLAINED, DIM))
    unknown: dict[str, None] = {}
    for info in files.values():
        if info.against and not info.knows_demands:
            unknown[info.against] = None
    if unknown:
        names = listed(unknown, "and")
        text = (
            f"{names} does not say what the test demanded: an earlier version of "
            "pytest-relevance made it"
        )
        sentences.append(Sentence(text, DIM))
    return sentences


def changed_in_words(changed: ChangedTest) -> str:
    """Return the changes for a headline, or "" if nothing is looser.

    Example: `the test changed: 34 cases are gone, 2 gates are looser`.
    """
    parts = brief_changes(changed)
    if not parts:
        return ""
    if len(parts) > _MOST_IN_HEADLINE:
        parts[_MOST_IN_HEADLINE:] = ["and more"]
    return f"{TEST_CHANGED}: {', '.join(parts)}"


def brief_changes(changed: ChangedTest) -> list[str]:
    """Return how many cases and gates are gone or looser, one text for each kind."""
    parts = []
    by_why = grouped(changed.gone, lambda case: case.why)
    for why, words in _GONE_WORDS.items():
        gone = {(case.file, case.id) for case in by_why.get(why, ())}
        if gone:
            parts.append(counted(len(gone), *words))
    by_key = defaultdict(list)
    for file, change in changed.looser:
        key = change.key if change.key in _BRIEF_KEYS else ""
        by_key[key].append((file, change))
    for key in _BRIEF_KEYS:
        if key in by_key:
            parts.append(_brief(key, by_key[key]))
    return parts


_BRIEF_KEYS = (SAMPLE, GATE, SKIP, XFAIL, "", *_OF_JUDGMENTS)
"""The keys that a headline counts apart, in its order. "" is for all other keys."""


def _brief(key: str, changes: Sequence[tuple[str, DemandChange]]) -> str:
    """Return how many demands of one kind changed: `2 gates are looser`."""
    if key == SAMPLE:
        return counted(len(changes), "sample changed", "samples changed")
    if key == GATE:
        are_gone = all(change.now is None for _, change in changes)
        what = "gone" if are_gone else "looser"
        return counted(len(changes), f"gate is {what}", f"gates are {what}")
    count = len(set(_cases_of(changes)))
    if key in _OF_JUDGMENTS:
        return f"the {key} of {counted(count, 'case')} changed"
    what = _OF_MARKS.get(key, "looser")
    return counted(count, f"case is {what}", f"cases are {what}")


_GONE_WORDS = {
    GONE: ("case is gone", "cases are gone"),
    LEFT_OUT: ("case is left out", "cases are left out"),
}


def _gone_texts(gone: Sequence[UncomparedCase]) -> list[str]:
    """Return, for example, `34 cases are gone ("a", "b", "c" and 31 more)`."""
    texts = []
    by_why = grouped(gone, lambda case: case.why)
    for why, words in _GONE_WORDS.items():
        names = [*dict.fromkeys((case.file, case.id) for case in by_why.get(why, ()))]
        if not names:
            continue
        count = counted(len(names), *words)
        if why == LEFT_OUT:
            count += " by only: judged"
        texts.append(f"{count} ({examples([case for _, case in names])})")
    return texts


_KEYS = (
    SAMPLE,
    GATE,
    LEFT_GATE,
    SKIP,
    XFAIL,
    "min_ndcg",
    "tolerance",
    EXPECT,
    "k",
    "search",
    *_OF_JUDGMENTS,
)


def _place_of_key(key: str) -> tuple[int, str]:
    return _KEYS.index(key) if key in _KEYS else len(_KEYS), key


def _texts_of_key(key: str, changes: Sequence[tuple[str, DemandChange]]) -> list[str]:
    """Return the changes of one key in words.

    Each gate and each sample has a text of its own. Cases with the same change share a
    text that counts and names them. If there were more than `_MOST_VALUES` such texts,
    one text replaces them all.
    """
    if key == GATE:
        return [_gate_text(change) for _, change in changes]
    if key == SAMPLE:
        return [_sample_text(change) for _, change in changes]
    by_text = grouped(changes, lambda pair: _change_text(pair[1]))
    if len(by_text) > _MOST_VALUES:
        by_text = {_text_of_many(key, changes): [*changes]}
    texts = []
    for text, alike in by_text.items():
        cases = [*dict.fromkeys(_cases_of(alike))]
        names = examples([case for _, case in cases])
        texts.append(f"{text} in {counted(len(cases), 'case')} ({names})")
    return texts


def _text_of_many(key: str, changes: Iterable[tuple[str, DemandChange]]) -> str:
    """Return the name of a key, and its present value if all changes lead to it.

    Example: `floor -> 0`.
    """
    name = _name_of_key(key)
    if key in (EXPECT, LEFT_GATE, SKIP, XFAIL):
        return name
    values = {_value_text(_or_default(key, change.now)) for _, change in changes}
    return f"{name} -> {values.pop()}" if len(values) == 1 else name


def _change_text(change: DemandChange) -> str:
    """Return, for example, `floor 0.9 -> 0`, `skip: flaky` or `judgments`."""
    name = _name_of_key(change.key)
    if change.key in _OF_JUDGMENTS:
        return name
    if change.key in (SKIP, XFAIL):
        reason = cut_to(str(change.now), _LONGEST_VALUE)
        return f"{name}: {reason}" if reason else name
    if change.key == LEFT_GATE:
        return f"{name} as {gate_words(change.before)}{_error_text(change)}"
    if change.key == EXPECT:
        if change.before is None:
            return f"{_expectation_text(change.now)} is new"
        before = _expectation_text(change.before)
        if change.now is None:
            return f"{before} is gone"
        return f"{before} -> {_expectation_text(change.now)}{_error_text(change)}"
    before = _or_default(change.key, change.before)
    now = _or_default(change.key, change.now)
    return f"{name} {_value_text(before)} -> {_value_text(now)}"


_NAMES = {
    "min_ndcg": "floor",
    EXPECT: "expectation",
    LEFT_GATE: "no gate as strict",
    "strict": "strict xfail",
    **{key: key.replace("_", " ") for key in MARK_LIMITS},
}


def _name_of_key(key: str) -> str:
    return _NAMES.get(key, key)


def _or_default(key: str, value: Any) -> Any:
    """Return the value of a key; if it is None, the default of the setting."""
    if value is not None:
        return value
    for defaults in (DEFAULT_SETTINGS, _DEFAULT_TERMS):
        if hasattr(defaults, key):
            return encode(getattr(defaults, key))
    return None


def _value_text(value: Any) -> str:
    """Return the value of a key as text: `0.9`, `head, uk`; `none` without one."""
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return cut_to(", ".join(map(str, value)), _LONGEST_VALUE)
    return cut_to(str(value), _LONGEST_VALUE)


def _expectation_text(values: Any) -> str:
    """Return an expectation as text: `P@5 >= 0.6`, `include "a", "b" within 25`."""
    expected = decode(RecordedExpectation, values)
    text = expected.key
    if expected.kind == "latency":
        return f"{text} {expected.comparison} {time_text(expected.bound)}"
    if expected.conditions:
        from pytest_relevance.expectations.conditions import conditions_text

        outcome = Outcome(text, expected.kind, met=True, conditions=expected.conditions)
        return cut_to(f"{text} {conditions_text(outcome)}", _LONGEST_VALUE)
    if expected.quotes:
        return f"{text} {examples(expected.quotes)}"
    if expected.query:
        text = f"{text} {quoted(expected.query)}"
    if not expected.documents:
        return f"{text} {expected.comparison} {expected.bound:g}"
    text = f"{text} {examples(expected.documents)}"
    if expected.within is None:
        return text
    if expected.kind == "within":
        return f"{text} {expected.comparison} {expected.within}"
    return f"{text} in the top {expected.within}"


def _gate_text(change: DemandChange) -> str:
    """Return that a gate is gone or looser, as text.

    For example, `a gate is gone: mean nDCG@10 0.7`, or `a gate is looser: mean nDCG@10
    0.7 -> mean nDCG@10 0.6`.
    """
    before = gate_words(change.before)
    if change.now is None:
        return f"a gate is gone: {before}"
    text = f"a gate is looser: {before} -> {gate_words(change.now)}"
    return text + _error_text(change)


def _sample_text(change: DemandChange) -> str:
    """Return, for example, `sample of log.csv: n 200 -> 100`."""
    before, now = change.before or {}, change.now or {}
    file = f"sample of {(now or before)['file']}"
    if not before:
        return f"{file}: all queries -> n {now['n']}"
    if not now:
        return f"{file}: n {before['n']} -> all queries"
    parts = []
    for key in ("n", "seed", "by", "per"):
        was, value = before.get(key), now.get(key)
        if was != value:
            parts.append(f"{key} {_value_text(was)} -> {_value_text(value)}")
    return f"{file}: {', '.join(parts)}"


def _error_text(change: DemandChange) -> str:
    """Return a text about why nobody knows if a change is stricter; "" if it is known.

    The kind of a gate or of an expectation, which another package may have, says if a
    change is stricter.
    """
    if not change.error:
        return ""
    return f"; it is not known if that is stricter: {change.error}"


def gate_words(values: Any) -> str:
    """Return what a gate demands: `mean nDCG@10 0.7 of head`.

    If the gate has an id of its own, the id follows in brackets.
    """
    gate = decode(Gate, values)
    try:
        text = usual_id(gate, GATES.get_or_unknown(gate.condition))
    except ExtensionError:
        return gate.id
    if gate.p is not None:
        text = f"{text}, p {gate.p:g}"
    return text if gate.id in text else f"{text} ({quoted(gate.id, 40)})"


def _cases_of(
    changes: Iterable[tuple[str, DemandChange]],
) -> Iterable[tuple[str, str]]:
    """Yield (file, id) of each case of each change."""
    for file, change in changes:
        for case in change.cases:
            yield file, case
