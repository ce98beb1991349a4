"""`pytest-relevance schema`: the schema of case files, printed or written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal


def test_it_prints_the_schema(terminal: Terminal) -> None:
    """`init` writes the same; the tests of that command compare them."""
    said = terminal.run("schema")
    assert (said.code, said.err) == (0, "")
    assert {"query", "judgments", "min_ndcg"} <= json.loads(said.out)["$defs"]["case"]["properties"].keys()
    assert said.out.endswith("}\n")


def test_it_writes_it_to_a_file_again_after_an_upgrade(terminal: Terminal) -> None:
    terminal.write("relevance.schema.json", '{"title": "pytest-relevance case file"}')
    said = terminal.run("schema", "--output", "relevance.schema.json")
    assert (said.code, said.out) == (0, "written: relevance.schema.json\n")
    assert terminal.read("relevance.schema.json") == terminal.run("schema").out
    assert terminal.files() == ["relevance.schema.json"]
