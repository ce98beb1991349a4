"""Markdown read as GitHub reads it, for assertions on what its reader sees and could
click on.
"""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

OWN_TAGS = {"details", "summary", "code", "br"}
"""The elements that reports write as HTML."""

OWN_TOKENS = {
    "text",
    "code_inline",
    "strong_open",
    "strong_close",
    "softbreak",
    "html_inline",
}


HOSTILE = [
    "@team #1 GH-2",
    "[click](javascript:alert(1)) ![i](http://x/y.png)",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "<!-- not closed",
    "--> </code></summary></details> <b>",
    "` `` ``` ````",
    "a|b \\| c \\\\| d\\",
    "\n# heading\n\n- item\r\n```\n</details>",
    "www.example.com https://example.com me@example.com",
    "**bold** _it_ ~~gone~~ $x^2$ &lt;b&gt; :smile:",
    "\u202egnirts\u2066 \u200b\x1b[31m\x00\u2028",
    "[ref]: http://example.com",
    "``` | ` |",
]
"""Text of users that is markup, a mention, a link or a reference where it is not
escaped.
"""


@dataclass
class Page:
    """What Markdown came to.

    `codes` are the code spans and `blocks` the code blocks, `texts` the text outside of
    both, `tables` the cells of each table by row, as their plain text. `elements` are
    all HTML elements in it and `comments` its comments, `tokens` the kinds of
    everything within lines, `kinds` those of the blocks.
    """

    codes: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    elements: set[str] = field(default_factory=set)
    comments: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)

    @property
    def prose(self) -> str:
        """All text outside of code."""
        return "\n".join(self.texts)


class _Elements(HTMLParser):
    """The elements, comments and text of a block of HTML."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page, self._in_code = page, False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._page.elements.add(" ".join([tag, *(name for name, _ in attrs)]))
        self._in_code = tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._page.elements.add(tag)
        self._in_code = self._in_code and tag != "code"

    def handle_comment(self, data: str) -> None:
        self._page.comments.append(data.strip())

    def handle_data(self, data: str) -> None:
        if data.strip():
            (self._page.codes if self._in_code else self._page.texts).append(data)


def read(markdown: str) -> Page:
    """Read Markdown with the tables and the strikethrough of GitHub."""
    page, in_table = Page(), False
    for token in _PARSER.parse(markdown):
        page.kinds.add(token.type)
        in_table = token.type == "table_open" or (
            in_table and token.type != "table_close"
        )
        if token.type == "table_open":
            page.tables.append([])
        elif token.type == "tr_open":
            page.tables[-1].append([])
        elif token.type in ("fence", "code_block"):
            page.blocks.append(token.content)
        elif token.type == "html_block":
            _Elements(page).feed(token.content)
        elif token.type == "inline":
            _read_inline(token, page)
            if in_table:
                page.tables[-1][-1].append(
                    "".join(child.content for child in token.children or ())
                )
    return page


def _read_inline(token: Token, page: Page) -> None:
    for child in token.children or ():
        page.tokens.add(child.type)
        if child.type == "code_inline":
            page.codes.append(child.content)
        elif child.type == "html_inline":
            _Elements(page).feed(child.content)
        elif child.type == "text":
            page.texts.append(child.content)


def assert_inert(page: Page) -> None:
    """Assert that nothing that users wrote is a link, an image, HTML, a mention, a
    reference, emphasis or a heading.
    """
    assert page.tokens <= OWN_TOKENS
    assert page.elements <= OWN_TAGS
    assert page.comments == ["pytest-relevance report"]
    assert (
        not {"blockquote_open", "code_block", "hr", "ordered_list_open", "reference"}
        & page.kinds
    )
    for sign in ("@", "#", "://", "www.", "`", "~~", "[", "]", "$"):
        assert sign not in page.prose.replace("nDCG@", "").replace("P@1", ""), sign
