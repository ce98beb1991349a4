"""The option --relevance-markdown, and the report of a run in GitHub Actions.

In GitHub Actions a run writes a step summary and annotations, even if no option asks
for them. So a problem with them is only a message, and does not change the exit code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin import run_settings
from pytest_relevance.plugin.options import option_group
from pytest_relevance.plugin.output_files import Message, OutputFile, Target

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run

REPORT = OutputFile("markdown")

CI = ("auto", "off")

_ADDRESS = r"https?://[^\s<>()\"`\\#]+"
"""An address that needs no escaping in Markdown. Links to queries add `#case=...`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare `--relevance-markdown`, `--relevance-ci`, and ini keys for builds."""
    group = option_group(parser)
    group.addoption(
        "--relevance-markdown",
        metavar="FILE",
        help="write the report as Markdown, for the comment of a pull request",
    )
    group.addoption(
        "--relevance-ci",
        choices=CI,
        help="leave a report and annotations in GitHub Actions (auto, the default), "
        "or nothing (off)",
    )
    parser.addini(
        "relevance_ci", "the same as --relevance-ci (default: auto)", default="auto"
    )
    parser.addini(
        "relevance_page_url",
        "the address at which the HTML report of this build is found; Markdown links "
        "there",
        default="",
    )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Check the ini keys of this extension, and note whether details are needed.

    Details are kept if GitHub's summary of the step will be written. Raises UsageError
    for an invalid value of `relevance_ci` or `relevance_page_url`.
    """
    run_settings.choice(config, "relevance_ci", CI)
    if _reports_to_github(config) and os.environ.get("GITHUB_STEP_SUMMARY"):
        run_settings.keep_details(config)
    address = config.getini("relevance_page_url")
    if address and not re.fullmatch(_ADDRESS, address):
        raise run_settings.usage_error(
            "relevance_page_url is the address of the HTML report, such as "
            f"https://ci.example.com/report.html; found {address!r}"
        )


def pytest_relevance_outputs() -> Sequence[OutputFile]:
    """Return the file that the option names."""
    return [REPORT]


@pytest.hookimpl(trylast=True)
def pytest_relevance_write(run: Run, config: pytest.Config) -> Iterator[Message]:
    """Write the report if the option asks for it, and report to GitHub Actions."""
    target = Target.of(REPORT, config)
    if target is not None:
        yield target.write_report(_markdown(run, config))
    if _reports_to_github(config):
        yield from _report_to_github(run, config)


def _reports_to_github(config: pytest.Config) -> bool:
    setting = config.option.relevance_ci or config.getini("relevance_ci")
    return setting != "off" and os.environ.get("GITHUB_ACTIONS") == "true"


def _report_to_github(run: Run, config: pytest.Config) -> Iterator[Message]:
    """Append the report to the step summary, and print the annotations.

    The annotations are printed when pytest ends. A problem with the summary becomes a
    message that changes no exit code. If pytest could not start (`early_errors`), the
    annotations are printed at once, and a problem is yielded as a message.
    """
    from pytest_relevance.ext.markdown import github
    from pytest_relevance.ext.markdown.annotations import run_annotations
    from pytest_relevance.plugin.run_store import run_store

    if not github.has_something_to_say(run):
        return
    has_started = run_settings.HAS_STARTED in config.stash
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        report = _markdown(run, config, github.MOST_OF_SUMMARY)
        problem = github.append_to_summary(report, summary)
        message = Message(problem, is_good=False)
        if problem and has_started:
            run_store(config).notes.say(message)
        elif problem:
            yield message
    if has_started:
        config.pluginmanager.register(github.Annotations(), "relevance-github")
    else:
        github.print_annotations(run_annotations(run, []), config)


def _markdown(run: Run, config: pytest.Config, most: int | None = None) -> str:
    from pytest_relevance.ext.markdown.markdown import run_markdown
    from pytest_relevance.reports.markdown_sections import MOST_CHARACTERS
    from pytest_relevance.reports.workflow_commands import safe_output

    report = run_markdown(
        run,
        verbosity=max(run_settings.verbosity(config.option), 0),
        most=most or MOST_CHARACTERS,
        page=config.getini("relevance_page_url"),
    )
    return safe_output(report)
