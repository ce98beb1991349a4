"""Changing a case file in place: what is asked for changes, and not one other byte does."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_relevance import CaseFileError
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.yaml.editing import Change, Edited, add_judgments, set_floor

Added = Mapping[str, Mapping[str, float]]
FILE = "shop.yaml"

SHOP = """\
# the shop's suite
min_ndcg: 0.5   # for all
cases:
  - query: smart watch   # the classic
    judgments:
      w1: 3   # Watch X
      'strap': 1

      # w2 is sold out
    tags: [head]

  # accessories
  - {query: "tv, 55 inch", judgments: {tv1: 2, "tv2": 1, }, min_ndcg: 0.25}
  - query: radio
    judgments: {r1: 1}
    note: |
      long
      text
  - query: nothing
    min_ndcg: null
# the end"""


def judged(text: str, added: Added, *, overwrite: bool = False) -> str:
    return add_judgments(dedent(text).encode(), FILE, added, overwrite=overwrite).data.decode()


def refused(text: str, added: Added, *, overwrite: bool = False) -> list[str]:
    with pytest.raises(CaseFileError) as caught:
        add_judgments(dedent(text).encode(), FILE, added, overwrite=overwrite)
    return str(caught.value).splitlines()


# Adding judgments


def test_judgments_are_added_below_those_that_are_there() -> None:
    after = judged(SHOP, {"smart watch": {"w2": 2, "007": 0.5}, "radio": {"r2": 0}})
    assert after == SHOP.replace("'strap': 1\n", "'strap': 1\n      w2: 2\n      \"007\": 0.5\n").replace(
        "{r1: 1}", "{r1: 1, r2: 0}"
    )


def test_in_braces_they_stand_before_a_last_comma() -> None:
    after = judged(SHOP, {"tv, 55 inch": {"a, b": 2, "no": 0}})
    assert after == SHOP.replace('"tv2": 1, }', '"tv2": 1, "a, b": 2, "no": 0, }')


def test_a_case_without_judgments_gets_the_key() -> None:
    assert judged(SHOP, {"nothing": {"a": 1}}) == SHOP.replace(
        "    min_ndcg: null\n", "    min_ndcg: null\n    judgments:\n      a: 1\n"
    )
    assert judged("cases: [{query: a}, {query: b}]", {"b": {"x": 1}}) == (
        "cases: [{query: a}, {query: b, judgments: {x: 1}}]"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", "{x: 1}"),
        ("{ }", "{x: 1 }"),
        ("{\n      }", "{x: 1\n      }"),
        ("{  # none yet\n      }", "{x: 1  # none yet\n      }"),
        ("{# none\n      }", "{x: 1 # none\n      }"),
        ("&j {}", "&j {x: 1}"),
        (
            "{\n      a: 1,   # one\n      b: 2    # two\n      }",
            "{\n      a: 1,   # one\n      b: 2, x: 1    # two\n      }",
        ),
        ("{a: [1, 2], b: {grade: 1}}", "{a: [1, 2], b: {grade: 1}, x: 1}"),
        ("{? a : 1}", "{? a : 1, x: 1}"),
        ("\n     a: 1", "\n     a: 1\n     x: 1"),
        (
            "\n    # first\n        a: 1  # one\n    # last",
            "\n    # first\n        a: 1  # one\n        x: 1\n    # last",
        ),
        ("\n      a: [0,\n        1]", "\n      a: [0,\n        1]\n      x: 1"),
        ("\n      a: {grade: 1, note: b}", "\n      a: {grade: 1, note: b}\n      x: 1"),
        ("\n      a:\n        grade: 1\n        note: b", "\n      a:\n        grade: 1\n        note: b\n      x: 1"),
        ("\n      ? a\n      : 1", "\n      ? a\n      : 1\n      x: 1"),
        (
            "\n      a:\n        grade: 1\n        note: |\n          b",
            "\n      a:\n        grade: 1\n        note: |\n          b\n      x: 1",
        ),
    ],
)
def test_every_style_of_judgments(before: str, after: str) -> None:
    text = "cases:\n  - query: q\n    judgments: {}\n    k: 3\n"
    assert judged(text.replace("{}", before), {"q": {"x": 1}}) == text.replace("{}", after)


def test_a_new_judgment_may_have_a_title() -> None:
    edited = add_judgments(SHOP.encode(), FILE, {"radio": {"r2": 3}}, titles={"radio": {"r2": "Radio: 2", "r1": "no"}})
    assert edited.data.decode() == SHOP.replace("{r1: 1}", '{r1: 1, r2: {grade: 3, title: "Radio: 2"}}')


