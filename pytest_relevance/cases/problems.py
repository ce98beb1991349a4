"""What is wrong with a case file.

Checks work on nested values and report a `Mistake` through a `Location`, which knows the path of the value that is
being checked. A `Reporter` turns each mistake into a `Problem` with line and column, and all problems of a file make
one `CaseFileError`. Gates and expectations of records are checked here too: YAML is imported with a case file only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Hashable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pytest_relevance._problems import FileError, Place, Problem
from pytest_relevance._text import quoted

if TYPE_CHECKING:
    from pytest_relevance.cases.yaml.nodes import MappingNode, Mark

MOST_ELSEWHERE = 100
"""How many problems in the files that a case file names are looked for: so many come from one mistake, repeated."""

Path = tuple[str | int, ...]
"""The keys and list indexes that lead to a value within a suite or a case, outermost first."""

Elsewhere = Callable[[], tuple[str, Place]]
"""A function that finds a position in another file: the name of the file in messages, and the place in it."""

_PLAIN_KEY = re.compile(r"[\w@()=,+-]+")


class Mistake(NamedTuple):
    """A value that a check refuses, and the path that leads to it.

    `at_key` points at the key of the value instead of the value. `elsewhere` finds the position of a value in another
    file than the case file: a function, because finding a line there is slow and only needed for what is shown. The
    mistakes of one `group` have one remedy, and are reported as one.
    """

    message: str
    path: Path = ()
    at_key: bool = False
    elsewhere: Elsewhere | None = None
    group: Hashable = None

    def render(self) -> str:
        """The message after the path: `expect.first[1]: ...`; without the path for a value in another file."""
        path = () if self.elsewhere is not None else self.path[:-1] if self.at_key else self.path
        return f"{shown_path(path)}: {self.message}" if path else self.message


class Location:
    """The path of a value that is being checked, and the list where its mistakes are collected.

    All locations of one case share `mistakes`, `values` and `owned_tags`. `values` are the checked values of the case
    so far, on top of the values of the suite. `owned_tags` are the markers that a tag may not be; None allows any tag.
    """

    __slots__ = ("mistakes", "owned_tags", "path", "values")

    def __init__(
        self,
        values: dict[str, object],
        owned_tags: frozenset[str] | None = None,
        mistakes: list[Mistake] | None = None,
        path: Path = (),
    ) -> None:
        self.values = values
        self.owned_tags = owned_tags
        self.mistakes: list[Mistake] = [] if mistakes is None else mistakes
        self.path = path

    def under(self, *path: str | int) -> Location:
        """The location of a nested value."""
        return Location(self.values, self.owned_tags, self.mistakes, (*self.path, *path))

    def refuse(
        self,
        message: str,
        *path: str | int,
        at_key: bool = False,
        elsewhere: Elsewhere | None = None,
        group: Hashable = None,
    ) -> Any:
        """Report a mistake here, at a nested value or in another file. Returns None, so that a check can return it."""
        self.mistakes.append(Mistake(message, (*self.path, *path), at_key, elsewhere, group))


class CaseFileError(FileError):
    """A case file that cannot be used.

    `problems` has every mistake found in it, in the order of the file, and then those in the files that it names.
    """

    MOST_SHOWN = 50


def shown_path(path: Path) -> str:
    """A path in messages: `expect.first[1]`."""
    shown = "".join(f"[{part}]" if isinstance(part, int) else f".{_shown_key(part)}" for part in path)
    return shown.removeprefix(".")


def _shown_key(key: str) -> str:
    return key if len(key) <= 40 and _PLAIN_KEY.fullmatch(key) else quoted(key, 40)


Label: TypeAlias = Callable[[], str]
"""A function that makes what messages call a case."""


class Reporter:
    """The problems of a case file, each at its position in the file where it is. `root` is the node of the suite.

    The mistakes of one group make one problem, at the position of the first, which counts them.
    """

    def __init__(self, root: MappingNode) -> None:
        self.problems: list[Problem] = []
        self.root = root
        self._elsewhere = 0
        self._groups: dict[Hashable, int] = {}

    @property
    def has_many_elsewhere(self) -> bool:
        """Whether so many mistakes were found in other files that no more are looked for."""
        return self._elsewhere > MOST_ELSEWHERE

    def add(self, mark: Mark | None, message: str, label: Label | None = None) -> None:
        """Add a problem at a position in the case file."""
        from pytest_relevance.cases.yaml.nodes import problem_at

        self.problems.append(problem_at(mark, message, label() if label is not None else None))

    def report(self, at: Location, where: MappingNode | Elsewhere | None = None, label: Label | None = None) -> bool:
        """Make problems of the mistakes at a location and forget them there; whether there were any.

        `where` is what they are in: a case, by default the suite; or the position of a query in another file.
        """
        if not at.mistakes:
            return False
        case = label() if label is not None else None
        for mistake in at.mistakes:
            number = self._groups.get(mistake.group)
            if number is None:
                self._report_one(mistake, where if where is not None else self.root, case)
            else:
                self.problems[number] = self.problems[number].counted_again()
        at.mistakes.clear()
        return True

    def _report_one(self, mistake: Mistake, where: MappingNode | Elsewhere, case: str | None) -> None:
        """Report a mistake where it stands: in the case file, in a file of queries, or in one of judgments."""
        elsewhere = mistake.elsewhere or (where if callable(where) else None)
        if elsewhere is not None:
            self._elsewhere += 1
            if self.has_many_elsewhere:
                return
            file, place = elsewhere()
            problem = Problem(mistake.render(), place.line or 0, 0, case, file, place.path)
        else:
            from pytest_relevance.cases.yaml.nodes import mark_at, problem_at

            mark = mark_at(where, mistake.path, at_key=mistake.at_key)  # type: ignore[arg-type]
            problem = problem_at(mark, mistake.render(), case)
        if mistake.group is not None:
            self._groups[mistake.group] = len(self.problems)
        self.problems.append(problem)


_OTHER_WORDS: Mapping[str, tuple[str, str]] = {
    "query": ("what a user types", "q text term terms keyword keywords phrase input question search_term search_query"),
    "judgments": (
        "document: grade pairs, or a judgment file",
        "relevance relevances relevance_judgments doc docs doc_ids documents ratings rating grades qrels labels gold "
        "ground_truth expected expected_ids expected_docs expected_documents expected_results answers relevant "
        "relevant_docs relevant_documents targets",
    ),
    "id": ("the name of the case", "name qid query_id case_id test_id test test_name"),
    "k": ("the cutoff", "k@ @k at top top_k topk top_n limit size rows cutoff num_results page_size max_results"),
    "min_ndcg": (
        "the least nDCG@k",
        "threshold floor min minimum min_score ndcg ndcg@k ndcg@5 ndcg@10 goal pass_threshold expected_ndcg",
    ),
    "expect": ("what must hold beyond min_ndcg", "expects expectations assert asserts assertions check checks metrics"),
    "include": (
        "documents that must be in the top k",
        "must_have must_include must_contain must contain contains includes should_have should_contain should_include "
        "required",
    ),
    "exclude": (
        "documents that must not be in the top k",
        "must_not must_not_have must_not_contain must_not_include excludes forbidden not_contains should_not_contain "
        "blocked not_relevant irrelevant",
    ),
    "results": ("how many are returned", "count hits total result_count results_count total_hits min_results"),
    "latency": ("the time of the search", "time timeout max_time max_latency duration took response_time"),
    "order": ("documents, each before the next", "before ranking ranks rank positions position sequence"),
    "params": ("arguments of the search", "args kwargs arguments filter filters options parameters request variables"),
    "note": ("text that a failure shows", "description desc comment comments reason remark"),
    "tags": ("a list of names", "mark marks markers category categories group groups tag"),
    "weight": ("in means", "importance frequency traffic priority popularity"),
    "scale": ("names of grades", "grade_names grade_scale rating_scale levels"),
    "search": ("the name of the fixture", "fixture engine function ranker collection endpoint index"),
    "usefixtures": ("names of fixtures", "fixtures setup"),
    "xfail": ("why it is known to fail", "known_failure known_issue expected_failure expected_to_fail"),
    "skip": ("why it is not run", "skipped disabled ignore ignored"),
    "cases": ("a list", "tests test_cases testcases examples scenarios items"),
    "queries": ("a file of queries", "query_file queries_file query_set topics"),
    "gates": ("conditions on the whole suite", "quality_gates thresholds conditions"),
    "documents": ("the catalogue, a file", "catalog catalogue products corpus titles"),
}
"""What keys and expectations are, and what other tools and habits call them."""


def what_is_meant(name: str, known: Container[str]) -> tuple[str, str] | None:
    """The known key that goes by another name elsewhere, and what it is; None where there is none."""
    word = "_".join(name.replace("-", " ").casefold().split())
    meant = ((key, what) for key, (what, words) in _OTHER_WORDS.items() if key in known and word in words.split())
    return next(meant, None)
