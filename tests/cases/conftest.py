"""Reading a case file that stands in a test, and looking at it as an editor does."""

import json
import re
from collections.abc import Callable, Hashable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from pytest_relevance import Case, CaseFileError, Suite
from pytest_relevance.cases.reader import load_suite, parse_suite
from pytest_relevance.cases.schema import case_file_schema

SCHEMA = json.loads(json.dumps(case_file_schema()))
"""The JSON Schema of case files, as it is printed."""

LARGEST_FOR_THE_SCHEMA = 20_000
"""Bytes of an example; PyYAML's loader and the validator take seconds for the few that
are longer.
"""


class EditorLoader(yaml.SafeLoader):
    """YAML 1.2 (its core schema, with merge keys) as the JSON that an editor puts to a
    schema: keys are text.
    """

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        return {
            _as_key(key): value
            for key, value in super().construct_mapping(node, deep=True).items()
        }


def _as_key(key: object) -> Hashable:
    """A key as JavaScript has it: `007` is the key "7", `~` is "null"."""
    if isinstance(key, float) and key.is_integer():
        key = int(key)
    return key if isinstance(key, str) else json.dumps(key)


def _number(loader: yaml.SafeLoader, node: Any) -> float:
    text = node.value
    if text.startswith(("0o", "0x")):
        return int(text, 0)
    if re.fullmatch("[-+]?[0-9]+", text):
        return int(text)
    return float(
        re.sub(r"\.(?=[in])", "", text.lower())
    )  # .inf and .nan are inf and nan


_CORE_SCHEMA: dict[str, tuple[str, Callable[[yaml.SafeLoader, Any], object]]] = {
    "null": (r"~|null|Null|NULL|", lambda loader, node: None),
    "bool": (
        r"true|True|TRUE|false|False|FALSE",
        lambda loader, node: node.value.lower() == "true",
    ),
    "float": (
        r"0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        _number,
    ),
    "merge": (r"<<", lambda loader, node: node.value),
}
EditorLoader.yaml_implicit_resolvers = {}
for _name, (_pattern, _constructor) in _CORE_SCHEMA.items():
    _tag = f"tag:yaml.org,2002:{_name}"
    EditorLoader.add_implicit_resolver(_tag, re.compile(rf"(?:{_pattern})\Z"), None)
    EditorLoader.add_constructor(_tag, _constructor)


def _data(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else dedent(text).encode()


def editor_sees(text: str | bytes) -> object:
    """What an editor makes of a text before it puts it to a schema."""
    return yaml.load(_data(text), EditorLoader)


VALIDATOR = Draft202012Validator(SCHEMA)


def schema_says(text: str | bytes) -> list[str]:
    """What the schema has against a text: where each mistake is, and the rule."""
    said = set()
    for error in VALIDATOR.iter_errors(editor_sees(text)):
        said.add(f"{'.'.join(map(str, error.absolute_path))}: {error.validator}")
    return sorted(said)


def read(text: str | bytes) -> Suite:
    """The suite that a text is. The schema has to accept what the reader accepts."""
    suite = parse_suite(_data(text), "shop.yaml")
    if len(text) <= LARGEST_FOR_THE_SCHEMA:
        assert schema_says(text) == []
    return suite


def read_case(text: str | bytes) -> Case:
    """The only case of a text."""
    (only,) = read(text).cases
    return only


def mistakes(text: str | bytes) -> list[str]:
    """What is reported about a text, a line a mistake, without the name of the file."""
    with pytest.raises(CaseFileError) as caught:
        parse_suite(_data(text), "shop.yaml")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("shop.yaml:") for line in lines)
    return [line.removeprefix("shop.yaml:") for line in lines]


class Shop:
    """A folder with a case file, which messages call `shop.yaml`, and the files that it
    names.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file, without the indentation that its text has in the test."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_data(text))
        return path

    def read(self, text: str) -> Suite:
        """The suite that a case file is. What the reader accepts is put to the schema
        too.
        """
        suite = load_suite(self.write("shop.yaml", text), shown="shop.yaml")
        assert schema_says(text) == []
        return suite

    def cases(self, text: str) -> dict[str, Case]:
        """Its cases by their ids."""
        return {case.id: case for case in self.read(text).cases}

    def judgments(self, text: str) -> dict[str, dict[str, float]]:
        """The judgments of its cases by their ids."""
        return {name: dict(case.judgments) for name, case in self.cases(text).items()}

    def mistakes(self, text: str) -> list[str]:
        """What is reported about a case file and the files that it names, a line a
        mistake.
        """
        path = self.write("shop.yaml", text)
        with pytest.raises(CaseFileError) as caught:
            load_suite(path, shown="shop.yaml")
        return str(caught.value).splitlines()


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)