def test_a_very_long_document_id_is_written_so_that_yaml_reads_it() -> None:
    name = "https://shop.example/" + "x" * 2000
    (case,) = parse_suite(judged("cases:\n- query: a\n", {"a": {name: 1}}).encode(), FILE).cases
    assert case.judgments == {name: 1}


def test_what_is_judged_so_already_stays_as_it_stands() -> None:
    edited = add_judgments(SHOP.encode(), FILE, {"smart watch": {"w1": 3, "strap": 1.0}, "radio": {}})
    assert edited == Edited(SHOP.encode())


def test_a_name_or_ratings_that_make_the_same_grade_stay() -> None:
    text = "scale: {good: 2, bad: 0}\ncases: [{query: a, judgments: {x: good, y: [good, bad], z: {grade: bad}}}]"
    assert judged(text, {"a": {"x": 2, "y": 1, "z": 0}}) == text


def test_another_grade_is_a_conflict_and_all_conflicts_are_said() -> None:
    assert refused(SHOP, {"smart watch": {"w1": 2, "new": 1}, "tv, 55 inch": {"tv2": 0.5}}) == [
        'shop.yaml:6:11: document "w1" is judged 3 already, and not 2; keep one of them, or overwrite the one that '
        'stands here (in case "smart watch")',
        'shop.yaml:13:55: document "tv2" is judged 1 already, and not 0.5; keep one of them, or overwrite the one that '
        'stands here (in case "tv, 55 inch")',
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{x: 1}", "{x: 3}"),
        ("{x: 1  , y: 2}", "{x: 3  , y: 2}"),
        ("{x: bad}", "{x: 3}"),
        ("{'x' : \"bad\"}", "{'x' : 3}"),
        ("{x: {grade: 1, title: T}}", "{x: {grade: 3, title: T}}"),
        ("{a: &one 1, x: *one }", "{a: &one 1, x: 3 }"),
        ("\n      x: 1   # one", "\n      x: 3   # one"),
        (
            "\n      x:\n        title: T\n        grade: bad # one",
            "\n      x:\n        title: T\n        grade: 3 # one",
        ),
    ],
)
def test_a_grade_is_overwritten_where_that_is_asked_for(before: str, after: str) -> None:
    text = "scale: {bad: 0, good: 3}\ncases:\n  - query: q\n    judgments: {}\n"
    assert judged(text.replace("{}", before), {"q": {"x": 3}}, overwrite=True) == text.replace("{}", after)


def test_several_ratings_are_not_overwritten_by_one() -> None:
    text = "cases: [{query: a, judgments: {x: [1, 2], y: {grade: [0]}, z: 1}}]"
    says = '"{}" has several ratings; change them by hand (in case "a")'.format
    assert refused(text, {"a": {"x": 3, "y": 3, "z": 3}}, overwrite=True) == [
        f"shop.yaml:1:35: document {says('x')}",
        f"shop.yaml:1:46: document {says('y')}",
    ]


def test_what_changed_is_told() -> None:
    edited = add_judgments(SHOP.encode(), FILE, {"smart watch": {"w1": 2, "w2": 1}}, overwrite=True)
    assert edited.changes == (
        Change("smart watch", "judgments", "w1", "3", "2"),
        Change("smart watch", "judgments", "w2", None, "1"),
    )


# Floors


def test_floors_are_changed_or_added() -> None:
    after = set_floor(SHOP.encode(), FILE, {"smart watch": 0.85, "tv, 55 inch": 0.3, "radio": 1, "nothing": None})
    expected = SHOP.replace("    tags: [head]\n", "    tags: [head]\n    min_ndcg: 0.85\n")
    expected = expected.replace("0.25", "0.3").replace("      text\n", "      text\n    min_ndcg: 1\n")
    assert after.data.decode() == expected
    assert [(change.case, change.old, change.new) for change in after.changes] == [
        ("smart watch", None, "0.85"),
        ("tv, 55 inch", "0.25", "0.3"),
        ("radio", None, "1"),
    ]


def test_a_floor_stands_below_the_comments_of_what_is_above_it() -> None:
    text = "cases:\n  - query: a\n    judgments:\n      x: 1\n      # no y\n    # next\n  - query: b\n"
    assert set_floor(text.encode(), FILE, {"a": 0.5}).data.decode() == text.replace(
        "# no y\n", "# no y\n    min_ndcg: 0.5\n"
    )


