"""What changed in the demands since the reference, in words.

Reports call the demands "the test". Looser changes are named; stricter ones are
counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_relevance._text import counted, examples, first_few, listed
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.run.changed_test import (
    OF_JUDGMENTS,
    ChangedTest,
    ChangeInFile,
)
from pytest_relevance.reports.run.demand_text import (
    change_text,
    gate_text,
    name_of_key,
    sample_text,
    value_or_default,
    value_text,
)
from pytest_relevance.reports.styled_lines import BAD, DIM, DOUBT
from pytest_relevance.results.case_result import grouped
from pytest_relevance.results.records.demands import (
    EXPECT,
    GATE,
    JUDGMENTS,
    LEFT_GATE,
    SAMPLE,
    SKIP,
    XFAIL,
)
from pytest_relevance.results.records.run_info import FileInfo
from pytest_relevance.results.records.uncompared import GONE, LEFT_OUT, UncomparedCase

TEST_CHANGED = "the test changed"
"""The words before the changes."""

MOST_CHANGES = 6
"""How many kinds of changes a report names, unless it is to be in full."""

_MOST_IN_HEADLINE = 3
_MOST_VALUES = 3
"""How many different changes of one key have a text each."""

_JUDGMENTS_EXPLAINED = (
    "both rankings are scored by the new judgments; a diff of the judgments shows which "
    "grades changed"
)

_GONE_WORDS = {
    GONE: ("case is gone", "cases are gone"),
    LEFT_OUT: ("case is left out", "cases are left out"),
}
"""{why a case is lost: words for one such case, words for several}."""

_MARK_WORDS = {SKIP: "skipped", XFAIL: "expected to fail"}
"""{key of a mark: what a case with this mark is}."""

_OTHER_KEYS = ""
"""Stands in `_HEADLINE_KEYS` for all keys that are not in it."""

_HEADLINE_KEYS = (SAMPLE, GATE, SKIP, XFAIL, _OTHER_KEYS, *OF_JUDGMENTS)
"""The keys that a headline counts apart, in its order."""

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
    *OF_JUDGMENTS,
)
"""The keys in the order of their texts. All other keys follow by their names."""


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
        keys = dict.fromkeys(name_of_key(change.key) for _, change in changed.stricter)
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
    parts = _brief_changes(changed)
    if not parts:
        return ""
    if len(parts) > _MOST_IN_HEADLINE:
        parts[_MOST_IN_HEADLINE:] = ["and more"]
    return f"{TEST_CHANGED}: {', '.join(parts)}"


def _brief_changes(changed: ChangedTest) -> list[str]:
    """Return how many cases and gates are gone or looser, one text for each kind."""
    parts = []
    by_why = grouped(changed.gone, lambda case: case.why)
    for why, words in _GONE_WORDS.items():
        gone = {(case.file, case.id) for case in by_why.get(why, ())}
        if gone:
            parts.append(counted(len(gone), *words))
    by_key = defaultdict(list)
    for file, change in changed.looser:
        key = change.key if change.key in _HEADLINE_KEYS else _OTHER_KEYS
        by_key[key].append((file, change))
    for key in _HEADLINE_KEYS:
        if key in by_key:
            parts.append(_brief_text(key, by_key[key]))
    return parts


def _brief_text(key: str, changes: Sequence[ChangeInFile]) -> str:
    """Return how many demands of one kind changed: `2 gates are looser`."""
    if key == SAMPLE:
        return counted(len(changes), "sample changed", "samples changed")
    if key == GATE:
        are_gone = all(change.now is None for _, change in changes)
        what = "gone" if are_gone else "looser"
        return counted(len(changes), f"gate is {what}", f"gates are {what}")
    count = len(set(_cases_of(changes)))
    if key in OF_JUDGMENTS:
        return f"the {key} of {counted(count, 'case')} changed"
    what = _MARK_WORDS.get(key, "looser")
    return counted(count, f"case is {what}", f"cases are {what}")


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


def _place_of_key(key: str) -> tuple[int, str]:
    return _KEYS.index(key) if key in _KEYS else len(_KEYS), key


def _texts_of_key(key: str, changes: Sequence[ChangeInFile]) -> list[str]:
    """Return the changes of one key in words.

    Each gate and each sample has a text of its own. Cases with the same change share a
    text that counts and names them. If there were more than `_MOST_VALUES` such texts,
    one text replaces them all.
    """
    if key == GATE:
        return [gate_text(change) for _, change in changes]
    if key == SAMPLE:
        return [sample_text(change) for _, change in changes]
    by_text = grouped(changes, lambda pair: change_text(pair[1]))
    if len(by_text) > _MOST_VALUES:
        by_text = {_text_of_many(key, changes): [*changes]}
    texts = []
    for text, alike in by_text.items():
        cases = [*dict.fromkeys(_cases_of(alike))]
        names = examples([case for _, case in cases])
        texts.append(f"{text} in {counted(len(cases), 'case')} ({names})")
    return texts


def _text_of_many(key: str, changes: Iterable[ChangeInFile]) -> str:
    """Return the name of a key, and its present value if all changes lead to it.

    Example: `floor -> 0`.
    """
    name = name_of_key(key)
    if key in (EXPECT, LEFT_GATE, SKIP, XFAIL):
        return name
    values = {value_text(value_or_default(key, change.now)) for _, change in changes}
    return f"{name} -> {values.pop()}" if len(values) == 1 else name


def _cases_of(
    changes: Iterable[ChangeInFile],
) -> Iterator[tuple[str, str]]:
    """Yield (file, id) of each case of each change."""
    for file, change in changes:
        for case in change.cases:
            yield file, case
