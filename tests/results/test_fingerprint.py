"""What a fingerprint may be, how two differ, and which one a baseline keeps."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_relevance.results.records.baseline_file import read_baseline
from pytest_relevance.results.records.baseline_update import Update, update_baseline
from pytest_relevance.results.records.entries import BaselineEntries, BaselineEntry
from pytest_relevance.results.records.fingerprint import changed, changes_text, checked
from pytest_relevance.results.records.run_info import RecordError


def test_texts_numbers_and_booleans_are_kept_as_builtin_types() -> None:
    class Name(str):
        __slots__ = ()

    found = checked(
        {
            "index": Name("products"),
            "documents": np.int64(7),
            "share": 0.5,
            "warm": True,
            "commit": None,
        }
    )
    assert found == {"index": "products", "documents": 7, "share": 0.5, "warm": True}
    assert [type(value) for value in found.values()] == [str, int, float, bool]
    assert checked({"index": "a\ud800"}) == {
        "index": "a\\ud800"
    }  # pytest-xdist cannot send half a surrogate pair


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["index"], r"it is a flat mapping .*, found \['index'\]"),
        (None, "it is a flat mapping .*, found None"),
        ({"index": {"name": "x"}}, r'a flat mapping .*; under "index" there is \{\'name\': \'x\'\}'),
        ({"made": object()}, 'under "made" there is <object'),
        ({"share": float("nan")}, 'its numbers are finite; under "share" there is nan'),
        ({1: "x"}, "its names are texts, found 1"),
    ],
)  # fmt: skip
def test_anything_else_is_refused(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        checked(value)


def test_how_two_differ() -> None:
    before = {"index": "products-11", "documents": 19406, "warm": True}
    now = {"index": "products-20", "documents": 19406, "commit": "abc"}
    assert changed({}, now) == changed(before, {}) == changed(now, now) == {}
    changes = changed(before, now)
    assert changes == {
        "index": ["products-11", "products-20"],
        "commit": [None, "abc"],
        "warm": [True, None],
    }
    assert (
        changes_text(changes)
        == "index products-11 -> products-20, commit not known -> abc, warm true -> not known"
    )
    assert (
        changes_text({f"n{i}": [i, i + 1] for i in range(5)}, 3)
        == "n0 0 -> 1, n1 1 -> 2, n2 2 -> 3, and 2 more"
    )


def entry(name: str, *ranking: str) -> BaselineEntry:
    return BaselineEntry(id=name, query=name, depth=10, documents=ranking)


def test_a_baseline_keeps_the_fingerprint_that_all_of_its_entries_have_in_common(
    tmp_path: Path,
) -> None:
    path = tmp_path / "shop.relevance.yaml.baseline.jsonl"
    eleven, twenty = (
        {"index": "products-11", "engine": "es"},
        {"index": "products-20", "engine": "es"},
    )
    update_baseline(
        path,
        Update(BaselineEntries([entry("a", "x"), entry("b", "x")], fingerprint=eleven)),
    )
    assert read_baseline(path).fingerprint == eleven

    # a part of the file, and nothing changed
    update_baseline(
        path, Update(BaselineEntries([entry("a", "x")], fingerprint=twenty))
    )
    assert read_baseline(path).fingerprint == eleven
    update_baseline(
        path, Update(BaselineEntries([entry("a", "y")], fingerprint=twenty))
    )
    assert read_baseline(path).fingerprint == {"engine": "es"}

    whole = [entry("a", "y"), entry("b", "x")]
    updated = update_baseline(path, Update(BaselineEntries(whole, fingerprint=twenty)))
    assert (updated.is_change, updated.has_new_fingerprint) == (False, True)
    assert read_baseline(path).fingerprint == twenty
    assert not update_baseline(
        path, Update(BaselineEntries(whole, fingerprint=twenty))
    ).has_new_fingerprint
    update_baseline(path, Update(BaselineEntries(whole)))
    assert read_baseline(path).fingerprint == {}


def test_a_damaged_fingerprint_of_a_baseline_is_named(tmp_path: Path) -> None:
    path = tmp_path / "b"
    update_baseline(
        path, Update(BaselineEntries([entry("a")], fingerprint={"index": "x"}))
    )
    path.write_text(path.read_text().replace('{"index":"x"}', "[1]"))
    with pytest.raises(
        RecordError, match=r"b:1: the line is damaged: .*found \[1\]; restore the file"
    ):
        read_baseline(path)
