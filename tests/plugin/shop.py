"""A project whose rankings change from run to run, and the options that compare a run
with an earlier one.
"""

import json
from pathlib import Path

import pytest

from tests.plugin.conftest import Accepted, Project

UPDATE, ONLY_NEW = "--relevance-update", "--relevance-update=new"
ONLY_TEST = "--relevance-update=test"
RECORD, AGAINST = "--relevance-record=main.jsonl", "--relevance-against=main.jsonl"
REQUIRE, KNOWN = "--relevance-baseline=require", "--relevance-known=xfail"
BASELINE = "shop.relevance.yaml.baseline.jsonl"

BOTH = pytest.mark.parametrize("against", [[], [AGAINST]], ids=["baseline", "record"])
"""Compare with the baseline, and with the record of main."""
WORKERS = pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["here", "xdist"])

SEARCH = """
    import json
    import pathlib
    import pytest

    RANKINGS = pathlib.Path(__file__).with_name("rankings.json")

    @pytest.fixture
    def search():
        def search(query, k=10):
            documents = json.loads(RANKINGS.read_text())[query]
            if documents == "boom":
                raise ConnectionError("no engine")
            if documents == "skip":
                pytest.skip("no engine")
            return [{"id": document, "title": f"Title of {document}"} for document in documents.split()]
        return search
"""


class Shop(Project):
    """A project whose search returns what it was last told to."""

    def __init__(self, project: Project) -> None:
        super().__init__(project.pytester)
        self._rankings: dict[str, str] = {}
        self.conftest(SEARCH)

    def returns(self, **rankings: str) -> None:
        """Set what queries return from now on: documents, or "boom" to raise, or "skip"
        to skip.
        """
        self._rankings |= rankings
        (self.path / "rankings.json").write_text(json.dumps(self._rankings))

    @property
    def baseline(self) -> Path:
        return self.path / BASELINE

    def accepted(self, name: str = "shop.relevance.yaml") -> dict[str, str]:
        """The accepted rankings of a case file, by the case and the variant, if it has
        one.
        """
        accepted = Accepted(self.path / f"{name}.baseline.jsonl")
        return {
            f"{case}[{variant}]" if variant else case: " ".join(ranking)
            for (case, variant), ranking in accepted.rankings.items()
        }


def cases(queries: str, keys: str = "") -> str:
    """A suite of these queries, with `a` and `b` judged and the same keys."""
    return "cases:\n" + "".join(
        f"  - {{query: {query}, judgments: {{a: 3, b: 1}}{keys}}}\n"
        for query in queries.split()
    )
