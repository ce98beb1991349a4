"""`--relevance-ratchet`: floors rise to what was reached, less the tolerance; nothing else of a case file changes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project, Run

RATCHET = "--relevance-ratchet"

CASES = """\
# floors of a shop
min_ndcg:   0.3   # of all
cases:
  - query: a b c          # 1.0
    judgments: {a: 3, b: 1}
    min_ndcg: 0.50  # raised

  - {query: b a, judgments: {a: 3, b: 1}, tolerance: 0}   # 0.70980..., inherits
  - query: c a   # fails
    judgments:
      a: 3
    min_ndcg: 0.9
  - query: d e
    judgments: {d: 1}
    min_ndcg: 0.99    # is higher than what was reached less the tolerance
  - {query: no floor, min_ndcg: null, judgments: {"no": 1}}
  - {query: xfails x, judgments: {x: 1}, min_ndcg: 0.1, xfail: not yet}
  - {query: skipped, judgments: {skipped: 1}, skip: not sold}
  - {query: nothing relevant, judgments: {nothing: 0}}
"""


def said(run: Run) -> list[str]:
    """What the summary says of floors."""
    return [line for line in run.sentences() if "floor" in line]


def test_only_floors_of_what_passed_rise_and_only_their_characters_change(project: Project) -> None:
    project.conftest()
    path = project.path / "shop.relevance.yaml"
    path.write_bytes(CASES.replace("\n", "\r\n").encode())
    path.chmod(0o640)
    assert project.run().counts == {"passed": 5, "failed": 1, "skipped": 1, "xpassed": 1}
    assert path.read_bytes() == CASES.replace("\n", "\r\n").encode()

    run = project.run(RATCHET)
    assert run.code == 1  # a floor decides as ever
    assert said(run) == ['floors of shop.relevance.yaml: 2 raised: "a b c" 0.5 -> 0.95, "b a" 0.3 -> 0.709']
    raised = CASES.replace("min_ndcg: 0.50", "min_ndcg: 0.95").replace(
        "tolerance: 0}", "tolerance: 0, min_ndcg: 0.709}"
    )
    assert path.read_bytes() == raised.replace("\n", "\r\n").encode()
    assert path.stat().st_mode & 0o777 == 0o640

    there = path.stat()
    run = project.run(RATCHET)
    assert run.outcomes["a b c"] == run.outcomes["b a"] == "passed"
    assert said(run) == ["floors of shop.relevance.yaml: none is raised"]
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (there.st_mtime_ns, there.st_ino)


VARIANTS = """
    import pytest

    @pytest.fixture(params=["words", "backwards", "words again"])
    def search(request):
        return str.split if request.param != "backwards" else lambda query: query.split()[::-1]