def test_a_floor_that_applies_already_stays() -> None:
    assert set_floor(SHOP.encode(), FILE, {"smart watch": 0.5, "tv, 55 inch": 0.25, "nothing": None}).changes == ()
    assert set_floor(SHOP.encode(), FILE, {"tv, 55 inch": 0.5}).data.decode() == SHOP.replace("0.25", "0.5")
    assert set_floor(SHOP.encode(), FILE, {"radio": None}).data.decode() == SHOP.replace(
        "      text\n", "      text\n    min_ndcg: null\n"
    )


def test_a_floor_behind_an_alias_is_written_out() -> None:
    text = "cases:\n- {query: a, min_ndcg: &f 0.5, judgments: {x: 1}}\n- {query: b, min_ndcg: *f , judgments: {x: 1}}\n"
    assert set_floor(text.encode(), FILE, {"b": 0.75}).data.decode() == text.replace("*f", "0.75")
    with pytest.raises(
        CaseFileError, match=r"^shop\.yaml:2:24: what stands here has an anchor or a tag; change it by hand"
    ):
        set_floor(text.encode(), FILE, {"a": 0.75})


def test_a_floor_that_the_reader_refuses_is_not_written() -> None:
    with pytest.raises(CaseFileError, match=r"^shop\.yaml:20:15: after the change: min_ndcg: a floor needs judgments"):
        set_floor(SHOP.encode(), FILE, {"nothing": 0.5})


# The bytes that are not touched


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_breaks_and_the_byte_order_mark_stay(line_break: str, mark: bytes) -> None:
    added = {"smart watch": {"w2": 2}, "nothing": {"👟": 1}}
    expected = judged(SHOP, added).replace("\n", line_break).encode()
    before = SHOP.replace("\n", line_break).encode()
    assert add_judgments(mark + before, FILE, added).data == mark + expected


def test_a_file_without_a_last_line_break_gets_none() -> None:
    assert judged("cases:\n  - query: a", {"a": {"x": 1}}) == "cases:\n  - query: a\n    judgments:\n      x: 1"
    assert judged("cases:\n  - query: a # c", {"a": {"x": 1}}) == "cases:\n  - query: a # c\n    judgments:\n      x: 1"


def test_indentation_is_that_of_the_case() -> None:
    text = "cases:\n-       query: a\n        judgments:\n            x: 1\n-\n   query: c\n"
    assert judged(text, {"a": {"z": 1}, "c": {"x": 1}}) == (
        "cases:\n-       query: a\n        judgments:\n            x: 1\n            z: 1\n"
        "-\n   query: c\n   judgments:\n     x: 1\n"
    )


def test_astral_characters_count_as_one() -> None:
    text = 'cases: [{query: "👟 👟", judgments: {"👟": 1}}]'
    assert judged(text, {"👟 👟": {"x": 2}}) == text.replace("1}", "1, x: 2}")


def test_the_parser_without_c_finds_the_same_places(monkeypatch: pytest.MonkeyPatch) -> None:
    added = {"smart watch": {"w2": 2}, "radio": {"👟": 1}, "nothing": {"x": 1}}
    data = b"\xef\xbb\xbf" + SHOP.encode()
    expected = add_judgments(data, FILE, added)
    monkeypatch.setitem(sys.modules, "yaml.cyaml", None)  # as where PyYAML was built without libyaml
    assert add_judgments(data, FILE, added) == expected


# Anchors, aliases and merge keys

SHARED = """\
cases:
  - &one
    query: a
    judgments: &j {x: 1}
  - <<: *one
    query: b
  - query: c
    judgments: *j
  - query: d
    judgments: {<<: *j, y: 2}
"""


def test_judgments_that_other_cases_share_are_not_changed_for_them() -> None:
    says = (
        "this case would change too, as what is changed stands behind an anchor or a merge key that it uses; write it "
        "out here first"
    )
    assert refused(SHARED, {"a": {"new": 1}}) == [
        f'shop.yaml:{place}: {says} (in case "{name}")' for place, name in (("5:5", "b"), ("7:5", "c"), ("9:5", "d"))
    ]


def test_judgments_behind_an_alias_are_not_changed() -> None:
    assert refused(SHARED, {"c": {"new": 1}}) == [
        "shop.yaml:8:16: the judgments stand behind the alias *j; change them there, or write them out in the case "
        '(in case "c")'
    ]


