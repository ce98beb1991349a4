"""Under pytest-xdist: the cases spread over workers, and everything that is told is the
same.
"""

import re

import pytest

from tests.plugin.conftest import Project

pytest.importorskip("xdist")

CASES = """
    min_ndcg: 0.9
    tags: [shop]
    cases:
      - {query: a b, judgments: {a: 3, b: 1}, tags: [head]}
      - {query: b a, judgments: {a: 3, b: 1}}
      - {query: a c, judgments: {a: 3, c: 1}, tags: [head]}
      - {query: boom, judgments: {a: 3}}
      - {query: c a, judgments: {a: 3, c: 1}, xfail: not yet}
      - {query: d, judgments: {d: 1}, skip: no d}
      - {query: "std::vector [1]", min_ndcg: null, expect: {first: "std::vector"}}
"""

SEARCH = """
    import pytest

    @pytest.fixture(scope="session", params=["words", "letters"])
    def search(request):
        def search(query):
            if query in ("boom", "bang"):  # errors that differ, as of those alike the first to arrive is shown in full
                raise ValueError(f"no engine {query[::-1]} {request.param}")
            return query.split()
        return search
"""


def comparable(text: str) -> list[str]:
    """The lines of an output that do not depend on the time it took and the worker it
    came from, in a fixed order.
    """
    told = text.partition("= FAILURES =")[2]
    told = re.sub(r"[<\d.]+ ms", "", re.sub(r"in \d+\.\d+s|=+", "", told))
    return sorted(line for line in told.splitlines() if not line.startswith("[gw"))


def test_failures_summary_and_counts_are_as_without(project: Project) -> None:
    project.conftest(SEARCH)
    project.cases(CASES)
    project.cases(CASES.replace("boom", "bang"), "more.relevance.yaml")
    there, here = project.run("-n2", "--dist=loadfile"), project.run()
    counts = {"passed": 12, "failed": 8, "skipped": 4, "xfailed": 4}
    assert there.counts == here.counts == counts
    assert comparable(there.text) == comparable(here.text)


def test_text_and_numbers_that_are_more_than_that(project: Project) -> None:
    """Members of enumerations and numpy's scalars, in every place where a user may put
    one.
    """
    pytest.importorskip("numpy")
    project.test(
        "import enum, numpy",
        'Text = enum.Enum("Text", {"QUERY": "shoes", "NOTE": "a note", "TITLE": "Sandal", "ID": "a"}, type=str)',
        'Grade = enum.IntEnum("Grade", {"EXACT": 3})',
        'hits = [{"id": "b", "title": Text.TITLE}, {"id": numpy.str_("a"), "title": numpy.str_("Boot")}]',
        'judgments = {numpy.str_("a"): Grade.EXACT, numpy.int64(7): numpy.uint8(1)}',
        'judgments[Text.ID.value + "b"] = {"grade": 0, "title": Text.TITLE}',
        'expect = {"first": [numpy.str_("a")], "P@1": numpy.float16(1)}',
        'relevance.check(numpy.str_("boots"), hits, judgments, weight=numpy.int8(2))',
        "relevance.check(Text.QUERY, hits, judgments, note=Text.NOTE, k=numpy.int32(5), expect=expect)",
    )
    run = project.run("-n1")
    assert run.counts == {"failed": 1}
    text = run.failure("test_shop")
    assert "P@1 0.000 is below 1.000" in text
    assert 'query "shoes"' in text
    assert "note: a note" in text
    assert "1 failed, 1 measured" in run.summary
