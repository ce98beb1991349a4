"""What a variant is: the parameters that the ranking of a case may depend on, whatever
else multiplies its items.
"""

from textwrap import dedent
from typing import Any

import pytest

from pytest_relevance import Run as Record
from pytest_relevance.cli import main
from tests.plugin.conftest import Accepted, Project, Run

UPDATE, ONLY_NEW = "--relevance-update", "--relevance-update=new"
BASELINE = "shop.relevance.yaml.baseline.jsonl"
CASES = "cases: [{query: a b, judgments: {a: 3, b: 1}}, {query: c d, judgments: {c: 3, d: 1}}]\n"

SEARCH = """
    @pytest.fixture
    def search():
        return str.split
"""
REPEATING = """
    def pytest_generate_tests(metafunc):
        metafunc.fixturenames.append("step")
        metafunc.parametrize("step", range({count}), indirect=True, ids=lambda step: f"{{step + 1}}-{count}")

    @pytest.fixture
    def step(request):
        return request.param
"""
"""What pytest-repeat does with `--count`, in a conftest.py."""


def conftest(project: Project, *parts: str) -> None:
    project.conftest("    import pytest\n" + "".join(parts))


def repeating(count: int = 2) -> str:
    return REPEATING.format(count=count)


def accepted(project: Project) -> dict[tuple[str, str | None], str]:
    return {
        key: " ".join(ranking)
        for key, ranking in Accepted(project.path / BASELINE).rankings.items()
    }


def said(run: Run, beginning: str = "baseline ") -> list[str]:
    return run.sentences(beginning)


AUTOUSE = """
    @pytest.fixture(autouse=True, params=["en", "de"])
    def locale(request):
        return request.param
"""
PARAMETRISED = """
    @pytest.fixture(params={params})
    def search(request):
        return str.split
"""
WORD_BY_WORD = """
    @pytest.fixture(params=["bm25", "dense"])
    def engine(request):
        return request.param

    @pytest.fixture
    def index(engine):
        return engine

    @pytest.fixture
    def search(index):
        return str.split
"""
SCENARIOS: dict[str, tuple[tuple[str, ...], str, list[str | None]]] = {
    "no parameters": ((SEARCH,), "", [None]),
    "repeats": ((SEARCH, repeating()), "", [None]),
    "an autouse fixture": ((SEARCH, AUTOUSE), "", [None]),
    "repeats and an autouse fixture": ((SEARCH, AUTOUSE, repeating()), "", [None]),
    "what the search is made of": ((WORD_BY_WORD,), "", ["bm25", "dense"]),
    "what the search is made of, repeated": (
        (WORD_BY_WORD, AUTOUSE, repeating()),
        "",
        ["bm25", "dense"],
    ),
    "what the case uses": ((SEARCH, AUTOUSE), "usefixtures: [locale]", ["de", "en"]),
    "both": (
        (WORD_BY_WORD, AUTOUSE),
        "usefixtures: [locale]",
        ["de-bm25", "de-dense", "en-bm25", "en-dense"],
    ),
    "a search that takes request": (
        (SEARCH.replace("search()", "search(request)"), AUTOUSE),
        "",
        ["de", "en"],
    ),
    "a parametrised search takes request": (
        (
            SEARCH.replace("fixture", "fixture(params=['x'])").replace(
                "search()", "search(request)"
            ),
            AUTOUSE,
        ),
        "",
        ["x"],
    ),
    "a search made of a fixture of pytest's": (
        (SEARCH.replace("search()", "search(tmp_path)"), AUTOUSE),
        "",
        [None],
    ),
    "parametrised in a hook, several arguments at once": (
        (
            """
    def pytest_generate_tests(metafunc):
        metafunc.parametrize("engine, index", [("bm25", 1), ("dense", 2)], indirect=True)

    @pytest.fixture
    def engine(request):
        return request.param

    @pytest.fixture
    def index(request):
        return request.param

    @pytest.fixture
    def search(engine, index):
        return str.split
    """,
        ),
        "",
        ["bm25-1", "dense-2"],
    ),
    "parametrised directly": (
        (
            """
    def pytest_generate_tests(metafunc):
        metafunc.parametrize("search", [str.split], ids=["words"])
        metafunc.fixturenames.append("step")
        metafunc.parametrize("step", [1, 2])
    """,
        ),
        "",
        ["words"],
    ),
    "a direct parameter that an own fixture requests, where the search takes request": (
        (
            SEARCH.replace("search()", "search(request)"),
            """
    def pytest_generate_tests(metafunc):
        metafunc.parametrize("locale", ["en", "de"])
        metafunc.fixturenames.append("step")
        metafunc.parametrize("step", [1, 2])

    @pytest.fixture(autouse=True)
    def catalogue(locale):
        return locale
    """,
        ),
        "",
        ["de", "en"],
    ),
    "a search that overrides another one": (
        (
            """
    @pytest.fixture
    def search(search):
        return search
    """,
            AUTOUSE,
        ),
        "",
        ["root"],
    ),
    "a hidden parameter": (
        (
            """
    def pytest_generate_tests(metafunc):
        metafunc.parametrize("search", [str.split, str.rsplit], ids=[pytest.HIDDEN_PARAM, "right"])
    """,
        ),
        "",
        ["", "right"],
    ),
}