def test_judgments_that_come_from_a_merge_key_are_not_lost() -> None:
    assert refused(SHARED, {"b": {"new": 1}}) == [
        "shop.yaml:5:5: the case would not say what was asked for, as a part of it comes from a merge key or an alias; "
        'write that out in it first (in case "b")'
    ]


def test_a_merge_key_in_the_judgments_is_no_hindrance() -> None:
    assert judged(SHARED, {"d": {"new": 1}}) == SHARED.replace("y: 2}", "y: 2, new: 1}")
    assert judged(SHARED, {"d": {"x": 3}}, overwrite=True) == SHARED.replace("y: 2}", "y: 2, x: 3}")


def test_an_anchor_that_nobody_uses_is_no_hindrance() -> None:
    text = "cases:\n  - &c\n    query: &q a\n    judgments: &j {x: 1}\n"
    assert judged(text, {"a": {"z": 2}}) == text.replace("x: 1}", "x: 1, z: 2}")


def test_a_floor_in_a_case_that_others_merge_is_theirs_too() -> None:
    with pytest.raises(CaseFileError, match="this case would change too"):
        set_floor(SHARED.encode(), FILE, {"a": 0.5})
    after = set_floor(SHARED.encode(), FILE, {"b": 0.5}).data.decode()
    assert after == SHARED.replace("    query: b\n", "    query: b\n    min_ndcg: 0.5\n")


# What is refused


@pytest.mark.parametrize(
    ("text", "added", "says"),
    [
        (SHOP, {"smart wtch": {"x": 1}}, '1:1: there is no case "smart wtch" in the file; did you mean "smart watch"?'),
        (
            "cases: [query: a]",
            {"a": {"x": 1}},
            "1:9: this mapping has no braces; write them, so that something can be ",
        ),
        (
            "scale: [0, 3]\ncases: [{query: a}]",
            {"a": {"x": 7}},
            "2:35: after the change: judgments.x: grade 7 is off the scale, which is 0 to 3",
        ),
        (
            "params: {spare: &s {query: a}}\ncases: [*s]\n",
            {"a": {"x": 1}},
            "2:9: the case comes from an alias; write it out under cases, to change it here",
        ),
        (
            "params: {spare: &s [{query: a}]}\ncases: *s\n",
            {"a": {"x": 1}},
            "1:21: the case comes from an alias; write it out under cases",
        ),
        ("cases: [{query: a, judgments: {x: &g 1, y: *g }}]", {"a": {"x": 2}}, "1:35: what stands here has an anchor"),
        ("cases: [{query: a, qery: b}]", {"a": {"x": 2}}, '1:20: unknown key "qery" of a case; did you mean "query"?'),
    ],
)
def test_what_cannot_be_changed_is_said_with_its_place(text: str, added: Added, says: str) -> None:
    (line,) = refused(text, added, overwrite=True)
    assert line.startswith(f"shop.yaml:{says}")


def test_nothing_is_changed_where_one_thing_cannot_be() -> None:
    says = refused(SHOP, {"radio": {"r2": 1}, "no such": {"x": 1}, "smart watch": {"w1": 0}})
    assert [line.split(":")[1] for line in says] == ["1", "6"]


