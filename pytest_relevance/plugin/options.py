"""The plugin's options and ini keys, and which files are case files.

`settings` returns the checked options. An option that only one place reads is read
there. Every run imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

import os
import re
from argparse import Action, ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch, translate
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.plugin.clock import wall_time
from pytest_relevance.plugin.output_files import OutputFile, files_of_options

if TYPE_CHECKING:
    from pytest_relevance.plugin.redaction import Redaction
    from pytest_relevance.results.records.recorded_rankings import RecordedRankings
    from pytest_relevance.results.records.run_info import Replayed

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


_calls = whole_number(
    2, "call each search 2 times or more, to see whether its ranking changes"
)
_failures = whole_number(0, "a whole number of cases, or 0 to search on whatever fails")
at_least_one = whole_number(1, "a whole number, 1 or more")


class _Update(Action):
    """Stores what `--relevance-update` accepts: "all", "new" or "test".

    For argparse, `--relevance-update=new` as a whole is a name of the option. All such
    names share one action, so that argparse lists them together in an error.
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
    """Add the command-line options, in a group of their own, and the ini keys."""
    group = option_group(parser)
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
    group.addoption(
        "--relevance-sample",
        choices=SAMPLE,
        help=(
            "which queries of a file with the key sample become cases: the drawn "
            "ones (drawn, the default), or all (all)"
        ),
    )
    group.addoption(
        "--relevance-record",
        metavar="FILE",
        help="write the record of the run: every case with its ranking and scores, for compare, merge and notebooks",
    )
    group.addoption(
        "--relevance-repeat",
        metavar="N",
        type=_calls,
        help="call each search N times, and name the queries whose ranking changes from call to call",
    )
    group.addoption(
        "--relevance-give-up",
        metavar="N",
        type=_failures,
        help=(
            "give a search up if it failed in N cases in a row, or in 5 N if it has "
            "worked before; the remaining cases fail as not searched (default: 10; "
            "0: never)"
        ),
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
    _declare_ini_keys(parser)


def _declare_ini_keys(parser: pytest.Parser) -> None:
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
        "can be judged later (default: off)",
        type="bool",
        default=False,
    )
    parser.addini(
        "relevance_files",
        f"names of the case files to collect (default: {' '.join(PATTERNS)})",
        type="args",
        default=[*PATTERNS],
    )


def matcher_of(patterns: Sequence[str]) -> Callable[[str], object]:
    """Return a function whose result is true for a file name that fits a pattern."""
    either = "|".join(map(translate, patterns))
    return re.compile(either or "(?!)").match  # (?!) matches nothing


class CaseFiles:
    """Decides which files are case files.

    A case file is known by its name (ini key `relevance_files`). A file that the
    command line names is also known by its content. Raises UsageError if a pattern of
    the ini key has a folder.
    """

    def __init__(self, config: pytest.Config) -> None:
        patterns = config.getini("relevance_files")
        if any("/" in pattern for pattern in patterns):
            raise pytest.UsageError(
                f"relevance_files are patterns for file names, without folders, found: {' '.join(patterns)}"
            )
        self._has_patterns = bool(patterns)
        self._fits = matcher_of(patterns)
        self._named = set()
        for argument in config.args:
            path = config.invocation_params.dir / argument.partition("::")[0]
            if _is_yaml(path.name) and path.is_file():
                self._named.add(path.resolve())

    def includes_name(self, name: str) -> bool:
        """Say whether the name of a file, without folders, is that of a case file."""
        return bool(self._fits(name))

    def includes(self, path: Path) -> bool:
        """Say whether a file is a case file. The file need not exist.

        Raises OSError if the content decides and cannot be read.
        """
        if self._fits(path.name):
            return True
        if not self._named or path.resolve() not in self._named:
            return False
        from pytest_relevance.cases.reader import has_cases

        return has_cases(path.read_bytes())

    def passes_over(self, path: Path) -> bool:
        """Say whether a file has the content of a case file, but another name.

        This is a guess, because the YAML is not parsed.
        """
        if not (_is_yaml(path.name) and self._has_patterns):
            return False
        try:
            with path.open("rb") as file:
                text = file.read(_MOST_READ)
        except OSError:
            return False
        return bool(re.search(_CASES, text) and re.search(_QUERY, text))


