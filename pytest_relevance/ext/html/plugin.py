"""The options --relevance-html and --relevance-images, which write the HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin.options import option_group
from pytest_relevance.plugin.output_files import Message, OutputFile, Target

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run

PAGE = OutputFile("html", is_page=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare `--relevance-html` and `--relevance-images`."""
    group = option_group(parser)
    group.addoption(
        "--relevance-html",
        metavar="FILE",
        help="write the report as one HTML file to forward, with all rankings and with "
        "grading in the page",
    )
    group.addoption(
        "--relevance-images",
        choices=("off", "link"),
        default="off",
        help="the HTML report shows no pictures of documents (off, the default), or "
        "loads them from their addresses (link)",
    )


def pytest_relevance_outputs() -> Sequence[OutputFile]:
    """Return the file that `--relevance-html` names."""
    return [PAGE]


def pytest_relevance_write(run: Run, config: pytest.Config) -> Iterator[Message]:
    """Write the page if `--relevance-html` is given."""
    target = Target.of(PAGE, config)
    if target is None:
        return
    from pytest_relevance.ext.html.page import html_page
    from pytest_relevance.results.records.run import Run

    named = Run(run.results, run.files, run.info, name=target.path.name)
    page = html_page(named, images=config.option.relevance_images == "link")
    yield target.write_report(page)
