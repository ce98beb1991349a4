"""The worklist, and that of a judge, as files that options name."""

from __future__ import annotations

from pytest_relevance.plugin.output_files import OutputFile


def _why_no_worklist(data: bytes) -> str | None:
    from pytest_relevance.ext.judging.worklist_file import why_kept

    return why_kept(data)


def _why_no_judge_file(data: bytes) -> str | None:
    from pytest_relevance.ext.judging.judge_file import why_not_added_to

    return why_not_added_to(data)


WORKLIST = OutputFile("unjudged", _why_no_worklist, unwritten="no case was scored")

JUDGE_FILE = OutputFile("judge", _why_no_judge_file, unwritten="")
"""The worklist of a judge. It is written as grades come."""
