"""The options and ini keys of the plugin, as pytest declares them.

`run_settings` reads and checks their values. An extension declares its own options, in
its `plugin.py`. Every run imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

from argparse import Action, ArgumentTypeError
from collections.abc import Callable

import pytest

PATTERNS = ("*.relevance.yaml", "*.relevance.yml")
BASELINE = ("auto", "require")
KNOWN = ("fail", "xfail")
SAMPLE = ("drawn", "all")
SECRETS = (
    r"token(?!iz)|secret|key(?!word|board)|auth(?!or(?!i))|credential|cookie"
    r"|passw|passphrase|passcode|pwd|(?<![a-z])(?:pass|pw)(?![a-z])"
)
"""The names whose values are masked by default: not `keywords`, `tokenizer`,
`author`.
"""


def whole_number(least: int, expected: str) -> Callable[[str], int]:
    """Return a function that converts a text to a whole number of at least `least`.

    The function is the `type` of an option. It raises ArgumentTypeError for any other
    text.

    `expected`: what the error says that the option takes.
    """

    def whole(text: str) -> int:
        if not (text.isascii() and text.isdigit() and int(text) >= least):
            from pytest_relevance.reports.workflow_commands import safe_output

            raise ArgumentTypeError(safe_output(f"{expected}; found {text!r}"))
        return int(text)

    return whole


call_count = whole_number(
    2, "call each search 2 times or more, to see whether its ranking changes"
)
failure_count = whole_number(
    0, "a whole number of cases, or 0 to search on whatever fails"
)
at_least_one = whole_number(1, "a whole number, 1 or more")


class _Update(Action):
    """Stores what `--relevance-update` accepts: "all", "new" or "test".

    argparse takes `--relevance-update=new` as a whole for the name of an option: see
    `_declare_writing`. All such names share one action, so that an error lists them
    together.
    """

    def __call__(
        self, _: object, options: object, values: object, name: str | None = None
    ) -> None:
        _, _, accepts = (name or "").partition("=")
        setattr(options, self.dest, accepts or "all")


def option_group(parser: pytest.Parser) -> pytest.OptionGroup:
    """Return the group of the options `--relevance-*`."""
    return parser.getgroup("relevance", "search relevance")


def declare(parser: pytest.Parser) -> None:
    """Declare the command-line options, in a group of their own, and the ini keys."""
    group = option_group(parser)
    _declare_failing(group)
    _declare_reference(group)
    _declare_searching(group)
    _declare_writing(group)
    _declare_ini_keys(parser)


def _declare_failing(group: pytest.OptionGroup) -> None:
    """Declare the options that decide what fails a run, with or without a reference."""
    group.addoption(
        "--relevance-inconclusive",
        choices=("fail", "skip", "pass"),
        default="fail",
        help="what becomes of a case with too few judged results (min_judged): fail (default), skip or pass",
    )
    group.addoption(
        "--relevance-gates",
        choices=("auto", "require"),
        default="auto",
        help=(
            "if not all cases of a file ran, its gates are skipped (auto, the "
            "default), or fail (require)"
        ),
    )


def _declare_reference(group: pytest.OptionGroup) -> None:
    """Declare the options on the reference, and on what is compared with it."""
    group.addoption(
        "--relevance-baseline",
        choices=BASELINE,
        help=(
            "what cannot be compared with the reference is reported (auto, the "
            "default), or fails the run (require): a case file without a baseline, "
            "cases and case files that are gone, cases without a score in the run "
            "or in the reference"
        ),
    )
    group.addoption(
        "--relevance-against",
        metavar="RUN",
        help=(
            "compare with the record of a run (--relevance-record) instead of "
            "committed baselines"
        ),
    )
    group.addoption(
        "--relevance-known",
        choices=KNOWN,
        help=(
            "a case that failed before fails (fail, the default), or counts as an "
            "expected failure, so the run fails only for what got worse (xfail). It "
            "failed before if its accepted ranking misses the same by as much or "
            "more"
        ),
    )


def _declare_searching(group: pytest.OptionGroup) -> None:
    """Declare the options on the cases of the run and the calls of their searches."""
    group.addoption(
        "--relevance-sample",
        choices=SAMPLE,
        help=(
            "which queries of a file with the key sample become cases: the drawn "
            "ones (drawn, the default), or all (all)"
        ),
    )
    group.addoption(
        "--relevance-repeat",
        metavar="N",
        type=call_count,
        help="call each search N times, and name the queries whose ranking changes from call to call",
    )
    group.addoption(
        "--relevance-give-up",
        metavar="N",
        type=failure_count,
        help=(
            "give a search up if it failed in N cases in a row, or in 5 N if it has "
            "worked before; the remaining cases fail as not searched (default: 10; "
            "0: never)"
        ),
    )


def _declare_writing(group: pytest.OptionGroup) -> None:
    """Declare the options on the files that a run writes: a record, baselines."""
    group.addoption(
        "--relevance-record",
        metavar="FILE",
        help="write the record of the run: every case with its ranking and scores, for compare, merge and notebooks",
    )
    # these are whole option names: an optional value would swallow a folder that
    # follows the option
    group.addoption(
        "--relevance-update",
        "--relevance-update=all",
        "--relevance-update=new",
        "--relevance-update=test",
        dest="relevance_update",
        action=_Update,
        nargs=0,
        help=(
            "accept the present rankings as the baseline, with FILE::CASE that of "
            "one case. =new: only of cases without a baseline. =test: no ranking, "
            "only what the test demands"
        ),
    )


def _declare_ini_keys(parser: pytest.Parser) -> None:
    """Declare the ini keys.

    An option that has an ini key has no default of its own: without the option,
    `run_settings` reads the key.
    """
    defaults = {
        "give-up": "10",
        "baseline": "auto",
        "known": "fail",
        "sample": "drawn",
    }
    for name, default in defaults.items():
        parser.addini(
            f"relevance_{name.replace('-', '_')}",
            f"the same as --relevance-{name} (default: {default})",
            default=default,
        )
    parser.addini(
        "relevance_tolerance",
        "how far nDCG@k of a case may drop below its baseline (default: 0.05); a suite or a case may say otherwise",
        type="float",
        default=0.05,
    )
    parser.addini(
        "relevance_look_deeper",
        "whether passages that a failed case misses are looked for by a second "
        "search, for 5 times as many results (default: true)",
        type="bool",
        default=True,
    )
    parser.addini(
        "relevance_redact",
        "a regular expression for names, for example of params, whose values are "
        f"masked in reports, records and baselines (default: {SECRETS})",
        default=SECRETS,
    )
    parser.addini(
        "relevance_record_texts",
        "whether a record keeps the texts of results, with which changed passages "
        "can be judged later (default: false)",
        type="bool",
        default=False,
    )
    parser.addini(
        "relevance_files",
        f"names of the case files to collect (default: {' '.join(PATTERNS)})",
        type="args",
        default=[*PATTERNS],
    )
