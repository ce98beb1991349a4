"""`pytest-relevance schema`: the schema that ships, printed or written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_relevance.cases.schema import SHIPPED

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal


def test_it_prints_the_schema_that_ships(terminal: Terminal) -> None:
    said = terminal.run("schema")
    assert (said.code, said.err) == (0, "")
    assert said.out == SHIPPED.read_text(encoding="utf-8")


def test_it_writes_it_to_a_file_again_after_an_upgrade(terminal: Terminal) -> None:
    terminal.write("relevance.schema.json", "{}")
    said = terminal.run("schema", "--output", "relevance.schema.json")
    assert (said.code, said.out) == (0, "written: relevance.schema.json\n")
    assert terminal.read("relevance.schema.json") == SHIPPED.read_text(encoding="utf-8")
    assert terminal.files() == ["relevance.schema.json"]


def test_a_folder_that_is_not_there_is_named(terminal: Terminal) -> None:
    said = terminal.run("schema", "-o", "none/relevance.schema.json")
    assert (said.code, said.out) == (2, "")
    assert said.err == "none/relevance.schema.json: cannot be written: No such file or directory\n"
