"""Which cases were moved: to another id, another file, or another variant."""

import pytest

from pytest_relevance.results.records.moved_cases import (
    CaseKey,
    KeyedCase,
    Moves,
    find_moves,
    identity_of,
)


def keyed(written: str) -> KeyedCase:
    """A case of a file, an id and a variant: `a:boots`, `a:boots[bm25]`.

    Behind an equals sign stands the query, and the digest of its judgments if it is not
    "j": `a:boots=hats`, `a:boots=hats/other`.
    """
    place, _, asked = written.partition("=")
    query, _, digest = asked.partition("/")
    file, _, rest = place.partition(":")
    case, _, variant = rest.partition("[")
    return KeyedCase(
        CaseKey(file, case, variant.removesuffix("]") or None),
        identity_of(query or "boots", {"n": 1}, "" if digest == "?" else digest or "j"),
    )


def name(key: CaseKey) -> str:
    variant = f"[{key.variant}]" if key.variant else ""
    return f"{key.file}:{key.id}{variant}"


def moves(gone: str, new: str) -> Moves:
    return find_moves(map(keyed, gone.split()), map(keyed, new.split()))


@pytest.mark.parametrize(
    ("gone", "new", "moved"),
    [
        ("a:boots", "a:see", {"a:see": "a:boots"}),
        ("a:boots", "b:boots", {"b:boots": "a:boots"}),
        ("a:boots", "b:see", {"b:see": "a:boots"}),
        ("a:x[bm25] a:x[knn]", "a:y[bm25] a:y[knn]", {"a:y[bm25]": "a:x[bm25]", "a:y[knn]": "a:x[knn]"}),
        ("a:x a:y", "b:x b:y", {"b:x": "a:x", "b:y": "a:y"}),
        ("a:x=hats a:y=belts", "a:z=hats a:w=belts", {"a:z": "a:x", "a:w": "a:y"}),
        ("a:x[old]", "a:x[new]", {"a:x[new]": "a:x[old]"}),
        ("a:x", "a:x[new]", {"a:x[new]": "a:x"}),
        ("a:x[old]=boots/then", "a:x[new]=boots/now", {"a:x[new]": "a:x[old]"}),
        ("a:x[bm25] a:x[old]", "a:y[bm25] a:y[new]", {"a:y[bm25]": "a:x[bm25]", "a:y[new]": "a:x[old]"}),
        ("a:x[old] b:y[old]", "a:x[new] b:y[new]", {"a:x[new]": "a:x[old]", "b:y[new]": "b:y[old]"}),
        ("a:1=hats a:2", "a:1=new a:2=hats a:3", {"a:2": "a:1", "a:3": "a:2"}),
        ("a:1 a:2=hats", "a:1=hats a:2", {"a:1": "a:2", "a:2": "a:1"}),
    ],
)  # fmt: skip
def test_a_case_was_moved(gone: str, new: str, moved: dict[str, str]) -> None:
    found = moves(gone, new)
    assert {name(now): name(then) for now, then in found.moved.items()} == moved
    assert found.unclear == []


@pytest.mark.parametrize(
    ("gone", "new"),
    [
        ("a:boots", "a:see=hats"),  # another query
        ("a:boots", "a:boots=hats"),
        ("a:boots", "a:see=boots/other"),  # other judgments
        ("a:boots=boots/?", "a:see=boots/?"),  # which nobody knows
        ("", "a:see"),
        ("a:boots", ""),
    ],
)
def test_a_case_was_not_moved(gone: str, new: str) -> None:
    assert moves(gone, new) == Moves()


@pytest.mark.parametrize(
    ("gone", "new", "unclear"),
    [
        ("a:x a:y", "a:see", ["a:see"]),
        ("a:x", "a:see b:see", ["a:see", "b:see"]),
        ("a:x a:y", "b:see b:look", ["b:see", "b:look"]),
        ("a:x b:y", "a:see", ["a:see"]),
        ("a:x[one] a:x[two]", "a:x[three] a:x[four]", ["a:x[three]", "a:x[four]"]),
        ("a:x", "a:x[one] a:x[two]", ["a:x[one]", "a:x[two]"]),
    ],
)
def test_what_is_ambiguous_is_not_guessed(
    gone: str, new: str, unclear: list[str]
) -> None:
    found = moves(gone, new)
    assert found.moved == {}
    assert [name(key) for key in found.unclear] == unclear
