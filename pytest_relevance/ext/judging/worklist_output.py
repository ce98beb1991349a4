"""Write the worklist of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_relevance._files import write_whole
from pytest_relevance._text import counted
from pytest_relevance.ext.judging.worklist import Worklist
from pytest_relevance.plugin.output_files import Message, Target
from pytest_relevance.results.case_result import has_failed
from pytest_relevance.results.records.run import Run


def write_worklist(run: Run, target: Target) -> Iterator[Message]:
    """Write the results that nobody has judged, and say how many there are."""
    scored = [result for result in run.results if result.evaluation.scores]
    # Without rankings the unjudged results are not known.
    if not scored and _may_lack_results(run):
        yield Message(f"{target.shown} is not written: no case was scored")
        return
    worklist = Worklist.of(scored)

    def write(path: Path) -> None:
        # A pipe, for instance, has no content to keep.
        before = path.read_bytes() if path.is_file() else b""
        write_whole(path, worklist.to_csv(before))

    problem = target.write(write)
    words = "no unjudged results"
    if worklist.rows:
        rows = counted(len(worklist.rows), "unjudged result")
        words = f"{rows} of {counted(worklist.queries, 'query', 'queries')}"
    if problem is not None:
        yield Message(f"{words}, and no list of them: {problem}", is_good=False)
        return
    rest = "" if worklist.rows else " has only its header"
    yield Message(f"{words}: {target.shown}{rest}")


def _may_lack_results(run: Run) -> bool:
    """Say whether a case did not come to its end, so that its ranking is unknown."""
    info = run.info
    is_incomplete = bool(info.errors or info.missing or info.uncollected)
    return is_incomplete or any(map(has_failed, run.results))