def test_judgments_in_files_are_not_changed(tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text("q1\ttv\n")
    (tmp_path / "judgments.csv").write_text("query,doc_id,grade\ntv,a,1\nradio,b,2\nwatch,c,3\n")
    path = tmp_path / "shop.relevance.yaml"
    text = (
        "queries: queries.tsv\njudgments: judgments.csv\ncases:\n"
        "  - query: radio\n  - {query: watch, judgments: judgments.csv}\n"
    )
    data = text.encode()
    with pytest.raises(CaseFileError) as caught:
        add_judgments(data, str(path), {"q1": {"x": 1}, "watch": {"x": 1}})
    in_case, in_file = sorted(str(caught.value).replace(str(tmp_path), "").splitlines())
    assert in_case == (
        '/queries.tsv:1: the case comes from /queries.tsv; write it out under cases, to change it here (in case "q1")'
    )
    assert in_file == (
        '/shop.relevance.yaml:5:31: the judgments stand in the file "judgments.csv"; change them there, or write them '
        'out in the case (in case "watch")'
    )
    # what a case says itself is laid over what files say
    edited = add_judgments(data, str(path), {"radio": {"b": 1, "new": 2}}, overwrite=True).data.decode()
    assert edited == text.replace("- query: radio\n", "- query: radio\n    judgments:\n      b: 1\n      new: 2\n")


# Any file

NAMES = st.sampled_from(
    ["a", "b b", "007", "no", "1e5", "x: y", "#z", "é👟", "'", '"', "a, b", "{c}", "*d", "10020#0", "http://x/y", "-"]
)
GRADES = st.integers(0, 5) | st.sampled_from([0.5, -1.25])
COMMENTS = st.sampled_from(["", " # c", "   # {x: 1}, - y", "  "])
JUDGED = st.dictionaries(NAMES, GRADES, max_size=4)


def quoted_key(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


@st.composite
def case_texts(draw: st.DrawFn, dash: str, number: int, judged: dict[str, float] | None) -> str:
    """A case in block or flow style, with judgments in block or flow style or none, with comments here and there."""
    pairs = [f"{quoted_key(name)}: {grade}" for name, grade in (judged or {}).items()]
    last = draw(st.sampled_from(["", " ", ", "] if pairs else ["", " "]))
    in_braces = f"judgments: {{{', '.join(pairs)}{last}}}"
    other = draw(st.sampled_from(["", "min_ndcg: null", "tags: [t]", "k: 5"]))
    parts = [part for part in (f"query: q{number}", in_braces if judged is not None else "", other) if part]
    if draw(st.booleans()):
        end = draw(st.sampled_from(["", " ", " ,"]))
        return f"{dash}{{{', '.join(draw(st.permutations(parts)))}{end}}}{draw(COMMENTS)}"
    pad = " " * len(dash)
    if draw(st.booleans()) and pairs:
        step = " " * draw(st.integers(1, 4))
        parts[1] = "judgments:" + draw(COMMENTS) + "".join(f"\n{pad}{step}{pair}{draw(COMMENTS)}" for pair in pairs)
    begin = draw(st.sampled_from([dash, f"{dash.rstrip()}\n{pad}"]))
    return begin + f"\n{pad}".join(f"{part}{draw(COMMENTS)}" for part in draw(st.permutations(parts)))


@st.composite
def files(draw: st.DrawFn) -> tuple[str, dict[str, dict[str, float]]]:
    """A case file, and the judgments in it."""
    judged = [draw(st.none() | JUDGED) for _ in range(draw(st.integers(1, 4)))]
    dash = draw(st.sampled_from(["- ", "  - ", "  -   "]))
    texts = [draw(case_texts(dash, number, found)) for number, found in enumerate(judged)]
    between = draw(st.sampled_from(["\n", "\n\n", "\n# between\n", "\n      # far right\n"]))
    head = draw(st.sampled_from(["", "# top\n", "min_judged: 0.5 # m\n", "---\n"]))
    tail = draw(st.sampled_from(["", "\n", "\n# end", "\nk: 7\n", "\n...\n"]))
    text = f"{head}cases:{draw(COMMENTS)}\n{between.join(texts)}{tail}"
    return text, {f"q{number}": found or {} for number, found in enumerate(judged)}


@given(file=files(), data=st.data(), overwrite=st.booleans(), crlf=st.booleans())
def test_a_file_says_what_it_said_and_what_was_added(
    file: tuple[str, dict[str, dict[str, float]]], data: st.DataObject, overwrite: bool, crlf: bool
) -> None:
    text, present = file
    before = parse_suite(text.encode(), FILE)
    text = text.replace("\n", "\r\n") if crlf else text
    added = data.draw(st.dictionaries(st.sampled_from(sorted(present)), JUDGED))
    if not overwrite:
        added = {
            name: {document: present[name].get(document, grade) for document, grade in grades.items()}
            for name, grades in added.items()
        }
    edited = add_judgments(text.encode(), FILE, added, overwrite=overwrite)
    after = parse_suite(edited.data, FILE)
    assert {case.id: case.judgments for case in after.cases} == {
        name: {**grades, **added.get(name, {})} for name, grades in present.items()
    }
    assert [(case.tags, case.k, case.min_ndcg) for case in after.cases] == [
        (case.tags, case.k, case.min_ndcg) for case in before.cases
    ]
    replaced = [change for change in edited.changes if change.old is not None]
    assert len(replaced) + sum(change.old is None for change in edited.changes) == sum(
        present[name].get(document) != grade for name, grades in added.items() for document, grade in grades.items()
    )
    if not replaced:  # every character of the file is still there, in its order
        rest = iter(edited.data.decode())
        assert all(character in rest for character in text)
    assert (b"\r" in edited.data) == (crlf and "\r" in text)
    again = add_judgments(edited.data, FILE, added)
    assert again == Edited(edited.data)


@given(file=files(), data=st.data())
def test_floors_of_any_file(file: tuple[str, dict[str, dict[str, float]]], data: st.DataObject) -> None:
    text, present = file
    relevant = sorted(name for name, grades in present.items() if any(grade > 0 for grade in grades.values()))
    assume(relevant)
    floors = data.draw(st.dictionaries(st.sampled_from(relevant), st.sampled_from([0, 0.25, 0.875, 1]), min_size=1))
    edited = set_floor(text.encode(), FILE, floors)
    after = {case.id: case for case in parse_suite(edited.data, FILE).cases}
    assert {name: after[name].min_ndcg for name in floors} == floors
    assert {name: case.judgments for name, case in after.items()} == present
    without = re.sub(r"min_ndcg: [\d.]+|min_ndcg: null", "", edited.data.decode())
    rest = iter(without)
    assert all(character in rest for character in text.replace("min_ndcg: null", ""))


# Cases that are about to get what they lack


def test_a_case_below_a_floor_gets_the_judgments_that_it_lacks() -> None:
    text = """
        min_ndcg: 0.5
        cases:
          - query: radio
          - query: tv
            min_ndcg: 0.75   # its own
    """
    after = judged(text, {"radio": {"r1": 2}, "tv": {"t1": 1}})
    expected = text.replace("- query: radio\n", "- query: radio\n            judgments:\n              r1: 2\n")
    expected = expected.replace("# its own\n", "# its own\n            judgments:\n              t1: 1\n")
    assert after == dedent(expected)


@pytest.mark.parametrize(
    ("stub", "filled"),
    [
        ("- query: tv\n  judgments:\n", "- query: tv\n  judgments:\n    t1: 1\n    t2: 0\n"),
        (
            "- query: tv\n  judgments:   # later\n    # some day\n  k: 5\n",
            "- query: tv\n  judgments:   # later\n    # some day\n    t1: 1\n    t2: 0\n  k: 5\n",
        ),
        ("- query: tv\n  judgments: null\n  k: 5\n", "- query: tv\n  judgments: \n    t1: 1\n    t2: 0\n  k: 5\n"),
        ("- {query: tv, judgments: null, k: 5}\n", "- {query: tv, judgments: {t1: 1, t2: 0}, k: 5}\n"),
        ("- {query: tv, judgments: }\n", "- {query: tv, judgments: {t1: 1, t2: 0}}\n"),
    ],
)
def test_a_blank_key_is_filled_in(stub: str, filled: str) -> None:
    head = "min_ndcg: 0.5\ncases:\n"
    assert judged(head + stub, {"tv": {"t1": 1, "t2": 0}}) == head + filled


def test_what_still_lacks_judgments_is_refused_where_it_stands() -> None:
    text = """\
        min_ndcg: 0.5
        cases:
          - query: tv
            judgments:
          - query: radio
          - query: phone
            judgments:
    """
    assert refused(text, {"tv": {"t1": 1, "t2": 0}}) == [
        f"{FILE}:5:5: the suite's min_ndcg 0.5 applies to this case, which has no judgments; add judgments, or write "
        'min_ndcg: null (in case "radio")',
        f"{FILE}:7:15: judgments: expected document: grade pairs or a judgment file, found nothing; write {{}} where "
        'there are none (in case "phone")',
    ]
    assert len(refused(text, {})) == 3


def test_what_else_is_wrong_is_refused_before_the_change() -> None:
    assert refused("cases: [{query: tv, judgments: , quary: x}]", {"tv": {"t1": 1}}) == [
        f'{FILE}:1:34: unknown key "quary" of a case; did you mean "query"? (in case "tv")'
    ]


def test_an_anchored_stub_is_for_people_to_fill_in() -> None:
    (message,) = refused("cases:\n  - query: tv\n    judgments: &a\n", {"tv": {"t1": 1}})
    assert "what stands here has an anchor or a tag; change it by hand" in message


def test_judgments_in_a_file_are_named(tmp_path: Path) -> None:
    (tmp_path / "tv.csv").write_text("query,doc_id,grade\ntv,t1,1\n", encoding="utf-8")
    data = b"cases:\n  - query: tv\n    judgments: tv.csv\n"
    with pytest.raises(CaseFileError, match=r'the judgments stand in the file "tv\.csv"; change them there'):
        add_judgments(data, str(tmp_path / FILE), {"tv": {"t2": 1}})
