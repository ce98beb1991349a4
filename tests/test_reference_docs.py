"""The tables of the reference have a row for each key, metric, gate and command
of the package.
"""

import dataclasses
import json
import re
import typing
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from pytest_relevance import CaseResult, FileInfo, RunInfo
from pytest_relevance.cli import main
from tests.walkthrough import PAGES


def first_cells(page: str) -> set[str]:
    """The names in backticks in the first cells of all tables of a page."""
    names: set[str] = set()
    for row in re.findall(r"^\| (`.*?) \|", PAGES[page], re.MULTILINE):
        names.update(re.findall(r"`([^`]+)`", row))
    return names


@pytest.fixture
def schema(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The JSON Schema of case files, which is made of the rows of the package."""
    assert main(["schema"]) == 0
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed


def test_every_key_of_a_case_file_is_in_the_reference(schema: dict[str, Any]) -> None:
    keys = {*schema["properties"], *schema["$defs"]["case"]["properties"]}
    assert keys <= first_cells("reference/case-file.md")


def test_every_expectation_is_in_the_reference(schema: dict[str, Any]) -> None:
    keys = schema["$defs"]["expect"]["properties"]
    expectations = {key for key in keys if re.fullmatch("[a-z_]+", key)}
    said = PAGES["reference/expectations.md"]
    assert {key for key in expectations if not re.search(rf"\b{key}\b", said)} == set()


def test_every_metric_is_in_the_reference(schema: dict[str, Any]) -> None:
    keys = schema["$defs"]["expect"]["properties"]
    metrics = {key.partition("@")[0] for key in keys if re.search("[A-Z]|@", key)}
    said = PAGES["reference/metrics.md"]
    assert {name for name in metrics if not re.search(rf"`{name}\b", said)} == set()


def test_every_condition_and_option_of_a_gate_is_in_the_reference(
    schema: dict[str, Any],
) -> None:
    said = PAGES["reference/gates.md"]
    keys = schema["$defs"]["gate"]["properties"]
    assert {key for key in keys if not re.search(rf"\b{key}:", said)} == set()


def test_every_command_is_in_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    commands = re.findall(r"^    ([a-z]+) ", capsys.readouterr().out, re.MULTILINE)
    rows = re.findall(
        r"^\| \[`([a-z]+)`\]", PAGES["reference/commands.md"], re.MULTILINE
    )
    assert rows == commands


@cache
def parts_of(kind: type) -> dict[str, type]:
    """The dataclasses in a record below a dataclass, by where they stand."""
    parts: dict[str, type] = {}
    for name, hint in typing.get_type_hints(kind).items():
        for each in dataclasses_in(hint):
            parts[name] = each
            parts.update(parts_of(each))
    return parts


def dataclasses_in(hint: Any) -> Iterator[type]:
    """The dataclasses that a type is made of."""
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        yield hint
    for argument in typing.get_args(hint):
        yield from dataclasses_in(argument)


def test_every_key_of_a_record_is_in_the_reference() -> None:
    told_elsewhere = {"settings", "conditions"}
    names: set[str] = set()
    for kind in (CaseResult, RunInfo, FileInfo):
        names.update(field.name for field in dataclasses.fields(kind))
    for part, of_part in parts_of(CaseResult).items():
        if part not in told_elsewhere:
            names.update(field.name for field in dataclasses.fields(of_part))
    assert names - first_cells("reference/records.md") == set()
