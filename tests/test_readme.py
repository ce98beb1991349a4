"""The README is what a newcomer has: what it shows is run here, and must print what it
says.
"""

import importlib.metadata
import re
from pathlib import Path

import pytest

import tests.plugin.conftest  # noqa: F401 - it imports what runs in this process must not forget
from tests import walkthrough
from tests.walkthrough import QUIET, SHOP, assert_shown

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The width of a reader's terminal."""
    monkeypatch.setenv("COLUMNS", "100")


def blocks(language: str) -> list[str]:
    """The code blocks of the README in one language."""
    return [block.text for block in walkthrough.blocks(README, language)]


def test_the_first_screen(pytester: pytest.Pytester) -> None:
    case_file, fixture = blocks("yaml")[0], blocks("python")[0]
    pytester.path.joinpath("shop.relevance.yaml").write_text(
        case_file, encoding="utf-8"
    )
    pytester.makepyfile(my_shop=SHOP)
    pytester.makeconftest(fixture)
    pytester.syspathinsert()

    result = pytester.runpytest(*QUIET)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert_shown(blocks("text")[0], result.stdout.str())


def test_the_case_file_has_eight_lines_or_so_and_the_fixture_six() -> None:
    assert len(blocks("yaml")[0].splitlines()) <= 9
    assert len(blocks("python")[0].splitlines()) <= 6


@pytest.mark.parametrize(
    "path", ["README.md", *(f"docs/{page}" for page in walkthrough.PAGES)]
)
def test_a_search_in_an_example_is_made_once(path: str) -> None:
    """A search of function scope is called for one case after the other, whatever
    --relevance-concurrency says.
    """
    text = (ROOT / path).read_text(encoding="utf-8")
    scopes = re.findall(
        r"^ *@pytest(?:_asyncio)?\.fixture(.*)\n *(?:async )?def search\(",
        text,
        re.MULTILINE,
    )
    assert [scope for scope in scopes if 'scope="session"' not in scope] == []


def test_every_link_is_to_a_file_of_the_repository() -> None:
    links = re.findall(r"\]\(([^)]*)\)", README)
    assert len(links) >= 10
    for link in links:
        assert (ROOT / link.partition("#")[0]).is_file(), (
            f"{link}: there is no such file"
        )


def test_the_links_of_the_package_are_absolute() -> None:
    metadata = importlib.metadata.metadata("pytest-relevance")
    links = re.findall(r"\]\(([^)]*)\)", str(metadata.json["description"]))
    repository = dict(url.split(", ") for url in metadata.get_all("Project-URL", []))[
        "Repository"
    ]
    files, pictures = f"{repository}/blob/main/", f"{repository}/raw/main/docs/images/"
    assert [link for link in links if not link.startswith((files, pictures))] == []
    assert sum(link.startswith(pictures) for link in links) == 1


def test_the_pictures_are_there_with_words_for_who_does_not_see_them() -> None:
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", README)
    files = [ROOT / link for _, link in pictures]
    assert [file.name for file in files] == ["page.png"]
    assert all(len(words) > 40 for words, _ in pictures)
    assert sum(file.stat().st_size for file in files) < 300_000


def test_there_are_two_commands() -> None:
    assert len(blocks("console")) == 2
    assert all(len(command.strip().splitlines()) == 1 for command in blocks("console"))
