"""Names of entry points that another package may not use."""

from pathlib import Path

import pytest

from pytest_relevance import read_judgments
from pytest_relevance.cli import main


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of judgments, and a package `acme` with a format `csv` and a command
    `check`.
    """
    info = tmp_path / "site" / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: acme\n")
    info.joinpath("entry_points.txt").write_text(
        "[pytest_relevance.formats]\ncsv = acme:CSV\n"
        "[pytest_relevance.commands]\ncheck = acme:check\n"
    )
    monkeypatch.syspath_prepend(info.parent)
    path = tmp_path / "shop.csv"
    path.write_text("query,doc_id,grade\nboots,a,3\n")
    return path


def test_a_name_of_this_package_is_refused_with_the_package_the_name_and_the_group(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(
        ValueError,
        match=r"csv \(acme:CSV\) of the package acme .* group pytest_relevance\.formats;",
    ):
        read_judgments(shop, "acme-log")
    assert main(["--help"]) == 2
    said = capsys.readouterr().err
    assert "check (acme:check) of the package acme" in said
    assert "group pytest_relevance.commands;" in said


def test_the_entry_of_this_package_is_used_without_asking_others(shop: Path) -> None:
    assert read_judgments(shop) == {"boots": {"a": 3}}
