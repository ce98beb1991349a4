"""Write the worklist of a run."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_relevance._files import write_whole
from pytest_relevance._text import counted
from pytest_relevance.ext.judging.worklist import Worklist
from pytest_relevance.plugin.output_files import Message, Target
from pytest_relevance.results.case_result import has_failed
from pytest_relevance.results.records.run import Run


def write_worklist(run: Run, target: Target) -> Iterator[Message]:
    """Write the results that nobody has judged, and say how many there are."""
    scored = [result for result in run.results if result.evaluation.scores]
    # no rankings, so that the unjudged results are unknown
    if not scored and _may_lack_results(run):
        yield Message(f"{target.shown} is not written: no case was scored")
        return
    worklist = Worklist.of(scored)
    # of anything but a regular file, a pipe for instance, there is no content to keep
    problem = target.write(
        lambda path: write_whole(
            path, worklist.to_csv(path.read_bytes() if path.is_file() else b"")
        )
    )
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
