"""Options and files for unjudged results: the worklist, and the grades of a judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin.options import at_least_one, option_group, whole_number
from pytest_relevance.plugin.output_files import Message, OutputFile, Target
from pytest_relevance.plugin.run_settings import is_worker, keep_details

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run


def _why_no_worklist(data: bytes) -> str | None:
    from pytest_relevance.ext.judging.worklist_file import why_kept

    return why_kept(data)


def _why_no_judge_file(data: bytes) -> str | None:
    from pytest_relevance.ext.judging.judge_file import why_not_added_to

    return why_not_added_to(data)


WORKLIST = OutputFile("unjudged", _why_no_worklist, unwritten="no case was scored")

JUDGE_FILE = OutputFile("judge", _why_no_judge_file, unwritten="")
"""The file to which a judge adds its grades, as they come."""

_two_or_more = whole_number(2, "ask for 2 grades or more that people gave too")
"""The type of an option: the text as a whole number that is at least 2."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of the worklist and of a judge."""
    group = option_group(parser)
    group.addoption(
        "--relevance-unjudged",
        metavar="FILE",
        help="write a worklist of the results that nobody has judged, as CSV, the most "
        "valuable first",
    )
    group.addoption(
        "--relevance-judge",
        metavar="FILE",
        help="ask the fixture relevance_judge for the grades of results that nobody "
        "has judged, the most valuable first, and add them to this worklist",
    )
    group.addoption(
        "--relevance-judge-limit",
        metavar="N",
        type=at_least_one,
        help="ask relevance_judge for N grades at most",
    )
    group.addoption(
        "--relevance-calibrate",
        metavar="N",
        type=_two_or_more,
        help="ask relevance_judge for N grades that people gave, and print how far it "
        "agrees with them",
    )


# trylast: the file of a judge is mended, so the files must have been checked before
@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the hooks that ask a judge, if an option asks for its grades.

    Raises UsageError for options that do not go together.
    """
    option = config.option
    if option.relevance_judge is None and option.relevance_judge_limit is not None:
        raise pytest.UsageError(
            "--relevance-judge-limit goes with --relevance-judge=FILE, which is not given"
        )
    if option.relevance_calibrate is not None:
        keep_details(config)
    is_asked = (option.relevance_judge, option.relevance_calibrate) != (None, None)
    if is_asked and not is_worker(config):
        from pytest_relevance.ext.judging.hooks import Judging
        from pytest_relevance.plugin import hooks

        hooks.install(config)  # without a case file, the run reports that itself
        config.pluginmanager.register(Judging(config, JUDGE_FILE), "relevance-judging")


def pytest_relevance_outputs() -> Sequence[OutputFile]:
    """Return the files that options name: the worklist, and the grades of a judge."""
    return [WORKLIST, JUDGE_FILE]


def pytest_relevance_write(run: Run, config: pytest.Config) -> Iterator[Message]:
    """Write the worklist if the option asks for it. Yield a message about the file."""
    target = Target.of(WORKLIST, config)
    if target is None:
        return
    from pytest_relevance._files import write_whole
    from pytest_relevance._text import counted
    from pytest_relevance.ext.judging.worklist import Worklist

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
    """Say whether a case failed or did not finish, so that results may be missing."""
    from pytest_relevance.results.case_result import has_failed

    info = run.info
    is_incomplete = bool(info.errors or info.missing or info.uncollected)
    return is_incomplete or any(map(has_failed, run.results))
