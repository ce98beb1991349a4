"""`relevance_redact`: secrets are in no record, baseline or report, and a baseline
still notices that one changed.

What is masked in a text is in test_redaction.py.
"""

import re

import pytest

from tests.helpers import page_text, page_values
from tests.plugin.conftest import REPORTS, Project
from tests.plugin.shop import BASELINE, UPDATE, WORKERS

RECORD = "--relevance-record=run.jsonl"
SEARCH = """
    import pytest

    @pytest.fixture
    def search():
        def search(query, api_key="", **params):
            assert not api_key.startswith("<")  # the search itself gets the secret
            local_only = "of the traceback"
            if query == "boom":
                raise ConnectionError("401: GET https://me:hunter22@host/?q=x&token=t0psecret\\nsecond line")
            return query.split()
        return search

    @pytest.fixture
    def relevance_fingerprint():
        return {"index": "https://me:hunter22@host/products", "auth": "t0psecret"}

    def pytest_addoption(parser):
        parser.addoption("--dsn")
        parser.addoption("--password")

    def pytest_relevance_explain(document):
        return f"see https://host/?token=t0psecret of {document}"
"""
CASES = """
    params: {{api_key: {secret}, url: "https://me:hunter22@host/shop"}}
    cases:
      - {{query: a b, judgments: {{b: 3}}, min_ndcg: 0.9}}
      - {{query: boom}}
"""


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(SEARCH)
    project.cases(CASES.format(secret="s3cr3t-1"))
    return project


MASK = "<redacted [0-9a-f]{4}>"


def secrets_in(text: str) -> list[str]:
    return [secret for secret in ("s3cr3t", "hunter22", "t0psecret") if secret in text]


def test_no_file_and_no_report_of_a_case_has_a_secret(shop: Project) -> None:
    run = shop.run("-v", "-n1", UPDATE, *REPORTS)
    assert run.counts == {"failed": 2}
    assert "of the traceback" in run.text  # the terminal has it
    page = (shop.path / "run.html").read_text(encoding="utf-8")
    values = page_values(page)
    texts = [
        (shop.path / name).read_text() for name in ("run.md", "run.jsonl", BASELINE)
    ]
    assert "ConnectionError: 401" in texts[0]
    for text in (*texts, page_text(page), repr(values)):
        assert secrets_in(text) == []
        assert str(shop.path) not in text
        assert "of the traceback" not in text
        assert "second line" not in text
    assert secrets_in(run.failure("a b") + run.summary) == []
    of_page = {case["id"]: case for case in values["cases"]}
    assert of_page["a b"]["params"]["api_key"].startswith("<redacted ")
    assert "token=<redacted " in str(of_page["a b"]["explanations"])
    assert of_page["boom"]["error"]["frame"].startswith("conftest.py:")
    _, boom = shop.recorded().results
    key = boom.params["api_key"]
    assert re.fullmatch(MASK, key)
    assert f"search(api_key={key}, url=https://<redacted " in run.failure("a b")
    assert boom.call.error is not None
    message = re.sub(MASK, "<>", boom.call.error.message)
    assert message == "401: GET https://<>@host/?q=x&token=<>"


ECHOES = """
    import os
    import pytest
    from base64 import b64encode
    from urllib.parse import quote

    def pytest_addoption(parser):
        parser.addoption("--engine-token")

    @pytest.fixture
    def search(pytestconfig):
        def search(query, user, password, key):
            print("connected with", password)
            told = {
                "raises": f"no access with {password}",
                "url": f"GET /?p={quote(password, safe='')}",
                "base64": "headers: " + b64encode(f"{user}:{password}".encode()).decode(),
                "option": f"no access with {pytestconfig.option.engine_token}",
                "environment": f"no access with {os.environ['ENGINE_KEY']}",
            }
            if query in told:
                raise ConnectionError(told[query])
            return [{"id": "a", "title": f"Apple, {password}"}, {"id": "b"}]
        return search

    @pytest.fixture
    def relevance_fingerprint():
        return {"index": "en-1", "about": "as me with p/ss w0rd-7"}

    def pytest_relevance_explain(document):
        return "asked with p/ss w0rd-7"
"""


