"""A replay: the rankings of a record, judged under the case files of today.

`pytest-relevance replay RUN` runs pytest with the options of `REPLAY`.
"""

import sys
from textwrap import dedent

import pytest

from tests.plugin.conftest import Command, Project, Run, one_line
from tests.plugin.shop import (
    AGAINST,
    KNOWN,
    RECORD,
    SEARCH,
    UPDATE,
    WORKERS,
    Shop,
)

REPLAY = ("--noconftest", "--relevance-replay=main.jsonl")

CASES = """
    min_ndcg: 0.9
    cases:
      - {query: boots, judgments: {a: 3, b: 1}}
      - {query: hats, judgments: {a: 3, b: 1}}
"""
NO_SEARCH = "No search was called: rankings of main.jsonl, of "
RECORD_AGAIN = "make the record again where the index is (--relevance-record)"


@pytest.fixture(scope="module")
def record_of_main() -> list[bytes]:
    """The record of main, once a test has made it."""
    return []


@pytest.fixture
def shop(project: Project, record_of_main: list[bytes]) -> Shop:
    """A shop with the record of main, whose conftest.py cannot be imported since."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.returns(boots="a b", hats="b a c")
    main = shop.path / "main.jsonl"
    if not record_of_main:
        shop.run(RECORD)
        record_of_main.append(main.read_bytes())
    main.write_bytes(record_of_main[0])
    shop.conftest("import the_client_of_an_engine")
    return shop


def errors(run: Run) -> dict[str, str]:
    """Why cases are errors, by the name of the item."""
    found = {}
    for name, result in run.results.items():
        if result.call.error is not None:
            found[name] = result.call.error.message
    return found


@WORKERS
def test_it_judges_the_rankings_of_the_record(shop: Shop, workers: list[str]) -> None:
    run = shop.run(*REPLAY, *workers)
    assert run.outcomes == {"boots": "passed", "hats": "failed"}
    titled = ["1", "b", "Title", "of", "b"]
    assert titled in [row[:5] for row in run.failure_rows("hats")]
    shop.cases(
        CASES.replace("hats, judgments: {a: 3, b: 1}", "hats, judgments: {b: 3}")
    )
    run = shop.run(*REPLAY)
    assert (run.code, run.outcomes) == (0, {"boots": "passed", "hats": "passed"})
    assert run.said.startswith(NO_SEARCH)


def test_tests_in_python_and_packages_are_not_imported(shop: Shop) -> None:
    shop.write("__init__.py", "1 / 0")
    shop.write("test_shop.py", "1 / 0")
    assert shop.run(*REPLAY).outcomes == {"boots": "passed", "hats": "failed"}


def test_a_query_that_the_record_does_not_have_is_an_error(shop: Shop) -> None:
    shop.cases(
        """
        cases:
          - {query: gloves, judgments: {a: 3}}
          - {query: boots, judgments: {a: 3}, params: {lang: de}}
          - {query: caps, id: hats, judgments: {a: 3}}
          - {query: boots, id: de, judgments: {a: 3}, search: search_de}
          - {query: boots, id: fixture, judgments: {a: 3}, usefixtures: [german]}
          - {query: hats, id: key, judgments: {a: 3}, id_field: sku}
        """
    )
    run = shop.run(*REPLAY)
    assert (run.code, set(run.outcomes.values())) == (1, {"failed"})
    otherwise = "so the search may find something else now"
    assert errors(run) == {
        "gloves": f"main.jsonl has no ranking of this query: {RECORD_AGAIN}",
        "boots": "main.jsonl has no ranking of this query with these params (it has one "
        f"with no params): {RECORD_AGAIN}",
        "hats": "main.jsonl has no ranking of this query (there the query of the case is "
        f'"hats"): {RECORD_AGAIN}',
        "de": "main.jsonl has no ranking of this query (it has one by search): "
        f"{RECORD_AGAIN}",
        "fixture": "usefixtures was not set in main.jsonl and is german, "
        f"{otherwise}: {RECORD_AGAIN}",
        "key": f"id_field was not set in main.jsonl and is sku, {otherwise}: {RECORD_AGAIN}",
    }


def test_a_renamed_case_and_a_new_case_with_a_known_query_are_judged(
    shop: Shop,
) -> None:
    shop.cases(
        """
        min_ndcg: 0.9
        cases:
          - {query: boots, id: renamed, judgments: {a: 3}}
          - {query: boots, id: new, judgments: {b: 3}}
        """
    )
    assert shop.run(*REPLAY).outcomes == {"renamed": "passed", "new": "failed"}


def test_a_case_file_that_the_record_lacks_is_an_error(shop: Shop) -> None:
    """One of the same name in another folder may see another search."""
    shop.cases("cases: [{query: boots, id: moved}]", name="fr/shop.relevance.yaml")
    shop.cases("cases: [{query: boots, id: new}]", name="fr/hats.relevance.yaml")
    assert errors(shop.run(*REPLAY, "fr")) == {
        "moved": "main.jsonl has no case file fr/shop.relevance.yaml; if its shop.relevance.yaml is "
        "the same file, start where the run started, or give --rootdir; else "
        f"{RECORD_AGAIN}",
        "new": "main.jsonl has no ranking of this query (it has no case file "
        f"fr/hats.relevance.yaml): {RECORD_AGAIN}",
    }


def test_a_case_without_a_ranking_in_the_record_is_an_error(shop: Shop) -> None:
    shop.conftest(SEARCH)
    shop.cases(CASES + "      - {query: caps, judgments: {a: 3}}\n")
    shop.returns(hats="boom")
    shop.run(RECORD, "-k", "boots or hats")
    assert errors(shop.run(*REPLAY)) == {
        "hats": "the search failed in main.jsonl: ConnectionError: no engine",
        "caps": f"the case did not run when main.jsonl was made: {RECORD_AGAIN}",
    }


# --- what is told ---------------------------------------------------------------------


def test_it_says_what_was_not_looked_at(shop: Shop) -> None:
    shop.conftest(SEARCH)
    shop.cases("cases: [{query: boots, judgments: {a: 3}}]", name="b.relevance.yaml")
    shop.test('relevance.check("boots", ["a"], {"a": 3})')
    shop.run(RECORD)
    (shop.path / "b.relevance.yaml").unlink()
    shop.cases("cases: [{query: boots, judgments: {a: 3}}]")
    told = (
        "3 of 4 results of main.jsonl were not looked at: 1 of case files that did not "
        'run ("b.relevance.yaml"), 1 of cases that are not in the files now ("hats") and '
        "1 of tests in Python, which a replay does not run"
    )
    reports = shop.reports(*REPLAY)
    assert reports.all_say(told)
    assert reports.run.code == 0


def test_it_says_that_cases_were_not_chosen(shop: Shop) -> None:
    told = "1 of 2 results of main.jsonl was not looked at: 1 of cases that were not chosen to run"
    assert told in shop.run(*REPLAY, "-k", "boots").said


def test_it_says_which_cases_come_to_another_verdict(shop: Shop) -> None:
    shop.cases(
        """
        min_ndcg: 0.9
        cases:
          - {query: boots, judgments: {b: 3}}
          - {query: hats, judgments: {b: 3}}
        """
    )
    said = shop.run(*REPLAY).said
    assert '1 case that passed in main.jsonl fails now ("boots")' in said
    assert '1 case that failed in main.jsonl passes now ("hats")' in said


def test_no_report_marks_it_as_good(shop: Shop) -> None:
    shop.cases("cases: [{query: boots, judgments: {a: 3}}]")
    run = shop.run(
        *REPLAY,
        *("--relevance-markdown=run.md", "--relevance-html=run.html"),
        "--relevance-record=run.jsonl",
    )
    markdown = (shop.path / "run.md").read_text(encoding="utf-8")
    sentence, build = markdown.splitlines()[1:4:2]
    assert sentence.startswith(f"### \u26a0\ufe0f {NO_SEARCH}".replace("_", r"\_"))
    assert build == "The build passes, and says nothing of a change to the ranking."
    page = (shop.path / "run.html").read_text(encoding="utf-8")
    assert f'<h1 data-verdict="warns">{NO_SEARCH}' in page
    replayed = shop.recorded().info.replayed
    assert replayed is not None
    assert replayed.name == "main.jsonl"
    assert run.code == 0


def test_the_sentence_has_the_start_and_the_fingerprint_of_the_record(
    shop: Shop,
) -> None:
    shop.conftest(
        SEARCH
        + """
    @pytest.fixture
    def relevance_fingerprint():
        return {"index": "products-11"}
    """
    )
    shop.run(RECORD)
    started = shop.recorded("main.jsonl").info.started
    when = f"{started[:10]} {started[11:16]} UTC"
    said = shop.run(*REPLAY, AGAINST).said
    assert said.startswith(f"{NO_SEARCH}{when}, index products-11; ")
    assert "searched" not in said  # what was searched is the same


def test_its_record_is_no_reference(shop: Shop, command: Command) -> None:
    shop.run(*REPLAY, "--relevance-record=replay.jsonl")
    why = "no search was called: these are the rankings of main.jsonl"
    refused = shop.run("--relevance-against=replay.jsonl", *REPLAY)
    assert refused.code == pytest.ExitCode.USAGE_ERROR
    assert why in refused.result.stderr.str()
    assert why in command("check", "replay.jsonl").out
    report = command("report", "main.jsonl", "--against", "replay.jsonl")
    assert (report.code, why in report.err) == (2, True)
    again = shop.run("--noconftest", "--relevance-replay=replay.jsonl")
    assert "it is a replay itself: replay main.jsonl" in again.result.stderr.str()


def test_commands_say_that_a_record_is_that_of_a_replay(
    shop: Shop, command: Command
) -> None:
    shop.run(*REPLAY, "--relevance-record=replay.jsonl")
    assert NO_SEARCH in command("report", "replay.jsonl").out
    compared = command("compare", "main.jsonl", "replay.jsonl").out
    of_replay = NO_SEARCH.replace("called", "called for replay.jsonl")
    assert compared.startswith(of_replay)
    history = command("history", "main.jsonl", "replay.jsonl")
    assert f"replay.jsonl: {NO_SEARCH}" in history.out + history.err
    merged = command("merge", "main.jsonl", "replay.jsonl")
    searched = "main.jsonl has searched, and replay.jsonl has replayed main.jsonl"
    assert (merged.code, searched in merged.err) == (2, True)


# --- what is refused ------------------------------------------------------------------


def why_refused(run: Run) -> str:
    """Why pytest did not begin, in one line."""
    assert run.code == pytest.ExitCode.USAGE_ERROR
    return one_line(run.result.stderr.str())


def test_it_does_not_replace_its_own_record(shop: Shop) -> None:
    refused = why_refused(shop.run(*REPLAY, "--relevance-record=./main.jsonl"))
    assert "would replace the record that is replayed" in refused


def test_it_accepts_no_ranking(shop: Shop) -> None:
    assert "a replay calls none" in why_refused(shop.run(*REPLAY, UPDATE))


@pytest.mark.parametrize(
    "option", ["--relevance-replay=main.jsonl", "--relevance-replay-days=90"]
)
def test_the_configuration_cannot_make_a_replay_of_a_run(
    shop: Shop, option: str
) -> None:
    shop.write("pytest.ini", f"[pytest]\naddopts = {option} --noconftest\n")
    refused = why_refused(
        shop.run("--relevance-replay=main.jsonl" if "days" in option else "")
    )
    assert "give it on the command line instead" in refused


def test_conftest_files_are_never_loaded(shop: Shop) -> None:
    shop.conftest(SEARCH)
    refused = why_refused(shop.run(REPLAY[1]))
    assert "write pytest-relevance replay main.jsonl" in refused


def test_a_record_of_a_run_that_did_not_finish_is_refused(shop: Shop) -> None:
    shop.conftest(SEARCH)
    shop.returns(boots="b")
    shop.run(RECORD, "-x")
    assert "the run is not complete, 1 case did not finish" in why_refused(
        shop.run(*REPLAY)
    )


def test_a_record_of_a_search_that_was_down_is_refused(shop: Shop) -> None:
    shop.conftest(SEARCH)
    shop.returns(boots="", hats="")
    shop.run(RECORD)
    assert "search returned nothing in any case" in why_refused(shop.run(*REPLAY))


def test_an_old_record_is_refused(shop: Shop) -> None:
    record = shop.path / "main.jsonl"
    started = shop.recorded("main.jsonl").info.started
    text = record.read_text(encoding="utf-8")
    record.write_text(
        text.replace(started, "2020-01-02T03:04:05+00:00"), encoding="utf-8"
    )
    assert "a record may be 30 days old" in why_refused(shop.run(*REPLAY))
    judged = shop.run(*REPLAY, "--relevance-replay-days=100000")
    assert "of 2020-01-02 03:04 UTC" in judged.said


def test_without_a_case_it_fails(shop: Shop) -> None:
    (shop.path / "empty").mkdir()
    assert shop.run(*REPLAY, "empty").code == pytest.ExitCode.NO_TESTS_COLLECTED
    assert (
        shop.run(*REPLAY, "absent.relevance.yaml").code == pytest.ExitCode.USAGE_ERROR
    )
    shop.write("test_shop.py", "def test_shop(): pass")
    assert shop.run(*REPLAY, "test_shop.py").code == pytest.ExitCode.USAGE_ERROR


# --- what a case may look at ----------------------------------------------------------


def test_a_case_may_look_less_deep_than_the_record(shop: Shop) -> None:
    shop.cases("{k: 1, min_ndcg: 0.9, cases: [{query: hats, judgments: {a: 3, b: 1}}]}")
    result = shop.run(*REPLAY).results["hats"]
    assert [*result.ranking.documents] == ["b"]
    assert (result.conditions.asked, result.ranking.returned) == (1, 3)


def test_a_limit_of_the_search_shows_as_it_did(shop: Shop) -> None:
    """A case that looks at two results does not show that k is handed on."""
    shop.conftest(SEARCH.replace("k=10", "k=3"))
    shop.returns(boots="a b c", hats="b a c", caps="c d e")
    deep = """
        k: 20
        cases:
          - {query: boots, judgments: {a: 3}}
          - {query: hats, judgments: {a: 3}}
          - {query: caps, judgments: {c: 3}}
    """
    shop.cases(deep)
    shop.run(RECORD)
    shallow = deep.replace("{a: 3}}", "{a: 3}, k: 2}")
    shop.cases(shallow.replace("{c: 3}}", "{c: 3}, expect: {exclude: z}}"))
    for run in (shop.run(), shop.run(*REPLAY)):
        assert "no case got more than 3 results" in errors(run)["caps"]


def test_a_case_may_look_deeper_if_the_search_had_no_more_results(shop: Shop) -> None:
    shop.cases("cases: [{query: hats, judgments: {c: 3}, expect: {R@50: 1}}]")
    assert shop.run(*REPLAY).outcomes == {"hats": "passed"}


def test_a_case_that_looks_deeper_than_the_record_is_an_error(shop: Shop) -> None:
    shop.conftest(SEARCH)
    shop.cases("{k: 2, cases: [{query: hats, judgments: {a: 3}}]}")
    shop.returns(hats="b a")
    shop.run(RECORD)
    shop.cases("{k: 3, cases: [{query: hats, judgments: {a: 3}}]}")
    assert errors(shop.run(*REPLAY)) == {
        "hats": "the case looks at 3 results, and main.jsonl has the first 2: look no "
        f"deeper, or {RECORD_AGAIN}"
    }


def test_a_search_without_k_may_have_returned_more_than_the_record_kept(
    shop: Shop,
) -> None:
    shop.conftest(SEARCH.replace(", k=10", ""))
    case = "cases: [{query: hats, judgments: {a: 3, d: 3}, EXPECT}]"
    shop.cases("{k: 2, " + case.replace("EXPECT", "min_ndcg: 0") + "}")
    shop.returns(hats="b a c d")
    shop.run(RECORD)
    shop.run(*REPLAY, "--relevance-record=run.jsonl")
    (result,) = shop.recorded().results
    assert (result.ranking.returned, result.ranking.deeper) == (4, {"d": 4})
    shop.cases("{k: 2, " + case.replace("EXPECT", "expect: {AP: 0.1}") + "}")
    assert errors(shop.run(*REPLAY)) == {
        "hats": "the case looks at the whole ranking, and main.jsonl has kept the first 2 "
        f"of 4 results: look no deeper, or {RECORD_AGAIN}"
    }


def test_what_a_record_does_not_keep_is_an_error(shop: Shop) -> None:
    shop.cases(
        """
        cases:
          - {query: boots, judgments: {a: 3}, expect: {every: {color: red}}}
          - {query: hats, judgments: {a: 3}, expect: {same_as: caps}}
        """
    )
    assert errors(shop.run(*REPLAY)) == {
        "boots": "every looks at fields of documents, and a record has none: leave the "
        "expectation out of the case, or run the case",
        "hats": f'same_as "caps": main.jsonl has no ranking of this query: {RECORD_AGAIN}',
    }


def test_same_as_takes_another_query_of_the_record(shop: Shop) -> None:
    shop.cases(
        """
        cases:
          - {query: boots, judgments: {a: 3}, expect: {same_as: {query: hats, overlap@2: 1}}}
          - {query: hats, judgments: {a: 3}, expect: {same_as: boots}}
        """
    )
    assert shop.run(*REPLAY).outcomes == {"boots": "passed", "hats": "failed"}


@pytest.mark.parametrize("collapse", ["", "collapse: true, "])
def test_chunks_are_collapsed_as_the_case_file_says_today(
    shop: Shop, collapse: str
) -> None:
    shop.conftest(SEARCH)
    case = "cases: [{query: hats, judgments: {a: 3, b: 1}}]}"
    shop.cases("{" + collapse + case)
    shop.returns(hats="b b a")
    shop.run(RECORD)
    assert shop.run(*REPLAY).results["hats"].ranking.repeated == (not collapse)
    shop.cases("{" + ("" if collapse else "collapse: true, ") + case)
    shop.run(*REPLAY, "--relevance-record=run.jsonl")
    ranking = shop.recorded().results[0].ranking
    documents = ("b", "b", "a") if collapse else ("b", "a")
    assert (ranking.documents, ranking.left_out) == (documents, not collapse)


def test_a_second_sort_value_orders_equal_scores(shop: Shop) -> None:
    hits = [{"_id": name, "_score": 1.0, "sort": [1.0, name]} for name in "ab"]
    shop.conftest(
        f"""
        import pytest

        @pytest.fixture
        def search():
            return lambda query: {{"hits": {{"hits": {hits}}}}}
        """
    )
    shop.run(RECORD)
    assert shop.recorded("main.jsonl").results[0].ranking.untied == (1,)
    assert shop.run(*REPLAY).results["boots"].evaluation.ties_lower is None


def test_it_names_queries_whose_ranking_changed_from_call_to_call(shop: Shop) -> None:
    shop.conftest(
        """
        import itertools
        import pytest

        CALLS = itertools.count()

        @pytest.fixture
        def search():
            return lambda query: ["a", "b"] if next(CALLS) % 2 else ["b", "a"]
        """
    )
    said = shop.run(RECORD, "--relevance-repeat=2").sentences("ranking changes")
    assert said
    assert shop.run(*REPLAY).sentences("ranking changes") == said


# --- latency --------------------------------------------------------------------------

SLOW = """
    gates: [{latency: {max: "<= 0.001 ms"}}]
    cases: [{query: boots, judgments: {a: 3}, expect: {latency: "<= 0.001 ms"}}]