"""


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["here", "xdist"])
def test_the_lowest_variant_counts_and_all_must_have_passed(project: Project, workers: tuple[str, ...]) -> None:
    project.conftest(VARIANTS)
    path = project.cases("""
        tolerance: 0.1
        cases:
          - {query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.2}
          - {query: a c, judgments: {a: 3}, min_ndcg: 0.9}
    """)
    before = path.read_text()
    run = project.run(RATCHET, "-k", "words")  # not all variants of any case
    assert said(run) == ["floors of shop.relevance.yaml: none is raised"]
    run = project.run(RATCHET, *workers)
    assert said(run) == ['floors of shop.relevance.yaml: 1 raised: "a b" 0.2 -> 0.609']
    assert path.read_text() == before.replace("0.2", "0.609")


def test_floors_of_queries_that_are_in_a_file_of_their_own_are_left(project: Project) -> None:
    project.conftest()
    project.write("queries.tsv", "1\ta b\n2\tc d\n")
    project.write("qrels.txt", "1 0 a 3\n2 0 c 3\n")
    path = project.cases("""
        min_ndcg: 0.5
        queries: queries.tsv
        judgments: qrels.txt
        cases: [{query: e f, judgments: {e: 3}}]
    """)
    run = project.run(RATCHET)
    assert said(run) == [
        'floors of shop.relevance.yaml: 1 raised: "e f" 0.5 -> 0.95',
        "2 floors that could rise are not written in shop.relevance.yaml: the cases come from queries.tsv",
    ]
    assert path.read_text().endswith("cases: [{query: e f, judgments: {e: 3}, min_ndcg: 0.95}]\n")


def test_a_case_that_cannot_be_changed_in_place_is_said_and_keeps_no_other_from_it(project: Project) -> None:
    project.conftest()
    path = project.cases("""
        cases:
          - {query: d e, judgments: {d: 3}, min_ndcg: 0.5}
          - {query: f g, judgments: {f: 3}, min_ndcg: 0.5}
          - &boots {query: a b, judgments: {a: 3}, min_ndcg: 0.5}
          - {<<: *boots, query: c d e a, id: merged}
          - {query: h i, judgments: {h: 3}, min_ndcg: 0.5}
    """)
    run = project.run(RATCHET)  # "merged" fails, and has the floor of "a b", which therefore cannot rise
    assert said(run) == [
        'floors of shop.relevance.yaml: 3 raised: "d e" 0.5 -> 0.95, "f g" 0.5 -> 0.95, "h i" 0.5 -> 0.95',
        "a floor that is not raised: shop.relevance.yaml:5:5: this case would change too, as what is changed stands "
        'behind an anchor or a merge key that it uses; write it out here first (in case "merged")',
    ]
    assert path.read_text().count("0.95") == 3
    assert project.run().outcomes["a b"] == "passed"


def refused(source: object, target: object) -> None:
    raise OSError(28, os.strerror(28))


@pytest.mark.parametrize(
    ("happens", "message"),
    [
        ("", "no floor is raised in shop.relevance.yaml, it cannot be written: No space left on device"),
        (
            "pathlib.Path(__file__).with_name('shop.relevance.yaml').write_text('# mine')",
            "no floor is raised in shop.relevance.yaml: the file was changed during the run; run it again",
        ),
        (
            "pathlib.Path(__file__).with_name('shop.relevance.yaml').unlink()",
            "no floor is raised in shop.relevance.yaml, it cannot be written: No such file or directory",
        ),
    ],
    ids=["full disk", "changed", "gone"],
)
def test_what_cannot_be_written_fails_the_run(
    project: Project, monkeypatch: pytest.MonkeyPatch, happens: str, message: str
) -> None:
    project.conftest(f"""
        import pathlib
        import pytest

        @pytest.fixture
        def search():
            yield str.split
            {happens or "pass"}
    """)
    path = project.cases("cases: [{query: a b, judgments: {a: 3}, min_ndcg: 0.5}]")
    before = path.read_text()
    monkeypatch.setattr(os, "replace", refused)
    run = project.run(RATCHET)
    assert run.counts == {"passed": 1}
    assert run.code == 1
    assert said(run) == [message]
    assert [name.name for name in project.path.iterdir() if name.suffix == ".tmp"] == []
    if path.exists():
        assert path.read_text() in (before, "# mine")


def test_a_file_of_judgments_that_is_gone_fails_the_run(project: Project) -> None:
    project.conftest("""
        import pathlib
        import pytest

        @pytest.fixture
        def search():
            yield str.split
            pathlib.Path(__file__).with_name("qrels.txt").unlink(missing_ok=True)
    """)
    project.write("qrels.txt", "1 0 a 3\n2 0 c 3\n")
    path = project.cases("""
        judgments: qrels.txt
        cases: [{id: "1", query: a b, min_ndcg: 0.5}, {id: "2", query: c d, min_ndcg: 0.5}]
    """)
    run = project.run(RATCHET)
    assert run.code == 1
    assert said(run)[0].startswith("no floor is raised in shop.relevance.yaml, which cannot be read any more: ")
    assert "0.95" not in path.read_text()


def test_a_run_that_stops_early_raises_what_it_knows(project: Project) -> None:
    project.conftest()
    path = project.cases("""
        cases:
          - {query: a b, judgments: {a: 3}, min_ndcg: 0.5}
          - {query: c d, judgments: {d: 3}, min_ndcg: 0.9}
          - {query: e f, judgments: {e: 3}, min_ndcg: 0.5}
    """)
    assert said(project.run(RATCHET, "-x")) == ['floors of shop.relevance.yaml: 1 raised: "a b" 0.5 -> 0.95']
    assert path.read_text().count("0.95") == 1
    run = project.run(RATCHET, "-k", "nothing")
    assert "no floor is raised: no case ran" in run.text


def test_many_are_named_only_in_detail(project: Project) -> None:
    project.conftest()
    text = "cases:\n" + "".join(f"  - {{query: q{n}, judgments: {{q{n}: 3}}, min_ndcg: 0.5}}\n" for n in range(8))
    path = project.cases(text)
    (line,) = said(project.run(RATCHET))
    assert line.startswith('floors of shop.relevance.yaml: 8 raised: "q0" 0.5 -> 0.95, ')
    assert line.endswith('"q4" 0.5 -> 0.95, 3 more (-v shows all)')
    path.write_text(text)
    (line,) = said(project.run(RATCHET, "-v"))
    assert line.count("->") == 8