_CASES = rb"(?m)^(?:cases|queries)[ \t]*:"
_QUERY = rb"(?m)\bquery[ \t]*:|^queries[ \t]*:"
_MOST_READ = 65_536
"""How many bytes of a YAML file are read: more than the keys above the cases take."""


def _is_yaml(name: str) -> bool:
    return name[-5:].lower().endswith((".yaml", ".yml"))


CASE_FILES: pytest.StashKey[CaseFiles] = pytest.StashKey()

BASELINE_SUFFIX = ".baseline.jsonl"
"""The end of the name of a baseline, here so that a run without case files imports
nothing for it.
"""

BASELINES_SEEN: pytest.StashKey[list[Path]] = pytest.StashKey()
"""The baselines in the folders that pytest has looked into."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The values of options and ini keys, checked once in each process.

    Attributes:
        calls: how often the search is called for a case.
        give_up: in how many cases in a row a search fails before it is given up; 0:
            never.
        tolerance: how far a score may drop, for cases that do not set it.
        requires_baseline: whether a case file without a baseline fails.
        expects_known: whether a case that failed before is expected to fail.
        takes_all: whether all queries are taken from files with the key `sample`.
        looks_deeper: whether a second search looks for passages that a failed case is
            missing.
        requires_gates: whether a gate without a verdict fails.
        files: the files that options name, to be written at the end of the run.
        outputs: the names of all options that write something.
        details: whether ranking, grades and titles are kept of every case, even if it
            passes.
        keeps_texts: whether results keep their texts, for a page or for a record.
        properties: whether a JUnit file is written.
        runs_tests: false if the command only lists tests, sets them up or shows
            fixtures.
        home: the ids of the process and the thread that started pytest. Plugins may run
            tests in others.
        started: the time of the start, in seconds since 1970.
    """

    calls: int
    give_up: int
    tolerance: float
    requires_baseline: bool
    expects_known: bool
    takes_all: bool
    looks_deeper: bool
    requires_gates: bool
    files: Sequence[OutputFile]
    outputs: Sequence[str]
    details: bool
    keeps_texts: bool
    properties: bool
    runs_tests: bool
    home: tuple[int, int]
    started: float


_SETTINGS: pytest.StashKey[RunSettings] = pytest.StashKey()

DOCUMENTS = "relevance_documents"
"""The name of the fixture that says what documents are called."""

HAS_CASES: pytest.StashKey[bool] = pytest.StashKey()
"""Set when the hooks of a run with cases are registered."""


def has_cases(config: pytest.Config) -> bool:
    """Say whether the hooks of a run with cases are registered in this process.

    They are if it has collected a case file, or may get results of cases.
    """
    return HAS_CASES in config.stash


def is_worker(config: pytest.Config) -> bool:
    """Say whether this process is a worker of pytest-xdist."""
    return hasattr(config, "workerinput")


HAS_STARTED: pytest.StashKey[bool] = pytest.StashKey()
"""Set when all plugins are configured. `early_errors` reports errors before that."""


REPLAYED: pytest.StashKey[Replayed] = pytest.StashKey()
"""The record whose rankings are judged, if the run calls no search."""


def reports_failed_start(config: pytest.Config) -> bool:
    """Say whether to report an error that ends the run before it begins.

    True if options name files to write, or if the run is one of GitHub Actions.
    """
    names_files = bool(files_of_options(config, config.option))
    return names_files or os.environ.get("GITHUB_ACTIONS") == "true"


def settings(config: pytest.Config) -> RunSettings:
    """Return the `RunSettings` that `read_settings` stored in the config."""
    return config.stash[_SETTINGS]


def keep_details(config: pytest.Config) -> None:
    """Keep ranking, grades and titles of every case in this run.

    An extension calls this after the settings were read, in a `pytest_configure` that
    is `trylast`.
    """
    config.stash[_SETTINGS] = replace(settings(config), details=True)


