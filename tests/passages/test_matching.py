"""When a text holds a quote."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_relevance.passages.matching import holds, quote_forms, text_forms


def is_held(text: str, quote: str, *, is_context: bool = False) -> bool:
    return holds(text_forms(text), quote_forms(quote, is_context=is_context))


TYPOGRAPHY = [
    ("He said “yes” to it", 'said "yes" to'),
    ("He said »yes« to it", 'said "yes" to'),
    ("the customer’s order", "the customer's order"),
    ("the fee — payable now — is 5", "the fee - payable now - is 5"),
    ("the fee—payable now—is 5", "payable now"),
    ("open 9–17", "open 9-17"),
    ("and so on …", "and so on..."),
    ("the ﬁrst oﬃce", "the first office"),
    ("WITHIN 30 DAYS", "within 30 days"),
    ("die Straße", "DIE STRASSE"),
    ("cafe\u0301 noir", "café noir"),
    ("Donau\u00addampf\u00adschiff", "Donaudampfschiff"),
    ("zero\u200bwidth", "zerowidth"),
    ("faulty--a rule", "faulty — a rule"),
    ("3〜5日", "3～5日"),
    ("جـمـيـل", "جميل"),
    ("CO₂ per year", "CO2 per year"),
    ("Pay with PayLater™ now", "Pay with PayLater"),
    ("step ⑤ of 9", "step 5 of"),
]

WHITE_SPACE = [
    ("within\n  30\u00a0days", "within 30 days"),
    ("within 30 days\n¸ a cedilla", "30 days"),
    ("( 5 % ) of it", "(5%) of it"),
    ("the days , as agreed", "the days, as agreed"),
    ("वापस कर सकता है । बशर्ते", "कर सकता है। बशर्ते"),
    ("三十天 内\n退货", "三十天内退货"),
    ("AI 模型", "AI模型"),
]

LINES = [
    ("all infor-\nmation is here", "all information is"),
    ("all infor- mation is here", "all information is"),
    ("all information is here", "all infor-\nmation is"),
    ("a well-\nknown name", "a well-known name"),
    ("Ein- und Ausgang", "Ein- und Ausgang"),
    ("2023-\n2024", "2023-2024"),
    ("Wör\u00ad\nter", "Wörter"),
    ("Wör\ufffeter", "Wörter"),  # PDFium
    ("a so-\ncalled infor-\nmation", "a so-called information"),
    ("Wasch- und Trocken-\nraum", "Wasch- und Trockenraum"),
    ("the year—\nmoney is infor-\nmation", "year—money is information"),
]

MARKUP = [
    ("within **30 days** of", "within 30 days of"),
    ("within __30__ _days_ of", "within 30 days of"),
    ("set `max_size` to", "set max_size to"),
    ("set **my__size** to", "set my__size to"),
    ("一人__10冊まで__です", "一人10冊までです"),
    ("see [the terms](https://x.org/a_(b)) of use", "see the terms of use"),
    ("see ![icon](i.png) here", "see here"),
    ("see [the terms][2] of use", "see the terms of use"),
    ("open <https://x.org> now", "open https://x.org now"),
    ("paid[^1] in advance[2].", "paid in advance."),
    ("paid¹ in advance.² Then", "paid in advance. Then"),
    ("paid<sup>1</sup> in", "paid in"),
    ("paid[1](#n1) in", "paid in"),
    ("It was paid\\.3 Then", "It was paid. Then"),
    ("It was paid.3 Then", "It was paid. Then"),
    ("Term\n: what it is", "Term what it is"),
    ("# Returns\n\n> Within 30 days", "Returns within 30 days"),
    ("> > Within 30\n> > days", "Within 30 days"),
    ("- one\n- two\n* [x] three", "one two three"),
    ("| a | b |\n|---|:-:|\n| 5 GB | 10 € |", "a b 5 GB 10 €"),
    ("Terms &amp; conditions&nbsp;apply", "Terms & conditions apply"),
    ("5\\. May \\[sic\\]", "5. May [sic]"),
    ("one<br/>two <b>three</b>s", "one two threes"),
    ("Title\n=====\n\nText", "Title Text"),
]

OTHER_WORDS = [
    ("the returns", "return"),
    ("the returns", "turns"),
    ("करना", "कर"),
    ("कमी", "कम"),
    ("วันที่ดี", "วันที"),
    ("วันที่ดี", "\u0e48ดี"),
    ("caf\u00e9s", "caf\u00e9"),
    ("2.5 GB", "5 GB"),
    ("2,5 GB", "5 GB"),
    ("version 2.10", "version 2"),
    ("version 12", "version 1"),
    ("1,500 items", "1"),
    ("3–5 days", "5 days"),
    ("at -5 °C", "5 °C"),
    ("at −5 °C", "5 °C"),
    ("a .5 GB", "5 GB"),
    ("in 10² units", "in 10"),
    ("size 5½", "size 5"),
    ("٢٫٥ ريال", "٥ ريال"),
    ("the real-\nization of", "the real"),
    ("the real-\nization of", "the realization from"),
    ("max_size is", "size is"),
    ("max_size is", "max"),
    ("items[1] is", "items[0] is"),
    ("50 km² of", "50 km of **land**"),
    ("1'500 items", "500 items"),
    ("at 9:30", "at 9"),
    ("10² units", "102 units"),
    ("size 5½", "size 51"),
    ("第50条", "第5"),
    ("numbers 3, 4", "3,4"),
    ("max_size is", "maxsize is"),
]


@pytest.mark.parametrize(
    ("text", "quote"), [*TYPOGRAPHY, *WHITE_SPACE, *LINES, *MARKUP]
)
def test_a_text_holds_a_quote_that_only_looks_different(text: str, quote: str) -> None:
    assert is_held(text, quote)


@pytest.mark.parametrize(("text", "quote"), OTHER_WORDS)
def test_a_quote_begins_and_ends_where_words_and_numbers_do(
    text: str, quote: str
) -> None:
    assert not is_held(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("三十天内退货", "天内"),
        ("สวัสดีครับ", "สวัสดี"),
        ("30日以内", "30日"),
        ("이내에", "이내"),
        ("nพ่\n¨", "nพ่"),
        ("max_ 日本", "max"),
        ("30일이내", "30일 이내"),
    ],
)
def test_words_end_anywhere_in_scripts_without_spaces(text: str, quote: str) -> None:
    assert is_held(text, quote)


def test_a_later_place_counts_if_an_earlier_one_is_within_a_word() -> None:
    assert is_held("returns, and a return", "return")
    assert is_held("aha ha ha, infor-\nmation", "ha ha")


@pytest.mark.parametrize("quote", ["", " \n", "\u200b", "**"])
def test_nothing_holds_an_empty_quote(quote: str) -> None:
    assert not is_held("a text", quote)


CONTEXT = "The buyer may send the goods back within thirty days of their delivery."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Before. The buyer may send the goods back within. After.", True),
        ("goods back within thirty days of their delivery. After.", True),
        ("xx send the goods back within thirty days of yy", True),
        ("The buyer may send the goods xx within thirty days", False),
    ],
)
def test_half_of_a_context_is_enough(text: str, *, expected: bool) -> None:
    assert is_held(text, CONTEXT, is_context=True) is expected
    assert not is_held(text, CONTEXT)


def test_half_of_a_short_context_is_not_enough() -> None:
    assert not is_held("a text", "ab", is_context=True)
    assert not is_held("Paris is large", "Paris is a city", is_context=True)
    assert is_held("So Paris is a city.", "Paris is a city", is_context=True)


@st.composite
def words(draw: st.DrawFn) -> str:
    """A word that begins and ends with a letter or a digit, with any marks within."""
    letters = st.sampled_from(
        ["a", "B", "Ä", "ß", "5", "कि", "พ่", "日", "c\u0301", "ﬁ"]
    )
    marks = st.sampled_from(
        [*"'’“-–….,/½²*_|[](&#<", "\u00ad", "\u200b", "&amp;", "\\"]
    )
    middle = st.lists(st.one_of(letters, marks), max_size=5)
    return draw(letters) + "".join(draw(middle)) + draw(letters)


SPACES = st.sampled_from(
    [" ", "\n", "\u00a0", " - ", "-\n", ", ", " | ", " *", "_ ", " [1] "]
)


@given(st.lists(st.tuples(words(), SPACES), min_size=1, max_size=12), st.data())
def test_a_text_holds_what_is_cut_from_it_between_words(
    pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(pairs) - 1))
    end = data.draw(st.integers(start, len(pairs) - 1))
    assume("-\n" not in (pairs[start - 1][1], pairs[end][1]))  # a part of a word
    quote = "".join(word + space for word, space in pairs[start:end]) + pairs[end][0]
    assert is_held("".join(word + space for word, space in pairs), quote)


@given(st.text(max_size=20), words(), st.text(max_size=20))
def test_texts_around_a_sentence_change_nothing(
    before: str, word: str, after: str
) -> None:
    # a hyphen or a dash at the end of a line may join a word or a number with the next
    assume(
        unicodedata.category(f" {before.strip()}"[-1]) not in ("Pd", "Cf", "Cn", "Sm")
    )
    assert is_held(f"{before}\n\n{word}\n\n{after}", word)