def test_the_variants(project: Project) -> None:
    """Each scenario is a folder, below a conftest.py whose search only that which
    overrides it uses.
    """
    conftest(project, PARAMETRISED.format(params=["root"]))
    found: dict[str, Accepted] = {}
    for number, (parts, suite, _) in enumerate(SCENARIOS.values()):
        project.write(
            f"s{number:02}/conftest.py", "import pytest\n" + "".join(map(dedent, parts))
        )
        text = CASES.replace("3, b: 1}", "3, b: 1}, " + suite).replace(
            "3, d: 1}", "3, d: 1}, " + suite
        )
        project.cases(text, f"s{number:02}/shop.relevance.yaml")
    assert project.run(UPDATE).code == 0
    for number, (name, (*_, expected)) in enumerate(SCENARIOS.items()):
        found[name] = Accepted(project.path / f"s{number:02}" / BASELINE)
        assert [
            *dict.fromkeys(variant for _, variant in found[name].rankings)
        ] == expected, name
        assert len(found[name].rankings) == 2 * len(expected)
    run = project.run(UPDATE)
    assert run.code == 0
    assert [line.rpartition(": ")[2] for line in said(run)] == [
        "nothing changed"
    ] * len(SCENARIOS)


class TestRepeats:
    @pytest.fixture(autouse=True)
    def baseline(self, project: Project) -> None:
        """A baseline that was made by a run without repeats."""
        conftest(project, SEARCH)
        project.cases(CASES)
        project.run(UPDATE)

    def test_each_is_held_to_the_baseline(self, project: Project) -> None:
        conftest(
            project,
            SEARCH.replace("str.split", "lambda query: query.split()[::-1]"),
            repeating(),
        )
        run = project.run()
        assert run.counts == {"failed": 4}
        assert "2 cases: 2 got worse" in run.summary
        assert (
            "no ranking changes from call to call: 2 cases, 2 calls each" in run.summary
        )
        assert (
            sum("  1.000 -> 0.710  " in line for line in run.summary.splitlines()) == 2
        )

    def test_the_worst_counts(self, project: Project) -> None:
        """In the summary, in gates and in the record: the second of three repeats
        returns another ranking.
        """
        found = "calls.append(query) or query.split()[:: -1 if calls.count(query) == 2 else 1]"
        flaky = SEARCH.replace("str.split", f"lambda query: {found}")
        conftest(project, "    calls = []\n", flaky, repeating(3))
        project.cases(f"gates: [{{mean: {{nDCG@10: 0.9}}}}, {{passing: 0.1}}]\n{CASES}")
        run = project.run("--relevance-record=run.jsonl")
        assert run.counts == {"failed": 4, "passed": 4}
        gates = [
            outcome for name, outcome in run.outcomes.items() if name.startswith("gate")
        ]
        assert gates == ["failed", "failed"]
        assert "0 of 2 cases pass" in run.text
        assert "2 cases: 2 got worse; mean nDCG@10 0.710" in " ".join(
            run.summary.split()
        )
        assert (
            "ranking changes from call to call: 2 cases of 2, 3 calls each"
            in run.summary
        )
        assert "a b  rank 1: a / b" in run.summary

        record = Record.open(project.path / "run.jsonl")
        assert [
            (each.id, each.variant, each.verdict, each.ranking.documents)
            for each in record.results
        ] == [
            ("a b", None, "failed", ("b", "a")),
            ("c d", None, "failed", ("d", "c")),
        ]

    @pytest.mark.parametrize("option", [UPDATE, ONLY_NEW])
    def test_rankings_that_differ_are_never_accepted(
        self, project: Project, option: str
    ) -> None:
        project.cases("cases: [{query: a b}, {query: c d}, {query: e f}]\n")
        found = "[*query.split(), str(next(calls)) if query == 'e f' else 'z']"
        changing = SEARCH.replace("str.split", f"lambda query: {found}")
        conftest(
            project,
            "    import itertools\n    calls = itertools.count()\n",
            changing,
            repeating(),
        )
        run = project.run(option)
        assert run.counts == {"passed": 6}
        assert run.code == 1  # not all that was asked for was done
        changed = "2 changed" if option == UPDATE else "nothing changed"
        assert said(run) == [
            f"baseline {BASELINE}: {changed}",
            f"baseline {BASELINE}: 1 ranking is not accepted, as the search returned another one when it was called "
            'again: "e f"',
        ]
        assert ("e f", None) not in accepted(project)

    def test_a_part_of_the_repeats_is_not_the_whole_file(
        self, project: Project
    ) -> None:
        project.cases(
            f"gates: [{{passing: 1}}]\n{CASES}".replace(
                "query: a b,", "query: a b c, id: ab,"
            )
        )
        conftest(project, SEARCH, repeating())
        run = project.run("--deselect=shop.relevance.yaml::ab[2-2]", UPDATE)
        assert (
            "not evaluated: 1 of 2 ran"
            in project.run("--deselect=shop.relevance.yaml::ab[2-2]", "-rs").text
        )
        assert said(run) == [
            f"baseline {BASELINE}: 1 added, 2 as they were; 1 of 2 cases ran, the others keep what they had"
        ]
        assert said(project.run(UPDATE)) == [
            f"baseline {BASELINE}: 1 gone, 2 as they were"
        ]


