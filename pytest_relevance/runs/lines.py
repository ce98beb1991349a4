"""Results, and the conditions that they share, as text: a line of a record each.

A result becomes text where its case ran: text is light to send, and to keep until the run ends. It is done for every
case, so that what every case has is put together here, in a quarter of the time that json takes; json does the rest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.scalar import score
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.runs.scored import Scored, ndcg_at
from pytest_relevance.runs.values import GRADES, NO_DIGEST, counts_text, digest_of, looks_at_all, metrics_of

DETAILS = ',"details":{'
"""What the details of a result begin with; they end its line."""

_SETTINGS = ("gain", "discount", "ideal", "unjudged", "negative", "max_grade")

_SEPARATOR, _BETWEEN = "\x7f", '","'  # a character that JSON leaves as it is, and that ids hardly have


def conditions_text(search: str, k: int, settings: Settings) -> str:
    """Conditions as text."""
    return as_json({"search": search, "k": k, **settings_values(settings)})


def result_line(values: Mapping[str, Any], details: Mapping[str, Any] | str, k: int) -> str:
    """A result as text, without its conditions, of which `k` is the cutoff. What is usual is left out."""
    written = {name: value for name, value in values.items() if not _is_usual(values, name, value, k)}
    written["digest"] = values.get("digest") or NO_DIGEST
    return line_of([as_json(written)[1:-1]], details if isinstance(details, str) else as_json(details))


def line_of(values: Iterable[str], details: str) -> str:
    """A result as text, of values that are text already, each with its name."""
    return f"{{{','.join(values)}{DETAILS[:-1]}{details}}}"


def _is_usual(values: Mapping[str, Any], name: str, value: object, k: int) -> bool:
    """Whether a value need not be written, or is written elsewhere."""
    return (
        value is None
        or name in ("conditions", "digest")
        or (name in ("tags", "params", "reasons", "scores", "before") and not value)
        or (name == "weight" and value == 1)
        or (name == "depth" and value == k)
        or (name == "query" and value == values["id"])
        or (name == "outcome" and value == values["verdict"])
    )


def named(name: str, value: object) -> str:
    """A value with its name."""
    return f'"{name}":{encode_basestring(value) if type(value) is str else as_json(value)}'


def scored_values(case: Case, scored: Scored) -> Iterator[str]:
    """What its ranking decided of a case."""
    scores = [_score(ndcg_at(case.k).text, scored.score)]
    if case.expect or case.terms.gates:
        metrics = {metric.text: metric for metric in metrics_of(case)}
        metrics.pop(ndcg_at(case.k).text, None)
        scores += [_score(name, score(metric, scored.graded, case.settings)) for name, metric in metrics.items()]
    yield f'"verdict":"{scored.verdict}","scores":{{{",".join(scores)}}},"digest":"{digest_of(case.judgments)}"'
    if scored.latency is not None:
        yield f'"latency":{scored.latency:.6f}'
    if scored.reasons:
        yield named("reasons", [*scored.reasons])
    if scored.lower != scored.upper and scored.score == scored.score:
        yield f"{_score('lower', scored.lower)},{_score('upper', scored.upper)}"


def _score(name: str, value: float) -> str:
    """A score with its name, with all its digits; null where it is not defined."""
    return f'"{name}":{float(value)!r}' if value == value else f'"{name}":null'


def details_text(case: Case, scored: Scored) -> str:
    """What a record has of a ranking: documents and grades as far as the case looks, and what was judged.

    `returned` is how many different documents there were; `judgments` how many there are of which grade.
    """
    ids, graded = scored.ranking.ids, scored.graded
    depth = len(ids) if looks_at_all(case) else max(case.depth, case.k)
    grades = ",".join(map(GRADES.__getitem__, graded.grades[:depth]))
    text = f'{{"ranking":[{_documents(ids[:depth])}],"grades":[{grades}],"returned":{scored.returned}'
    return f'{text},"judgments":{counts_text(graded.judged)}}}' if case.judgments else f"{text}}}"


def _documents(ids: Sequence[str]) -> str:
    """The ids of documents as they stand in a list, all in one piece."""
    joined = _SEPARATOR.join(ids)
    if not ids or joined.count(_SEPARATOR) >= len(ids):
        return as_json([*ids])[1:-1]
    return encode_basestring(joined).replace(_SEPARATOR, _BETWEEN)


def as_json(values: object) -> str:
    """An object on one line; what params may hold besides (a date, an infinity, a set) as its text."""
    try:
        return _as_json(values)
    except (TypeError, ValueError):
        return _as_json(_plain(values))


_as_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str).encode


def _plain(value: object) -> object:
    """A value in types that JSON has."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def settings_values(settings: Settings) -> dict[str, object]:
    """Settings as they stand in a file. A mapping of gains is a list of pairs: the keys of JSON are text."""
    values = {name: getattr(settings, name) for name in _SETTINGS}
    if isinstance(values["gain"], Mapping):
        values["gain"] = sorted(map(list, values["gain"].items()))
    return values


def settings_of(values: Mapping[str, Any]) -> Settings:
    """The settings that stand in a file."""
    known = dict(values)
    gain = known.get("gain")
    if isinstance(gain, Sequence) and not isinstance(gain, str):
        known["gain"] = dict(map(tuple, gain))
    return Settings(**known)
