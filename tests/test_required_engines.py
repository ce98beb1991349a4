"""Tests with the marker `engines` are skipped where a library is absent, and fail where the build requires them all."""

from __future__ import annotations

import pytest

QUIET = ("-p", "no:relevance", "-p", "no:asyncio")

SKIPPED = {
    "a test": "def test_it(): pytest.importorskip('no_such_library')",
    "a module": "pytest.importorskip('no_such_library')\ndef test_it(): pass",
}


@pytest.fixture(params=SKIPPED)
def skipped(pytester: pytest.Pytester, request: pytest.FixtureRequest) -> pytest.Pytester:
    """A project whose one test of an engine is skipped, with the hooks of the conftest.py of these tests."""
    pytester.makeini("[pytest]\nmarkers = engines")
    pytester.makeconftest("from tests.conftest import pytest_make_collect_report, pytest_runtest_makereport")
    pytester.makepyfile(f"import pytest\npytestmark = pytest.mark.engines\n{SKIPPED[request.param]}")
    return pytester


def test_a_skip_passes(skipped: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RELEVANCE_ENGINES", raising=False)
    result = skipped.runpytest_inprocess(*QUIET)
    result.assert_outcomes(skipped=1)


def test_a_skip_fails_where_all_are_required(skipped: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_ENGINES", "1")
    result = skipped.runpytest_inprocess(*QUIET)
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    assert "skipped" not in result.parseoutcomes()
    result.stdout.fnmatch_lines(["*with RELEVANCE_ENGINES set, it must not be skipped: *"])