def test_what_a_plugin_notes_on_a_function_that_it_parametrises_is_on_that_of_each_item(
    project: Project,
) -> None:
    noting = """
    def pytest_generate_tests(metafunc):
        metafunc.fixturenames.append("_again")
        metafunc.parametrize("_again", range(2))
        metafunc.function.is_repeated = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(items):
        assert all(item.function.is_repeated for item in items)
        assert len(items) == 4
    """
    conftest(project, SEARCH, noting)
    project.cases(CASES)
    assert project.run().counts == {"passed": 4}


class TestMoved:
    """A case whose entries are all under variants that were not collected, and not
    under a single other one.
    """

    def moved(self, project: Project, before: str, after: str, *options: str) -> Run:
        conftest(project, before)
        project.cases(CASES)
        project.run(UPDATE)
        conftest(project, after)
        return project.run(*options)

    @pytest.mark.parametrize(
        ("before", "after", "change", "workers"),
        [
            (
                None,
                ["bm25", "dense"],
                'had no variant, and has the variants "bm25" and "dense"',
                ("-n1",),
            ),
            (
                ["bm25"],
                ["lexical", "dense"],
                'had the variant "bm25", and has the variants "lexical" and "dense"',
                (),
            ),
            (
                ["bm25", "dense"],
                None,
                'had the variants "bm25" and "dense", and has no variant',
                (),
            ),
        ],
    )
    def test_it_is_stale(
        self,
        project: Project,
        before: Any,
        after: Any,
        change: str,
        workers: tuple[str, ...],
    ) -> None:
        parts = [
            SEARCH if params is None else PARAMETRISED.format(params=params)
            for params in (before, after)
        ]
        run = self.moved(project, parts[0], parts[1], *workers)
        number = 2 * len(after or [None])
        assert (run.code, run.counts) == (1, {"failed": number})
        first = next(iter(run.outcomes))
        why = f"the baseline is stale: the search {change}; --relevance-update accepts the present ranking"
        assert why in run.told(first)
        (told,) = said(run, "2 cases have")
        assert told.startswith(
            "2 cases have a stale baseline: pytest --relevance-update "
        )
        assert "gone" not in run.summary

        before_update = accepted(project)
        assert project.run(ONLY_NEW).counts == {"failed": number}  # none is new
        assert accepted(project) == before_update
        run = project.run(UPDATE, *workers)
        assert run.code == 0
        assert {variant for _, variant in accepted(project)} == set(after or [None])
        assert project.run().code == 0

    @pytest.mark.parametrize(
        ("before", "after", "options", "counts"),
        [
            (["bm25"], ["bm25", "dense"], (), {"passed": 4}),  # one more is new
            (
                ["bm25", "dense"],
                ["dense"],
                (),
                {"passed": 2},
            ),  # each job of a matrix may collect some of them
            (
                ["bm25"],
                ["bm25", "dense"],
                ("-k", "dense"),
                {"passed": 2, "deselected": 2},
            ),  # those were collected
        ],
    )
    def test_where_another_variant_is_as_it_was(
        self,
        project: Project,
        before: Any,
        after: Any,
        options: tuple[str, ...],
        counts: dict[str, int],
    ) -> None:
        run = self.moved(
            project,
            *(PARAMETRISED.format(params=params) for params in (before, after)),
            *options,
        )
        assert (run.code, run.counts) == (0, counts)
        assert ("(2 new to the baseline)" in run.summary) == (len(after) == 2)

    def test_a_case_that_is_expected_to_fail_fails_too(self, project: Project) -> None:
        self.moved(project, SEARCH, PARAMETRISED.format(params=["bm25", "dense"]))
        project.cases(CASES.replace("query:", "xfail: not yet, query:"))
        assert project.run().counts == {"failed": 4}


