"""docs/background/ndcg.md: its blocks print what it shows, and its figures are those of
the published examples.
"""

import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.chorus import reference

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "background" / "ndcg.md").read_text(encoding="utf-8")
SECTIONS = dict(
    re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
)

ROUNDED = 6e-7
"""How far a figure with six decimals may be from one with more."""

SECTION_OF = {
    "notebook-median": "Three raters, one grade",
    "notebook-breakdown": "The DCG of a ranking, rank by rank",
    "notebook-": "Which queries are worst?",
    "blog-zh-code": "Three ideals",
    "blog-zh-": "CG, DCG, nDCG",
    "concept-bad-penalised": "Negative grades",
    "concept-": "CG, DCG, nDCG",
    "chatbot-dcg-": "Two algorithms, offline",
    "chatbot-industry-": "Two algorithms, offline",
    "chatbot-standard-": "Two algorithms, offline",
    "chatbot-": "Fractional grades",
    "reallife-blue-dcg-": "Labels joined to results",
    "reallife-red-dcg-": "Labels joined to results",
    "reallife-blue-jaccard": "How alike are two rankings?",
    "reallife-red-jaccard": "How alike are two rankings?",
    "reallife-": "Three ideals",
}
"""The section that goes through an example, by the beginning of its id; the first one
counts.
"""


def blocks(text: str) -> list[str]:
    """The code blocks of a text."""
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def printed(section: str) -> str:
    """What the blocks of a section print."""
    examples = doctest.DocTestParser().get_examples("".join(blocks(SECTIONS[section])))
    return "".join(example.want for example in examples)


def published() -> list[dict[str, Any]]:
    """The published examples, or a skip."""
    examples: list[dict[str, Any]] = json.loads(
        reference("vectors/worked_examples.json").read_text(encoding="utf-8")
    )
    return examples


def figures(expected: object) -> Iterator[float]:
    """All numbers of an expected value."""
    if isinstance(expected, (int, float)):
        yield expected
    elif isinstance(expected, (list, dict)):
        for each in expected.values() if isinstance(expected, dict) else expected:
            yield from figures(each)


def test_every_block_prints_what_the_page_shows() -> None:
    test = doctest.DocTestParser().get_doctest(
        "".join(blocks(PAGE)), {}, "notebook.md", "docs/background/ndcg.md", 0
    )
    runner = doctest.DocTestRunner(
        verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    report: list[str] = []

    failed, attempted = runner.run(test, out=report.append)

    assert not failed, "".join(report)
    assert attempted >= 40


def test_the_page_shows_the_published_figures() -> None:
    for example in published():
        section = next(
            section
            for beginning, section in SECTION_OF.items()
            if example["id"].startswith(beginning)
        )
        text = printed(section)
        shown = [
            float(number)
            for number in re.findall(r"(?<![\w.@])-?\d+(?:\.\d+)?\b", text)
        ]
        tolerance = max(example["tolerance"], ROUNDED)
        for figure in figures(example["expected"]):
            is_shown = any(abs(number - figure) <= tolerance for number in shown)
            assert is_shown, f"{example['id']}: {figure} is not in {section!r}:\n{text}"


def test_the_queries_are_in_the_published_order() -> None:
    text = printed(SECTION_OF["notebook-"])
    for example in published():
        if "order_by" in example:
            places = [text.index(f"\n{query}") for query in example["expected"]]
            assert places == sorted(places)
