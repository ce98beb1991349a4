"""A summary that has at most so many lines."""

from pytest_relevance.reports.blocks import CommandLine, Sentence
from pytest_relevance.reports.cells import Column
from pytest_relevance.reports.parts import Part, lines_of_parts
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.reports.table import Table
from tests.helpers import block


def sentences(word: str, count: int) -> list[Sentence]:
    return [Sentence(f"{word} {number}") for number in range(1, count + 1)]


def text_of(*, most: int | None, turns: str = "suites errors", **parts: Part) -> str:
    return plain_text(lines_of_parts(parts, turns.split(), 40, most)) + "\n"


ERRORS = Part(sentences("error", 9), least=2)
SUITES = Part(sentences("suite", 9), least=0)


def test_what_fits_is_whole() -> None:
    assert text_of(errors=ERRORS, most=9).count("error") == 9
    assert text_of(errors=ERRORS, suites=SUITES, most=None).count("\n") == 18


def test_each_part_gives_way_in_its_turn_down_to_what_it_keeps() -> None:
    assert text_of(errors=ERRORS, suites=SUITES, most=8) == block("""
        error 1
        error 2
        error 3
        error 4
        error 5
        error 6
            and 3 more
        (shortened: -v shows all)
    """)


def test_a_table_says_how_many_of_its_rows_are_shown() -> None:
    table = Table([Column()], title="worst")
    for number in range(44):
        table.add(f"query {number}")
    worst = Part([table], least=2)
    shown = text_of(worst=worst, errors=ERRORS, turns="worst errors", most=13)
    assert shown.startswith("worst (first 2 of 44)\nquery 0\nquery 1\nerror 1\n")


def test_long_sentences_are_cut_and_commands_are_not() -> None:
    long = Sentence("word " * 40)
    command = CommandLine("judge", "pytest " + "--option " * 10, "what it does")
    words = Part([long] * 3, least=3)
    steps = Part([command], least=1)
    lines = text_of(words=words, steps=steps, turns="words steps", most=9).splitlines()
    assert sum(line.startswith("word") for line in lines) == 3
    assert all(line.endswith(" ...") for line in lines if line.startswith("word"))
    assert lines[-3].startswith("judge    pytest --option")
    assert lines[-2] == "         # what it does"


def test_whatever_is_asked_for_there_are_not_more_lines() -> None:
    kept = Part(sentences("kept", 9), least=9)
    assert (
        text_of(kept=kept, errors=ERRORS, turns="kept errors", most=5).count("\n") <= 5
    )