"""


def test_latencies_are_those_of_the_record_and_marked(shop: Shop) -> None:
    latency = shop.recorded("main.jsonl").results[0].call.latency
    shop.cases(SLOW)
    run = shop.run(*REPLAY, "--relevance-html=run.html", "--junitxml=junit.xml")
    assert run.results["boots"].call.latency == latency
    assert "latency: recorded search took" in run.failure("boots")
    assert " ms (recorded)   " in run.failure("boots")
    assert "one at a time per process, recorded)" in run.told(
        "gate[latency max <= 0.001 ms]"
    )
    assert '"isRecorded":true' in (shop.path / "run.html").read_text(encoding="utf-8")
    assert 'name="recorded" value="True"' in (shop.path / "junit.xml").read_text(
        "utf-8"
    )


def test_a_latency_beside_other_searches_says_nothing(shop: Shop) -> None:
    shop.conftest(SEARCH.replace("@pytest.fixture", '@pytest.fixture(scope="session")'))
    shop.run(RECORD, "--relevance-concurrency=2")
    shop.cases(SLOW)
    assert errors(shop.run(*REPLAY)) == {
        "boots": "latency: main.jsonl has no latency of this search called alone: "
        f"{RECORD_AGAIN}, with --relevance-concurrency=1"
    }


# --- what a conftest.py has -----------------------------------------------------------

OWN_METRIC = """
    def pytest_relevance_metrics():
        return {"firsts": lambda grades, judged, k: float(grades[0] == 3)}