@WORKERS
def test_a_known_secret_is_masked_wherever_it_stands(
    project: Project, monkeypatch: pytest.MonkeyPatch, workers: list[str]
) -> None:
    monkeypatch.setenv("ENGINE_KEY", "env-77-abc")
    project.conftest(ECHOES)
    project.cases("""
        params: {user: me, password: p/ss w0rd-7, key: en}
        cases:
          - {query: raises}
          - {query: url}
          - {query: base64}
          - {query: option}
          - {query: environment}
          - {query: title, judgments: {b: 3}, min_ndcg: 0.9}
    """)
    junit = ["--junitxml=junit.xml", "-ojunit_logging=all"]
    token = "--engine-token=tok-55-xyz"
    run = project.run(UPDATE, *REPORTS, *junit, token, *workers)
    names = ("run.jsonl", "run.md", "run.html", "junit.xml", BASELINE)
    texts = {name: (project.path / name).read_text(encoding="utf-8") for name in names}
    secrets = ("p/ss w0rd-7", "p%2Fss", "env-77-abc", "tok-55-xyz", "bWU6cC9zcyB3M")
    for name, text in {**texts, "terminal": run.text}.items():
        assert [secret for secret in secrets if secret in text] == [], name
    record = project.recorded()
    *failed, titled = record.results
    errors = [result.call.error for result in failed]
    assert [re.sub(MASK, "<>", error.message) for error in errors if error] == [
        "no access with <>",
        "GET /?p=<>",
        "headers: <>",
        "no access with <>",
        "no access with <>",
    ]
    # the value "en" of the param `key` is too common to be looked for
    assert record.info.fingerprint["index"] == "en-1"
    assert re.fullmatch(f"as me with {MASK}", record.info.fingerprint["about"])
    assert re.fullmatch(f"Apple, {MASK}", titled.texts.titles["a"])
    assert re.fullmatch(f"asked with {MASK}", titled.texts.explanations["a"])


def test_the_command_of_a_record_has_no_password(shop: Project) -> None:
    shop.run(RECORD, "--dsn", "host=db user=me password=X")
    *_, dsn = shop.recorded().info.command
    assert re.fullmatch(f"host=db user=me password={MASK}", dsn)


def test_a_secret_that_changed_makes_its_baseline_stale(shop: Project) -> None:
    shop.run(UPDATE)
    assert "stale" not in shop.run().summary
    shop.cases(CASES.format(secret="s3cr3t-2"))
    told = shop.run().told("a b")
    changed = f'the parameter "api_key" was "({MASK})" and is "({MASK})"'
    ((before, now),) = re.findall(changed, told)
    assert before != now
    assert secrets_in(told) == []


def test_a_baseline_that_was_written_before_its_params_were_masked_is_no_staler_for_it(
    shop: Project,
) -> None:
    shop.write("pytest.ini", "[pytest]\nrelevance_redact = nothing\n")
    shop.run(UPDATE)
    assert "s3cr3t-1" in (shop.path / BASELINE).read_text()
    (shop.path / "pytest.ini").unlink()
    assert "stale" not in shop.run().summary


def test_a_pattern_of_the_project(shop: Project) -> None:
    shop.write("pytest.ini", "[pytest]\nrelevance_redact = ^locale$\n")
    params = "params: {locale: en_GB, api_key: abc}"
    shop.cases(f"cases: [{{query: a, {params}, judgments: {{b: 3}}, min_ndcg: 0.9}}]")
    found = shop.reports()
    (result,) = shop.recorded().results
    assert re.fullmatch(MASK, result.params["locale"])
    assert result.params["api_key"] == "abc"
    assert "en_GB" not in found.markdown + found.page


def test_a_record_has_no_path_of_the_machine(shop: Project) -> None:
    shop.write(
        "suites/conftest.py",
        "import json\nimport pytest\n@pytest.fixture\ndef search():\n    return lambda query: json.loads(query)\n",
    )
    shop.cases("cases: [{query: a}]", "suites/more.relevance.yaml")
    here = str(shop.path)
    shop.run(RECORD, f"{here}/suites", f"--basetemp={here}/temp", "--rootdir", here)
    assert here not in (shop.path / "run.jsonl").read_text()
    record = shop.recorded()
    assert [*record.files] == ["suites/more.relevance.yaml"]
    error = record.results[0].call.error
    assert error is not None
    assert re.fullmatch(r"suites/conftest\.py:\d+ in <lambda>", error.frame)


def test_an_error_in_a_record_has_no_path_of_the_machine_and_one_line_of_the_user(
    project: Project,
) -> None:
    fails = 'open(__file__ + ".db") if query == "file" else pytest.fail("no index\\nand a second line")'
    project.search(f"return lambda query: {fails}")
    project.cases("cases: [{query: file}, {query: failed}]")
    project.run(RECORD)
    errors = [result.call.error for result in project.recorded().results]
    assert [(error.type, error.message) for error in errors if error] == [
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'conftest.py.db'"),
        ("", "no index"),
    ]
