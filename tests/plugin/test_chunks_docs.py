"""docs/howto/chunks.md: the gate that its text names fits the cases of its example."""

import re
from pathlib import Path

from tests.plugin.conftest import WORDS, Project

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "chunks.md"


def test_the_gate_of_the_page_is_met_with_the_two_cases_of_its_example(
    project: Project,
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (gates,) = re.findall("`(gates: .*?)`", text)
    project.conftest(WORDS)
    suite = gates.replace("300 ms", "60 s")
    project.cases(f"{suite}\ncases: [{{query: reset the router}}, {{query: warranty}}]")
    assert project.run().counts == {"passed": 3}
