"""The keys of a case file: one table that says where each may stand, how it is read from YAML and what it may hold.

To add a key: a row in `FIELDS`, a field of the model, and a row of `schema.VALUES` for editors. What several keys say
together is checked in `limits`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_relevance.cases import checks
from pytest_relevance.cases.checks import Check
from pytest_relevance.cases.expectations import check_expectations
from pytest_relevance.cases.files import check_query_files, check_suite_judgments
from pytest_relevance.cases.gates import check_gates
from pytest_relevance.cases.graded import check_judgments, check_scale
from pytest_relevance.cases.names import check_fixture_name
from pytest_relevance.cases.nodes import Node
from pytest_relevance.cases.plain import (
    as_expectations,
    as_gates,
    as_judgments,
    as_names,
    as_scale,
    as_text,
    as_value,
    as_xfail,
)
from pytest_relevance.judgments.raters import AGGREGATES
from pytest_relevance.metrics.settings import CHOICES

SUITE, CASE = "suite", "case"
_BOTH = (SUITE, CASE)


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a case file. `read` makes plain Python of its YAML, `check` what the model holds of that.

    `at` says where it may stand. `at_suite` is the check where a suite may hold something else than a case. A key is
    not looked at while one that it `needs` is wrong: its mistakes would be those of the other.
    """

    name: str
    at: tuple[str, ...]
    read: Callable[[Node], object]
    check: Check
    at_suite: Check | None = None
    needs: tuple[str, ...] = ()

    def check_at(self, level: str) -> Check:
        """The check of the key in a suite or in a case."""
        return self.at_suite if level == SUITE and self.at_suite is not None else self.check


FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        # the order is the order of checking: what a check looks up in `terms` comes before it
        Field("query", (CASE,), as_text, checks.query),
        Field("id", (CASE,), as_text, checks.written_id),
        Field("search", _BOTH, as_text, checks.search),
        Field("k", _BOTH, as_value, checks.whole),
        Field("min_ndcg", _BOTH, as_value, checks.floor),
        Field("scale", _BOTH, as_scale, check_scale),
        Field("gain", _BOTH, as_text, checks.gain, needs=("scale",)),
        Field("discount", _BOTH, as_text, checks.choice(CHOICES["discount"])),
        Field("ideal", _BOTH, as_text, checks.choice(CHOICES["ideal"])),
        Field("unjudged", _BOTH, as_text, checks.choice(CHOICES["unjudged"])),
        Field("negative", _BOTH, as_text, checks.choice(CHOICES["negative"])),
        Field("min_judged", _BOTH, as_value, checks.share),
        Field("raters", _BOTH, as_text, checks.choice(AGGREGATES)),
        Field("id_field", _BOTH, as_text, checks.name_of_field),
        Field("title_field", _BOTH, as_text, checks.name_of_field),
        Field("params", _BOTH, as_value, checks.params),
        Field("tags", _BOTH, as_names, checks.names(checks.tag, "tags")),
        Field("judgments", _BOTH, as_judgments, check_judgments, check_suite_judgments, needs=("scale",)),
        Field("note", (CASE,), as_text, checks.text),
        Field("weight", (CASE,), as_value, checks.weight),
        Field("xfail", (CASE,), as_xfail, checks.xfail),
        Field("skip", (CASE,), as_text, checks.skip),
        Field("usefixtures", (CASE,), as_names, checks.names(check_fixture_name, "fixture names")),
        Field("expect", (CASE,), as_expectations, check_expectations),
        Field("tolerance", _BOTH, as_value, checks.share),
        Field("gates", (SUITE,), as_gates, check_gates),
        Field("queries", (SUITE,), as_value, check_query_files),
    )
}
"""Every key there is, but `cases` itself."""

INHERITED = (
    *("search", "k", "min_ndcg", "scale", "min_judged", "raters", "id_field", "title_field", "params", "tags"),
    *("tolerance", "gates"),
)
"""The keys that a suite sets and `Terms` holds under the same name."""

SCORING = ("gain", "discount", "ideal", "unjudged", "negative")
"""The keys that make up `Settings`."""