def test_the_record_has_the_names_of_items_that_are_not_the_variants(
    project: Project,
) -> None:
    conftest(project, WORD_BY_WORD)
    project.cases(CASES)
    project.run("--relevance-record=plain.jsonl")
    conftest(project, WORD_BY_WORD, repeating())
    project.run("--relevance-record=repeated.jsonl")
    plain = Record.open(project.path / "plain.jsonl").results
    assert not any(result.origin.items for result in plain)
    repeated = Record.open(project.path / "repeated.jsonl").results
    assert repeated[0].origin.items == ("a b[bm25-1-2]", "a b[bm25-2-2]")


AS_WRITTEN = """
    @pytest.fixture(scope="session", params=["zebra", "apple", "mango"])
    def search(request):
        return lambda query: query.split()[:: 1 if request.param == "zebra" else -1]
"""


def order_of_variants(text: str) -> list[str]:
    """What a text says in the order of variants: the rows of the suite, the columns,
    the tests against the first.
    """
    rows = [
        line.split() for line in text.replace("`", "").replace("|", " ").splitlines()
    ]
    names = ("zebra", "apple", "mango")
    side_by_side = next(
        number for number, row in enumerate(rows) if row[:3] == ["side", "by", "side,"]
    )
    against = next(
        number for number, row in enumerate(rows) if row[:2] == ["variant", "against"]
    )
    tested = [row[0] for row in rows[against + 1 :] if row and row[0] in names][:2]
    means = [word for row in rows if "nDCG@10" in row for word in row if word in names]
    shown = [word for word in rows[side_by_side + 1] if word in names]
    return [*shown, rows[against + 1][1], *tested, *means[:3], *means[-3:]]


def test_variants_stand_in_the_order_of_the_parameters_as_written(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    conftest(project, AS_WRITTEN)
    project.cases(CASES)
    written = ["zebra", "apple", "mango"]
    run = project.run("--relevance-record=run.jsonl", "-n2")
    assert order_of_variants(run.summary) == [*written, *written, *written, *written]

    capsys.readouterr()
    assert main(["report", str(project.path / "run.jsonl")]) == 0
    assert order_of_variants(capsys.readouterr().out) == [
        *written,
        *written,
        *written,
        *written,
    ]


def test_the_records_of_shards_have_the_order_of_the_parameters(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    conftest(project, AS_WRITTEN)
    project.cases(CASES)
    shards = []
    for name, query in (("two", "c d"), ("one", "a b")):
        project.run(f"--relevance-record={name}.jsonl", f"shop.relevance.yaml::{query}")
        shards.append(str(project.path / f"{name}.jsonl"))
    capsys.readouterr()
    assert main(["merge", *shards, "-o", str(project.path / "whole.jsonl")]) == 0
    assert order_of_variants(capsys.readouterr().out)[:6] == [
        "zebra",
        "apple",
        "mango",
        "zebra",
        "apple",
        "mango",
    ]
    indexes = {
        result.variant: result.origin.variant_index
        for result in Record.open(project.path / "whole.jsonl").results
    }
    assert indexes == {"zebra": 0, "apple": 1, "mango": 2}