def read_settings(config: pytest.Config) -> None:
    """Read options and ini keys, and keep them for `settings`.

    Workers of pytest-xdist read the same settings, because they have the options and
    the environment of their controller. Raises UsageError for an invalid value.
    """
    config.stash[CASE_FILES] = CaseFiles(config)
    option = config.option
    files = files_of_options(config, option)
    outputs = [file.name for file in files]
    if option.relevance_update is not None:
        outputs.append("update")
    wants_texts = config.getini("relevance_record_texts")
    records_texts = bool(wants_texts and "record" in outputs)
    is_known_expected = choice(config, "relevance_known", KNOWN) == "xfail"
    config.stash[_SETTINGS] = RunSettings(
        tolerance=_tolerance(config),
        requires_baseline=choice(config, "relevance_baseline", BASELINE) == "require",
        expects_known=is_known_expected and not option.runxfail,
        takes_all=choice(config, "relevance_sample", SAMPLE) == "all",
        looks_deeper=_ini_value(config, "relevance_look_deeper", "true or false"),
        requires_gates=option.relevance_gates == "require",
        give_up=number_setting(config, "relevance_give_up", _failures),
        calls=option.relevance_repeat or 1,
        files=files,
        outputs=outputs,
        details=bool(verbosity(option) > 1 or outputs),
        keeps_texts=records_texts or any(file.is_page for file in files),
        properties=bool(getattr(option, "xmlpath", None)),
        runs_tests=not any(getattr(option, name, False) for name in WITHOUT_TESTS),
        home=here(),
        started=wall_time(),
    )
    pattern = config.getini("relevance_redact")
    try:
        # compiling it would take longer than all the rest of this function
        if pattern != SECRETS:
            re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise pytest.UsageError(
            f"relevance_redact is a regular expression for names, such as token|secret; found {pattern!r}: {error}"
        ) from None


WITHOUT_TESTS = {
    "collectonly": "--collect-only",
    "setuponly": "--setup-only",
    "setupplan": "--setup-plan",
    "showfixtures": "--fixtures",
    "show_fixtures_per_test": "--fixtures-per-test",
}
"""Options with which pytest collects tests and runs none: {the name under which pytest
keeps one: the option}.
"""


def here() -> tuple[int, int]:
    """Return the ids of the process and the thread that call this function."""
    return os.getpid(), get_ident()


def choice(config: pytest.Config, name: str, allowed: Sequence[str]) -> str:
    """Return the value of an option, or of the ini key if the option is not given.

    The option and the ini key have the same name. Raises UsageError if the value is not
    in `allowed`.
    """
    value: str = getattr(config.option, name) or config.getini(name)
    if value not in allowed:
        raise usage_error(f"{name} is {' or '.join(allowed)}, found {value!r}")
    return value


def number_setting(
    config: pytest.Config, name: str, convert: Callable[[str], int]
) -> int:
    """Return the number of an option, or of the ini key if the option is not given.

    The option and the ini key have the same name. Raises UsageError for a wrong text of
    the ini key. argparse has checked the option.

    `convert`: converts the text of the ini key.
    """
    given: int | None = getattr(config.option, name, None)
    try:
        return convert(str(config.getini(name))) if given is None else given
    except ArgumentTypeError as error:
        raise usage_error(f"{name} is {error}") from None


def usage_error(*messages: object) -> pytest.UsageError:
    """Return a usage error without workflow commands, which GitHub would run."""
    from pytest_relevance.reports.workflow_commands import safe_output

    return pytest.UsageError(*(safe_output(str(message)) for message in messages))


def _tolerance(config: pytest.Config) -> float:
    """Return the tolerance of the ini key `relevance_tolerance`.

    Raises UsageError for anything other than a number from 0 to 1.
    """
    expected = "a number from 0 to 1"
    value = _ini_value(config, "relevance_tolerance", expected)
    if isinstance(value, bool) or not 0 <= value <= 1:
        raise pytest.UsageError(f"relevance_tolerance is {expected}, found {value}")
    return float(value)


