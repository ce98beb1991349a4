"""Results, and the conditions that they share, as text: a line of a record each.

A result becomes text where its case ran: text is light to send, and to keep until the run ends. It is done for every
case, so that what every case has is put together here, in a quarter of the time that json takes; json does the rest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import ranks_needed, score
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.runs.scored import Scored, ndcg_at
from pytest_relevance.runs.values import GRADES, NO_DIGEST, digest_and_counts, metrics_of

DETAILS = ',"details":{'
"""What the details of a result begin with; they end its line."""

_SETTINGS = ("gain", "discount", "ideal", "unjudged", "negative", "max_grade")


def conditions_text(search: str, k: int, settings: Settings, depth: int | None = None) -> str:
    """Conditions as text; `depth` is there only where it was set."""
    of_depth = {} if depth is None else {"depth": depth}
    return as_json({"search": search, "k": k, **of_depth, **settings_values(settings)})


def result_line(values: Mapping[str, Any], details: Mapping[str, Any] | str, k: int) -> str:
    """A result as text, without its conditions, of which `k` is the cutoff. What is usual is left out."""
    written = {name: value for name, value in values.items() if not _is_usual(values, name, value, k)}
    written["digest"] = values.get("digest") or NO_DIGEST
    return line_of(as_json(written)[1:-1], details if isinstance(details, str) else as_json(details))


def line_of(values: str, details: str) -> str:
    """A result as text, of values and details that are text already."""
    return f'{{{values},"details":{details}}}'


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


as_text = encode_basestring
"""Text as JSON."""


def named(name: str, value: object) -> str:
    """A value with its name."""
    return f'"{name}":{encode_basestring(value) if type(value) is str else as_json(value)}'


def scored_text(case: Case, scored: Scored, depth: int | None) -> tuple[str, str]:
    """What its ranking decided of a case, and the details behind it.

    `depth` is how much of the ranking is kept, as `kept_depth` has it. `returned` is how many different documents there
    were; `judgments`, how many there are of which grade, are left out where there are none. `cut` is there where the
    search returned as many results as it was asked for.
    """
    graded = scored.graded
    ids, grades = scored.ranking.ids, graded.grades
    if depth is not None and len(ids) > depth:
        ids, grades = ids[:depth], grades[:depth]
    digest, counts = digest_and_counts(case.judgments)
    scores = _score(ndcg_at(case.terms.k).text, scored.score)
    if case.expect or case.terms.gates:
        scores = ",".join([scores, *(_score(name, value) for name, value in _beside(scored).items())])
    values = f'"verdict":"{scored.verdict}","scores":{{{scores}}},"digest":"{digest}"'
    if scored.reaches_depth:
        values += ',"cut":true'
    if scored.latency is not None:
        values += f',"latency":{scored.latency:.6f}'
    if scored.reasons:
        values += f",{named('reasons', [*scored.reasons])}"
    if scored.lower != scored.upper and scored.score == scored.score:
        values += f",{_score('lower', scored.lower)},{_score('upper', scored.upper)}"
    texts = ",".join(map(GRADES.__getitem__, grades))
    judged = f',"judgments":{counts}' if counts else ""
    return values, f'{{"ranking":[{_documents(ids)}],"grades":[{texts}],"returned":{scored.returned}{judged}}}'


def _beside(scored: Scored) -> dict[str, float]:
    """The scores beside nDCG@k, without those that look at more of the ranking than there is."""
    case, graded = scored.case, scored.graded
    metrics = {metric.text: metric for metric in metrics_of(case)}
    metrics.pop(ndcg_at(case.k).text, None)
    if not case.judgments:
        return dict.fromkeys(metrics, math.nan)
    scores = {name: score(metric, graded, case.settings) for name, metric in metrics.items()}
    if not scored.is_cut:
        return scores
    return {name: value for name, value in scores.items() if _is_known(metrics[name], value, case.settings)}


def _is_known(metric: Metric, value: float, settings: Settings) -> bool:
    """Whether a cut ranking decides a score. One is not defined whatever the ranking; RR ends at what is relevant."""
    return value != value or ranks_needed(metric, settings) is not None or (metric.measure == "RR" and value > 0)


def _score(name: str, value: float) -> str:
    """A score with its name, with all its digits; null where it is not defined."""
    return f'"{name}":{float(value)!r}' if value == value else f'"{name}":null'


def _documents(ids: Sequence[str]) -> str:
    """The ids of documents as they stand in a list: as they are, where JSON has nothing to escape in them."""
    joined = '","'.join(ids)
    if ids and joined.isprintable() and "\\" not in joined and joined.count('"') == 2 * len(ids) - 2:
        return f'"{joined}"'
    return as_json(ids)[1:-1]


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
