"""A file that is made read-only stays as it is, although the folder would allow to replace it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

CASES = """
    cases:
      - {query: a b x, judgments: {a: 3, b: 1}, min_ndcg: 0.5}
"""
SUITE, BASELINE = "shop.relevance.yaml", "shop.relevance.yaml.baseline.jsonl"


@pytest.fixture
def shop(project: Project) -> Project:
    """A case that passes and leaves a result unjudged, with a baseline, a record and a worklist of another day."""
    project.conftest()
    project.cases(CASES.replace("a b x", "b a y"))
    assert project.run("--relevance-update", "--relevance-record=run.jsonl", "--relevance-unjudged=list.csv").code == 0
    project.cases(CASES)
    return project


@pytest.mark.parametrize(
    ("option", "file", "says"),
    [
        ("--relevance-ratchet", SUITE, f"no floor is raised in {SUITE}, it cannot be written: it is read-only"),
        ("--relevance-update", BASELINE, f"baseline {BASELINE} is not updated, it cannot be written: it is read-only"),
    ],
)
def test_what_a_run_changes_at_its_end(shop: Project, option: str, file: str, says: str) -> None:
    path = shop.path / file
    before = path.read_bytes()
    path.chmod(0o444)
    run = shop.run(option)
    assert run.code == 1
    assert says in run.summary
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (before, 0o444)
    path.chmod(0o644)
    assert shop.run(option).code == 0
    assert path.read_bytes() != before


@pytest.mark.parametrize(
    ("option", "file"), [("--relevance-record", "run.jsonl"), ("--relevance-unjudged", "list.csv")]
)
def test_what_an_option_names_is_refused_before_the_run(shop: Project, option: str, file: str) -> None:
    path = shop.path / file
    before = path.read_bytes()
    path.chmod(0o444)
    run = shop.run(f"{option}={file}")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    says = f"ERROR: {option}={file}: {file} may not be written; see to its permissions, or name another file"
    assert says in run.result.stderr.str().splitlines()
    assert path.read_bytes() == before


def test_a_read_only_file_behind_a_link(shop: Project) -> None:
    (shop.path / SUITE).rename(shop.path / "elsewhere.yaml").chmod(0o444)
    (shop.path / SUITE).symlink_to("elsewhere.yaml")
    run = shop.run("--relevance-ratchet")
    assert run.code == 1
    assert "it is read-only" in run.summary
    assert "min_ndcg: 0.5}" in (shop.path / "elsewhere.yaml").read_text()