"""


def test_a_metric_of_a_conftest_is_an_error_and_one_of_a_plugin_is_not(
    shop: Shop,
) -> None:
    shop.conftest(SEARCH + OWN_METRIC)
    shop.cases("cases: [{query: boots, judgments: {a: 3}, expect: {firsts: 1}}]")
    shop.run(RECORD)
    assert errors(shop.run(*REPLAY)) == {
        "boots": "firsts is a metric of a conftest.py, and a replay loads none: define it "
        "in an installed plugin of pytest, or run the case"
    }
    shop.write("shop_metrics.py", OWN_METRIC)
    shop.pytester.syspathinsert()
    assert shop.run(*REPLAY, "-p", "shop_metrics").outcomes == {"boots": "passed"}


def test_variants_are_those_of_the_record(shop: Shop) -> None:
    of_two = SEARCH.replace("def search():", "def search(request):")
    shop.conftest(
        of_two.replace("@pytest.fixture", '@pytest.fixture(params=["b", "\u00e4"])')
    )
    known = "      - {query: hats, id: known, judgments: {a: 3}}\n"
    new = "      - {query: new, judgments: {a: 3}}\n"
    shop.cases(CASES + known)
    recorded = shop.run(RECORD)
    shop.cases(CASES + known + new)
    run = shop.run(*REPLAY)
    assert {*run.outcomes} == {*recorded.outcomes, "new[b]", r"new[\xe4]"}
    variants = [result.variant for result in run.results.values()]
    assert variants == ["b", r"\xe4"] * 4


def test_expected_failures_and_references_count_as_in_a_run(shop: Shop) -> None:
    shop.cases(
        """
        min_ndcg: 0.9
        cases:
          - {query: boots, judgments: {a: 3}}
          - {query: hats, judgments: {a: 3}, xfail: known}
        """
    )
    assert shop.run(*REPLAY).outcomes == {"boots": "passed", "hats": "xfailed"}
    shop.cases(CASES)
    run = shop.run(*REPLAY, AGAINST, KNOWN)
    assert (run.code, run.outcomes["hats"]) == (0, "xfailed")


def test_commands_replay_too_and_accept_no_ranking(shop: Shop) -> None:
    shop.conftest(SEARCH)
    shop.run(UPDATE)
    shop.returns(boots="c a")
    shop.run(RECORD)
    said = shop.run(*REPLAY)
    again = "pytest-relevance replay main.jsonl"
    assert said.sentences("look")[0].split("   ")[1].strip().startswith(again)
    assert f"{again} -v shop.relevance.yaml::boots" in said.said
    assert not said.sentences("accept")


def test_what_passed_in_the_record_is_no_known_failure(shop: Shop) -> None:
    """Both rankings are the same, so that the accepted one always fails too."""
    shop.cases(
        """
        min_ndcg: 0.9
        gates: [{mean: {nDCG@10: 0.99}}]
        cases:
          - {query: boots, judgments: {b: 3}}
          - {query: hats, judgments: {a: 3, b: 1}}
        """
    )
    run = shop.run(*REPLAY, AGAINST, KNOWN)
    assert {*run.outcomes.values()} == {"xfailed"}
    assert run.code == 1
    for brief in (
        '1 case that passed in main.jsonl fails now ("boots")',
        "1 gate is not met, which main.jsonl met",
    ):
        assert brief in run.said
    because = "the run fails because 1 case that passed in main.jsonl fails now and"
    assert because in run.said


def test_the_command_gives_its_arguments_to_pytest(shop: Shop) -> None:
    shop.write("pytest.ini", "[pytest]\nusefixtures = engine\n")
    done = shop.pytester.run(
        *(
            sys.executable,
            "-m",
            "pytest_relevance",
            "replay",
            "main.jsonl",
            "-q",
            "-W",
            "error",
        ),
        *("-p", "no:asyncio", "shop.relevance.yaml::boots"),
    )
    assert (done.ret, done.parseoutcomes()) == (0, {"passed": 1})
    assert NO_SEARCH in one_line(done.stdout.str())


# --- passages -------------------------------------------------------------------------

TEXTS = """
    import pytest

    @pytest.fixture
    def search():
        texts = ["Return it within 30 days.", "Bring the receipt.", "We close at noon."]
        return lambda query, k=10: [{"text": each, "page": 7} for each in texts][:k]
