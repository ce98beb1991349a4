"""Notes of a comparison about its runs: samples, other variants, fallback grades."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._text import counted
from pytest_relevance.ext.comparing.matching import Variants
from pytest_relevance.reports.run.remarks import filled_texts
from pytest_relevance.reports.run.sample_text import drawn_texts
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import DrawnQueries


def notes_on_runs(runs: Sequence[Run], variants: Variants | None) -> list[str]:
    """Return the notes about each run. If both are the same run, each comes once.

    `variants`: the variants that are compared; None for all.
    """
    return [
        *_notes_on_samples(runs),
        *_notes_on_variants(runs, variants),
        *_notes_on_filled_grades(runs),
    ]


def _notes_on_samples(runs: Sequence[Run]) -> list[str]:
    """Return a note for each case file whose queries were drawn."""
    notes: dict[str, None] = {}
    for run in runs:
        for file, info in run.files.items():
            if info.drawn is not None:
                drawn = DrawnQueries(
                    samples=info.drawn.samples, left_out=info.drawn.left_out
                )
                texts = "; ".join(drawn_texts(drawn, reference=""))
                notes[f"{run.name}: {file}: {texts}"] = None
    return [*notes]


def _notes_on_variants(runs: Sequence[Run], variants: Variants | None) -> list[str]:
    """Return a note with the number of results of variants that are not compared.

    [] if no variants were chosen, or if there are no such results.
    """
    if variants is None:
        return []
    others = 0
    by_name = {run.name: run for run in runs}  # a record may be compared with itself
    for run in by_name.values():
        others += sum(result.variant not in variants for result in run.results)
    if not others:
        return []
    return [f"left out: {counted(others, 'result')} of other variants"]


def _notes_on_filled_grades(runs: Sequence[Run]) -> list[str]:
    """Return a note for each run that has grades from files with `fill: true`."""
    notes: dict[str, None] = {}
    for run in runs:
        for text in filled_texts(run.results)[:1]:
            notes[f"{run.name}: {text}"] = None
    return [*notes]