def _ini_value(config: pytest.Config, name: str, expected: str) -> Any:
    """Return the value of an ini key that has a type.

    Raises UsageError for a value of another type.
    `expected`: what the message says that the ini key is.
    """
    try:
        return config.getini(name)
    except (TypeError, ValueError, pytest.UsageError) as error:
        raise pytest.UsageError(f"{name} is {expected}: {error}") from None


AGAINST: pytest.StashKey[RecordedRankings] = pytest.StashKey()


def recorded_rankings(config: pytest.Config) -> RecordedRankings:
    """Return the rankings of the record that `--relevance-against` names.

    The record is read once in each process. Raises UsageError if

    - the record cannot be read
    - a search found nothing in most cases of the record
    - an option writes baselines in the same run
    """
    if AGAINST not in config.stash:
        config.stash[AGAINST] = _read_record(config)
    return config.stash[AGAINST]


def _read_record(config: pytest.Config) -> RecordedRankings:
    """Read the record that `--relevance-against` names.

    Raises UsageError if

    - the record cannot be read
    - a search found nothing in most cases of the record
    - an option writes baselines in the same run
    """
    from pytest_relevance._files import name_to_forward
    from pytest_relevance.results.records.recorded_rankings import read_rankings
    from pytest_relevance.results.records.run_info import RecordError

    name = config.option.relevance_against
    if config.option.relevance_update is not None:
        raise pytest.UsageError(
            "--relevance-update accepts rankings into committed baselines, and --relevance-against compares with "
            "a record in their place: leave one of them out"
        )
    try:
        found = read_rankings(os.path.abspath(os.path.expanduser(name)), name)
    except RecordError as error:
        raise pytest.UsageError(f"--relevance-against: {error}") from None
    if found.silent:
        from pytest_relevance.results.records.reference import refusal

        raise pytest.UsageError(f"--relevance-against: {refusal(name, found.silent)}")
    return replace(found, name=name_to_forward(name, config.rootpath))


_REDACTION: pytest.StashKey[Redaction] = pytest.StashKey()


def redaction(config: pytest.Config) -> Redaction:
    """Return the object that masks secrets in this run (ini key `relevance_redact`)."""
    if _REDACTION not in config.stash:
        from pytest_relevance.plugin.redaction import Redaction

        found = Redaction(config.getini("relevance_redact"))
        found.learn(vars(config.option))
        found.learn_arguments(map(str, config.invocation_params.args))
        found.learn_environment(os.environ)
        config.stash[_REDACTION] = found
    return config.stash[_REDACTION]


def verbosity(option: Any) -> int:
    """Return the verbosity: 1 for `-v`, -1 for `-q`, 0 without a terminal plugin."""
    return getattr(option, "verbose", 0)


def ended_well(exitstatus: int | pytest.ExitCode) -> bool:
    """Say whether an exit status means that nothing failed."""
    return exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def files_below(folder: Path, left_out: Sequence[str]) -> Iterator[str]:
    """Yield the paths of the files in a folder and below it.

    `left_out`: patterns for the names of folders that are left out.
    """
    for path, folders, names in os.walk(folder):
        searched = []
        for name in sorted(folders):
            if not any(fnmatch(name, pattern) for pattern in left_out):
                searched.append(name)
        folders[:] = searched
        for name in sorted(names):
            yield os.path.join(path, name)


def shown_path(path: Path | str, config: pytest.Config) -> str:
    """Return a path for messages, relative to the folder where pytest was started."""
    return relative(path, config.invocation_params.dir) or str(path)


def relative(path: Path | str, folder: Path | str) -> str | None:
    """Return a path relative to a folder; None if it is on another drive (Windows)."""
    try:
        return os.path.relpath(path, folder)
    except ValueError:
        return None


def without_root(text: str, config: pytest.Config) -> str:
    """Return a text in which paths inside the project are relative to its root."""
    root = config.rootpath
    return text if root == root.parent else text.replace(f"{root}{os.sep}", "")