"""
HANDBOOK = """
    k: 2
    min_ndcg: 0.9
    expect: {R@2: 1}
    cases:
      - query: returns
        passages: [return it within 30 days, bring the receipt]
        exclude_passages: [we close at noon]
"""


def handbook(shop: Shop, *, keeps_texts: bool) -> Shop:
    """Return a shop whose record is that of a suite with passages."""
    shop.conftest(TEXTS)
    shop.cases(HANDBOOK)
    keep = ["-o", "relevance_record_texts=on"] if keeps_texts else []
    shop.run(RECORD, *keep)
    shop.conftest("import the_client_of_an_engine")
    return shop


@pytest.mark.parametrize("keeps_texts", [False, True])
def test_passages_that_did_not_change_are_judged(
    shop: Shop, *, keeps_texts: bool
) -> None:
    handbook(shop, keeps_texts=keeps_texts)
    assert shop.run(*REPLAY).outcomes == {"returns": "passed"}
    shop.cases(
        HANDBOOK.replace("return it within 30 days, ", "").replace("k: 2", "k: 1")
    )
    assert shop.run(*REPLAY).outcomes == {"returns": "failed"}
    shop.cases(HANDBOOK.replace("k: 2", "k: 3"))
    assert "looks at 3 results" in errors(shop.run(*REPLAY))["returns"]


def test_changed_passages_need_the_texts(shop: Shop) -> None:
    changed = HANDBOOK.replace("bring the receipt", "bring an invoice")
    handbook(shop, keeps_texts=True)
    shop.cases(changed)
    run = shop.run(*REPLAY)
    assert run.outcomes == {"returns": "failed"}
    assert run.results["returns"].evaluation.scores["R@2"] == 0.5
    handbook(shop, keeps_texts=False)
    shop.cases(changed)
    assert errors(shop.run(*REPLAY)) == {
        "returns": "main.jsonl: 1 passage is new or changed, and the record has no texts "
        "to look for them (relevance_record_texts = on keeps them): "
        f"{RECORD_AGAIN}"
    }


def test_a_stale_baseline_leads_to_a_comparison_with_the_record(shop: Shop) -> None:
    shop.conftest(TEXTS)
    shop.cases(HANDBOOK)
    shop.run(UPDATE)
    handbook(shop, keeps_texts=True)
    shop.cases(HANDBOOK.replace("return it within", "it within"))
    run = shop.run(*REPLAY)
    assert run.outcomes == {"returns": "failed"}
    assert (
        "look pytest-relevance replay main.jsonl --relevance-against=main.jsonl "
        "# 1 case has a stale baseline: compares with the record"
    ) in one_line(run.said)
    assert shop.run(*REPLAY, "--relevance-against=main.jsonl").outcomes == {
        "returns": "passed"
    }


def test_other_texts_of_results_are_not_in_the_record(shop: Shop) -> None:
    handbook(shop, keeps_texts=True)
    shop.cases("text_field: body\n" + dedent(HANDBOOK))
    assert (
        "text_field was not set in main.jsonl and is body"
        in errors(shop.run(*REPLAY))["returns"]
    )
    shop.cases(
        HANDBOOK.replace(
            "bring the receipt", "{quote: bring the receipt, in: {page: 7}}"
        )
    )
    assert errors(shop.run(*REPLAY)).keys() == {"returns"}
    shop.cases("{k: 2, cases: [{query: returns, judgments: {a: 1}}]}")
    assert "and now it judges ids" in errors(shop.run(*REPLAY))["returns"]
