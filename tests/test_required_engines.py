"""Tests with the marker `engines` are skipped where a library is absent, and fail where
the build requires them all.
"""

import pytest

from tests.helpers import only_plugins

QUIET = ("-p", "no:relevance", *only_plugins())


@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize(
    "test",
    [
        "def test_it(): pytest.importorskip('no_such_library')",
        "pytest.importorskip('no_such_library')\ndef test_it(): pass",
    ],
    ids=["a test", "a module"],
)
def test_a_skip_fails_where_all_are_required(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    test: str,
    required: bool,
) -> None:
    pytester.makeini("[pytest]\nmarkers = engines")
    pytester.makeconftest(
        "from tests.conftest import pytest_make_collect_report, pytest_runtest_makereport"
    )
    pytester.makepyfile(f"import pytest\npytestmark = pytest.mark.engines\n{test}")
    monkeypatch.delenv("RELEVANCE_ENGINES", raising=False)
    if required:
        monkeypatch.setenv("RELEVANCE_ENGINES", "1")
    result = pytester.runpytest_inprocess(*QUIET)
    assert ("skipped" in result.parseoutcomes()) is not required
    if required:
        result.stdout.fnmatch_lines(
            ["*with RELEVANCE_ENGINES set, it must not be skipped: *"]
        )
