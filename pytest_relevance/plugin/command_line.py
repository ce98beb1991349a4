"""What the command line itself asks for, without `addopts` and PYTEST_ADDOPTS.

A branch can change the configuration of pytest, and with it the options of its build.
An option that weakens a build therefore counts only if the command line has it.

Every run imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

import pytest

from pytest_relevance.plugin.options import BASELINE
from pytest_relevance.plugin.output_files import files_of_options
from pytest_relevance.plugin.run_settings import WITHOUT_TESTS, choice, usage_error

_PARSER: pytest.StashKey[pytest.Parser] = pytest.StashKey()
_COMMAND_LINE: pytest.StashKey[Namespace] = pytest.StashKey()

_HELP = {"-h", "--help"}

_UPDATE = {"relevance_update": "--relevance-update"}
_AGAINST = {"relevance_against": "--relevance-against"}
_SHOWING = {
    **WITHOUT_TESTS,
    "cacheshow": "--cache-show",
    "help": "--help",
    "markers": "--markers",
    "version": "--version",
}
"""All options with which no case runs, in the form of `WITHOUT_TESTS`."""


def keep_parser(config: pytest.Config, parser: pytest.Parser) -> None:
    """Keep the parser of the options, with which `command_line` reads them again."""
    config.stash[_PARSER] = parser


def command_line(config: pytest.Config) -> Namespace:
    """Return the options that the command line gives, and the defaults of all others.

    `file_or_dir` of the result has the paths and node ids. If a conftest.py loads this
    plugin, no parser was kept. Then options of the configuration count as well.
    """
    if _PARSER not in config.stash:
        return config.option
    if _COMMAND_LINE not in config.stash:
        # older versions of pytest raise an exception for --help
        arguments = [
            argument
            for argument in map(str, config.invocation_params.args)
            if argument not in _HELP
        ]
        options, rest = config.stash[_PARSER].parse_known_and_unknown_args(arguments)
        # older versions of pytest leave paths that follow an option in the rest
        paths = [argument for argument in rest if not argument.startswith("-")]
        options.file_or_dir = [*options.file_or_dir, *paths]
        config.stash[_COMMAND_LINE] = options
    return config.stash[_COMMAND_LINE]


def refuse_configured_options(config: pytest.Config) -> None:
    """Refuse options that a branch could use to make its own build pass.

    Raises UsageError if such an option is in the configuration, and not in the command
    line.

    - `--relevance-update` accepts whatever the run finds.
    - `--relevance-against` takes the place of committed baselines that are required.
    - With options such as `--collect-only` no case runs. They are refused if the run is
      to be compared, or to be written to a file.
    """
    if _configured(config, _UPDATE):
        raise _refusal(_configured(config, _UPDATE), "a run would accept all it finds")
    against = _configured(config, _AGAINST)
    if against and choice(config, "relevance_baseline", BASELINE) == "require":
        why = "it would take the place of the baselines that are required"
        raise _refusal(against, why)
    showing = _configured(config, _SHOWING)
    if showing and _is_checked(config):
        raise _refusal(showing, "no case would run")


def _configured(config: pytest.Config, options: Mapping[str, str]) -> str:
    """Return the first of some options that the configuration alone gives, or "".

    `options`: {the name under which pytest keeps an option: the option}.
    """
    for name, option in options.items():
        if not getattr(config.option, name, None):
            continue
        is_help = name == "help"
        if is_help and not _HELP.isdisjoint(map(str, config.invocation_params.args)):
            continue
        if is_help or not getattr(command_line(config), name, None):
            return option
    return ""


def _is_checked(config: pytest.Config) -> bool:
    """Say whether a run is to be compared with a reference, or written to a file.

    The command line is read again, because pytest reads no option after `--help`.
    """
    given = command_line(config)
    baseline = given.relevance_baseline or config.getini("relevance_baseline")
    if baseline == "require":
        return True
    return given.relevance_against is not None or bool(files_of_options(config, given))


def _refusal(option: str, why: str) -> pytest.UsageError:
    """Return the error about an option in the configuration."""
    where = "is in addopts or PYTEST_ADDOPTS"
    return usage_error(f"{option} {where}: {why}; give it on the command line instead")
