"""The errors of a run that are not errors of a case, in words.

They are mistakes in case files, conftest files and catalogues.
"""

from __future__ import annotations

from pytest_relevance._text import counted, harmless
from pytest_relevance.reports.markdown_text import code_span
from pytest_relevance.reports.styled_lines import BAD, Line, folded_lines
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results.records.run_info import (
    RunError,
    RunInfo,
    files_with_errors,
    without_folders,
)

MOST_LISTED = 20
"""How many errors are listed, unless the report is to be in full."""

_LONGEST = 1000


def unfinished_parts(info: RunInfo) -> list[str]:
    """Return why results are missing, as `1 file has an error`, `2 cases are missing`.

    [] if none are.
    """
    parts = []
    if info.uncollected:
        parts.append(files_with_errors(info.uncollected))
    if info.missing:
        parts.append(f"{counted(len(info.missing), 'case is', 'cases are')} missing")
    return parts


def error_texts(info: RunInfo, *, full: bool = False) -> list[str]:
    """Return a text with its place for each error; equal texts only once.

    Without `full` only the first `MOST_LISTED` are returned. A last text counts the
    rest.
    """
    texts = [*dict.fromkeys(_with_node(error) for error in info.errors)]
    more = len(texts) - MOST_LISTED
    if full or more <= 0:
        return texts
    return [*texts[:MOST_LISTED], f"and {counted(more, 'more error')}"]


def error_lines(info: RunInfo, *, full: bool, width: int) -> list[Line]:
    """Return the errors as lines for a terminal."""
    lines = []
    for text in error_texts(info, full=full):
        lines += folded_lines(text, BAD, width)
    return lines


def error_section(info: RunInfo, *, full: bool) -> str:
    """Return the errors as a section of Markdown."""
    lines = ["**Errors**", ""]
    for text in error_texts(info, full=full):
        lines.append(f"- {code_span(cut(harmless(text), _LONGEST))}")
    return "\n".join(lines)


def error_title(error: RunError) -> str:
    """Return the title of an annotation: `Error in shop.relevance.yaml`."""
    return f"Error in {harmless(error.file)}" if error.file else "Error of the run"


def _with_node(error: RunError) -> str:
    """Return an error as text, with the file that is not collected because of it.

    Example: `judgments.csv:3: no grade (shop.relevance.yaml is not collected)`. This
    file is left out if the error is in it.
    """
    # node ids and messages are relative to different folders
    is_same = without_folders(error.node) == without_folders(error.file)
    if not (error.node and error.file) or is_same:
        return error.text
    if error.file.endswith(".py"):  # a conftest.py and its folder
        return error.text
    return f"{error.text} ({error.node} is not collected)"
