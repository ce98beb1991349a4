"""How many quotes the rule of passages finds in what loaders and splitters make of
documents: `python benchmarks/passages.py [NAME ...] [--pairs N]`.

The documents of `passage_documents.py` become files, loaders read the files, splitters
cut what they read. A pair is a quote and the chunks of one loader and one splitter. It
counts if a chunk has the letters and digits of the quote in their order, whatever the
rule says of it: `has` decides that. The peer compares after Unicode's form NFKC, with
one space for all white space. `--pairs N` makes N / 5 pairs of runs.

Needs the extra `bench-passages`. (NLTK, which llama-index-core brings, reads no files
with several links: `uv` has to install it with `--link-mode=copy`.)
"""

from __future__ import annotations

import io
import json
import logging
import re
import textwrap
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import chonkie
import docx
import docx2txt
import html2text
import mammoth
import markdownify
import pymupdf
import pypdf
import pypdfium2
import pyphen
from bs4 import BeautifulSoup, NavigableString, Tag
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core.node_parser import SentenceSplitter
from markdown_it import MarkdownIt
from passage_documents import CHINESE, DOCUMENTS, HOSTILE, RENT, SHOP, Document
from pdfminer.high_level import extract_text
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph
from semantic_text_splitter import TextSplitter
from suite import OURS, Figure, Measurements, Runner, main, spread

from pytest_relevance.passages.matching import holds, quote_forms, text_forms
from pytest_relevance.passages.near_misses import near_miss

ROOT = Path(__file__).parent.parent
CHUNK = 700
"""Characters of a chunk."""


# Files


def make_html(document: Document) -> bytes:
    return document.text.encode()


def make_text(document: Document) -> bytes:
    """Plain text in lines, as in mails and old manuals, with [1] for footnotes."""
    soup = BeautifulSoup(document.text, "lxml")
    for mark in soup.find_all("sup"):
        if mark.a:
            mark.replace_with(f"[{mark.get_text()}]")
    width = 36 if document.language == "Chinese" else 72
    paragraphs = []
    for element in soup.find_all(["h1", "h2", "p"]):
        text = " ".join(element.get_text().split())
        paragraphs.append(textwrap.fill(text, width))
    return "\n\n".join(paragraphs).encode()


def make_docx(document: Document) -> bytes:
    """A file of Word: headings, paragraphs, lists and tables, with runs."""
    word = docx.Document()
    body = BeautifulSoup(document.text, "lxml").body
    for element in body.find_all(["h1", "h2", "p", "li", "dt", "dd", "table"]):
        if element.name == "table":
            rows = element.find_all("tr")
            table = word.add_table(len(rows), len(rows[0].find_all(["th", "td"])))
            for row, cells in zip(rows, table.rows, strict=True):
                texts = row.find_all(["th", "td"])
                for text, cell in zip(texts, cells.cells, strict=True):
                    cell.text = text.get_text()
            continue
        styles = {"h1": "Heading 1", "h2": "Heading 2", "li": "List Bullet"}
        paragraph = word.add_paragraph(style=styles.get(element.name))
        for child in element.children:
            add_run(paragraph, child)
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


def add_run(paragraph: docx.text.paragraph.Paragraph, child: Tag | NavigableString):
    run = paragraph.add_run(re.sub(r"[ \n]+", " ", child.get_text()))
    run.bold = child.name in ("b", "strong")
    run.italic = child.name in ("i", "em")
    run.font.superscript = child.name == "sup"
    run.font.subscript = child.name == "sub"
    if child.name == "br":
        run.add_break()


def make_pdf(document: Document) -> bytes:
    return story(document.text, columns=1)


HYPHENATION = {"English": "en_GB", "German": "de_DE"}


def make_columns_of_html(document: Document) -> bytes:
    """Two columns by MuPDF, with ligatures, hyphenated at soft hyphens."""
    hyphenation = pyphen.Pyphen(lang=HYPHENATION[document.language])

    def with_soft_hyphens(word: re.Match[str]) -> str:
        return hyphenation.inserted(word[0], "\u00ad")

    soup = BeautifulSoup(document.text, "lxml")
    for text in soup.find_all(string=True):
        text.replace_with(
            NavigableString(re.sub(r"[^\W\d_]{6,}", with_soft_hyphens, text))
        )
    return story(str(soup), columns=2)


def story(html: str, columns: int) -> bytes:
    """A PDF by MuPDF, in one or two columns."""
    css = "p { text-align: justify; font-size: 10pt } nav, title { display: none }"
    page, margin, gap = pymupdf.paper_rect("a5"), 40, 16
    width = (page.width - 2 * margin - gap * (columns - 1)) / columns
    text, stream, more = pymupdf.Story(html, user_css=css), io.BytesIO(), True
    writer = pymupdf.DocumentWriter(stream)
    while more:
        device = writer.begin_page(page)
        for column in range(columns):
            left = margin + column * (width + gap)
            area = pymupdf.Rect(left, margin, left + width, page.height - margin)
            if more:
                more, _ = text.place(area)
                text.draw(device)
        writer.end_page()
    writer.close()
    return stream.getvalue()


def make_columns(document: Document) -> bytes:
    """Two columns by ReportLab, hyphenated, with a running head and page numbers."""
    width, height = A4
    frames = [Frame(left, 60, 205, height - 430) for left in (65, 325)]
    style = ParagraphStyle(
        "body",
        fontName="Times-Roman",
        alignment=4,
        hyphenationLang=HYPHENATION[document.language],
        spaceAfter=6,
    )

    def head(canvas: object, _: object) -> None:
        canvas.setFont("Times-Roman", 8)
        canvas.drawString(65, height - 40, document.name)
        canvas.drawCentredString(width / 2, 30, str(canvas.getPageNumber()))

    paragraphs = []
    for element in BeautifulSoup(document.text, "lxml").find_all(["h1", "h2", "p"]):
        inside = " ".join(element.decode_contents().split())
        paragraphs.append(Paragraph(inside, style))
    stream = io.BytesIO()
    template = BaseDocTemplate(
        stream, pagesize=A4, pageTemplates=[PageTemplate(frames=frames, onPage=head)]
    )
    template.build(paragraphs)
    return stream.getvalue()


MAKERS: dict[str, Callable[[Document], bytes]] = {
    "HTML": make_html,
    "Markdown": make_html,
    "text": make_text,
    "DOCX": make_docx,
    "PDF": make_pdf,
    "PDF, two columns": make_columns,
    "PDF, two columns, ligatures": make_columns_of_html,
}


# Loaders


def by_pypdf(data: bytes) -> str:
    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    return "\n".join(page.extract_text() for page in pages)


def by_pymupdf(data: bytes) -> str:
    return "\n".join(page.get_text() for page in pymupdf.open("pdf", data))


def by_pdfium(data: bytes) -> str:
    pages = [page.get_textpage() for page in pypdfium2.PdfDocument(data)]
    return "\n".join(page.get_text_range() for page in pages)


def by_pdfminer(data: bytes) -> str:
    return extract_text(io.BytesIO(data))


def by_soup(data: bytes) -> str:
    return BeautifulSoup(data, "lxml").get_text()


def by_soup_with_spaces(data: bytes) -> str:
    return BeautifulSoup(data, "lxml").get_text(" ", strip=True)


def by_soup_with_lines(data: bytes) -> str:
    return BeautifulSoup(data, "lxml").get_text("\n", strip=True)


def by_html2text(data: bytes) -> str:
    return html2text.html2text(data.decode())


def by_markdownify(data: bytes) -> str:
    return markdownify.markdownify(data.decode())


def by_python_docx(data: bytes) -> str:
    """Paragraphs and tables, the cells of a row between bars, as is usual."""
    texts = []
    for part in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(part, docx.text.paragraph.Paragraph):
            texts.append(part.text)
            continue
        for row in part.rows:
            texts.append(" | ".join(cell.text for cell in row.cells))
    return "\n".join(texts)


def by_docx2txt(data: bytes) -> str:
    return docx2txt.process(io.BytesIO(data))


def by_mammoth(data: bytes) -> str:
    return mammoth.convert_to_markdown(io.BytesIO(data)).value


Loader = Callable[[bytes], str]
OF_PDF: dict[str, Loader] = {
    "pypdf": by_pypdf,
    "pymupdf": by_pymupdf,
    "pypdfium2": by_pdfium,
    "pdfminer.six": by_pdfminer,
}
LOADERS: dict[str, dict[str, Loader]] = {
    "HTML": {
        "BeautifulSoup": by_soup,
        "BeautifulSoup, spaces": by_soup_with_spaces,
        "BeautifulSoup, lines": by_soup_with_lines,
        "html2text": by_html2text,
        "markdownify": by_markdownify,
    },
    "Markdown": {"as it is": bytes.decode},
    "text": {"as it is": bytes.decode},
    "DOCX": {
        "python-docx": by_python_docx,
        "docx2txt": by_docx2txt,
        "mammoth": by_mammoth,
    },
    "PDF": OF_PDF,
    "PDF, two columns": OF_PDF,
    "PDF, two columns, ligatures": OF_PDF,
}


# Splitters


def by_langchain(text: str) -> list[str]:
    splitter = RecursiveCharacterTextSplitter(chunk_size=CHUNK, chunk_overlap=100)
    return splitter.split_text(text)


@cache
def sentence_splitter() -> SentenceSplitter:
    return SentenceSplitter(chunk_size=CHUNK // 4, chunk_overlap=25)


def by_llama_index(text: str) -> list[str]:
    return sentence_splitter().split_text(text)


def by_chonkie(text: str) -> list[str]:
    chunker = chonkie.RecursiveChunker(tokenizer="character", chunk_size=CHUNK)
    return [chunk.text for chunk in chunker.chunk(text)]


def by_semantic_text_splitter(text: str) -> list[str]:
    return TextSplitter(CHUNK, overlap=100).chunks(text)


SPLITTERS: dict[str, Callable[[str], list[str]]] = {
    "langchain": by_langchain,
    "llama-index": by_llama_index,
    "chonkie": by_chonkie,
    "semantic-text-splitter": by_semantic_text_splitter,
}


# Pairs


@dataclass(frozen=True)
class Pair:
    """A quote, and the chunks of one loader and one splitter."""

    document: Document
    format: str
    loader: str
    quote: str
    chunks: Sequence[str]

    def has(self) -> bool:
        return any(has(chunk, self.quote) for chunk in self.chunks)

    def rule(self) -> bool:
        quote = quote_forms(self.quote)
        return any(holds(text_forms(chunk), quote) for chunk in self.chunks)

    def peer(self) -> bool:
        return any(peer(chunk, self.quote) for chunk in self.chunks)


def peer(text: str, quote: str) -> bool:
    return plainly(quote) in plainly(text)


def plainly(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


@cache
def letters(text: str) -> str:
    """The letters and digits of a text, without accents, in lower case."""
    text = unicodedata.normalize("NFKD", text).casefold()
    return "".join(filter(str.isalnum, text))


@cache
def has(text: str, quote: str) -> bool:
    """Whether a reader would say that a text has a quote.

    It has at least 95 % of the letters and digits of the quote, in their order, and
    few others between them: targets of links, numbers of footnotes.
    """
    wanted, given = letters(quote), letters(text)
    if wanted in given:
        return True
    blocks = SequenceMatcher(None, given, wanted, autojunk=False).get_matching_blocks()
    blocks = [block for block in blocks if block.size >= 2]
    if not blocks:
        return False
    length = blocks[-1].a + blocks[-1].size - blocks[0].a
    common = sum(block.size for block in blocks)
    return common >= 0.95 * len(wanted) and length <= 1.5 * len(wanted) + 60


def made_pairs() -> Iterator[Pair]:
    """All pairs, also those that do not count."""
    for document in DOCUMENTS:
        for kind in document.made:
            data = MAKERS[kind](document)
            for loader, load in LOADERS[kind].items():
                text = load(data)
                for split in SPLITTERS.values():
                    chunks = split(text)
                    for quote in document.quotes:
                        yield Pair(document, kind, loader, quote, chunks)


# Measurements


def share(pairs: Sequence[Pair]) -> str:
    """What the rule and the peer find of some pairs."""
    rule = sum(pair.rule() for pair in pairs) / len(pairs)
    other = sum(pair.peer() for pair in pairs) / len(pairs)
    return f"{rule:.1%} of {len(pairs):,} (NFKC and white space: {other:.1%})"


def found(folder: Path, _: int) -> Iterator[Figure]:
    """The pairs that are found: all, by language, by format and loader."""
    made = list(made_pairs())
    counted = [pair for pair in made if pair.has()]
    yield Figure("quotes of all documents", "at least 85 %", share(counted))
    left_out = len(made) - len(counted)
    yield Figure("left out: no chunk has the quote", "", f"{left_out:,}")
    for language in dict.fromkeys(document.language for document in DOCUMENTS):
        of_language = [pair for pair in counted if pair.document.language == language]
        yield Figure(language, "", share(of_language))
    for kind, loaders in LOADERS.items():
        for loader in loaders:
            read = [
                pair for pair in counted if (pair.format, pair.loader) == (kind, loader)
            ]
            yield Figure(f"{kind}, {loader}", "", share(read))


def causes(folder: Path, _: int) -> Iterator[Figure]:
    """Each quote that is missed, with its cause."""
    missed = [pair for pair in made_pairs() if pair.has() and not pair.rule()]
    counts = Counter(
        (pair.quote, pair.format, pair.loader, cause(pair)) for pair in missed
    )
    for (quote, kind, loader, why), count in counts.most_common():
        what = f"{kind}, {loader}: {quote}".replace("|", "/")
        yield Figure(" ".join(what.split()), "", f"{why} ({count})".replace("|", "/"))


def cause(pair: Pair) -> str:
    near = near_miss([pair.quote], pair.chunks)
    if near is None:
        return "unknown"
    return f"{near.difference.value}: {near.wanted!r} is {near.found!r}"


def prose(folder: Path, _: int) -> Iterator[Figure]:
    """Sentences of this documentation as they are shown, in the Markdown files."""
    asked = ruled = plain = 0
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        forms = text_forms(text)
        for sentence in shown_sentences(text):
            asked += 1
            ruled += holds(forms, quote_forms(sentence))
            plain += peer(text, sentence)
    shares = (
        f"{ruled / asked:.1%} of {asked:,} (NFKC and white space: {plain / asked:.1%})"
    )
    yield Figure("sentences of docs/, as they are shown", "at least 95 %", shares)


def shown_sentences(markdown: str) -> list[str]:
    """The sentences of the paragraphs and list items of a Markdown file."""
    page = BeautifulSoup(MarkdownIt().enable("table").render(markdown), "lxml")
    sentences = []
    for element in page.find_all("p"):
        sentences += re.split(r"(?<=[.:])\s+", element.get_text())
    return [sentence for sentence in sentences if len(sentence) >= 40]


def hostile(folder: Path, _: int) -> Iterator[Figure]:
    """Texts that do not hold a quote, and look as if they did."""
    matched = [
        (text, quote)
        for text, quote in HOSTILE
        if holds(text_forms(text), quote_forms(quote))
    ]
    plain = [pair for pair in HOSTILE if peer(pair[0], pair[1])]
    yield Figure(
        "hostile texts that match",
        "at most 18 %",
        f"{len(matched)} of {len(HOSTILE)} (NFKC and white space: {len(plain)})",
    )
    for text, quote in matched:
        yield Figure(f"matches: {' '.join(text.split())}", "", quote)


def speed(folder: Path, _: int) -> Iterator[Figure]:
    """10,000 texts of 2,000 characters, three quotes looked up in each."""
    files = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    markdown = "\n".join(files)
    english = " ".join(BeautifulSoup(SHOP.text, "lxml").get_text().split())
    german = " ".join(BeautifulSoup(RENT.text, "lxml").get_text().split())
    chinese = BeautifulSoup(CHINESE.text, "lxml").get_text()
    sources = {
        "ASCII": english.encode("ascii", "ignore").decode(),
        "English": english,
        "German": german,
        "Chinese": chinese,
        "Markdown": markdown,
    }
    for name, source in sources.items():
        source *= 1 + 20_000 // len(source)
        step = (len(source) - 2_000) // 10_000 + 1
        starts = [number * step % (len(source) - 2_000) for number in range(10_000)]
        texts = [f"{start} {source[start : start + 2_000]}"[:2_000] for start in starts]
        quotes = [quote_forms(source[start : start + 80]) for start in (0, 999, 1_999)]
        started = time.process_time()
        for text in texts:
            forms = text_forms(text)
            for quote in quotes:
                holds(forms, quote)
        took = time.process_time() - started
        what = f"10,000 texts of 2,000 characters, 30,000 lookups, {name}: CPU seconds"
        yield Figure(what, "at most 3", f"{took:.2f}")


CONFTEST = """
import pytest
from pathlib import Path

TEXT = Path(__file__).with_name("text.md").read_text(encoding="utf-8")

@pytest.fixture(scope="session")
def search():
    def search(query):
        number = int(query.split()[-1])
        starts = range(number * 29, number * 29 + 10)
        return [
            {"id": f"doc{start}", "text": f"{start} {TEXT[start : start + 1_990]}"}
            for start in starts
        ]
    return search
"""
"""A search that returns ten texts, all different, of 2,000 characters."""


def run(folder: Path, pairs: int) -> Iterator[Figure]:
    """A run of 1,000 cases with three passages each, beside the same cases with ids."""
    files = sorted((ROOT / "docs" / "reference").glob("*.md"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    judged = {"ids": ["min_ndcg: 0.1", "cases:"], "passages": ["k: 10", "cases:"]}
    for number in range(1_000):
        start = number * 29
        case = f"  - query: query number {number}"
        judged["ids"] += [case, f"    relevant: [doc{start}, doc{start + 5}]"]
        judged["passages"] += [case, "    passages:"]
        quotes: list[str] = []
        for place in (20, 500, 1_900):
            quote = " ".join(text[start + place : start + place + 80].split()[1:-1])
            # one passage may not be a part of another
            if not any(holds(text_forms(each), quote_forms(quote)) for each in quotes):
                quotes.append(quote)
        judged["passages"] += [f"      - {json.dumps(quote)}" for quote in quotes]
    for name, lines in judged.items():
        (folder / name).mkdir()
        (folder / name / "pytest.ini").write_text("[pytest]\n")
        (folder / name / "conftest.py").write_text(CONFTEST)
        (folder / name / "text.md").write_text(text, encoding="utf-8")
        suite = folder / name / "made.relevance.yaml"
        suite.write_text("\n".join(lines) + "\n", encoding="utf-8")
    runner = Runner(folder)
    took = runner.pairs(
        max(pairs // 5, 2),
        lambda: runner.took(folder / "passages", *OURS),
        lambda: runner.took(folder / "ids", *OURS),
    )
    added = [ours.cpu - theirs.cpu for ours, theirs in took]
    what = "1,000 cases, three passages, ten texts of 2,000 characters, beside ids"
    yield Figure(f"{what}: added CPU seconds", "at most 3", spread(added))


MEASUREMENTS: Measurements = {
    function.__name__: function
    for function in (found, causes, prose, hostile, speed, run)
}


if __name__ == "__main__":
    logging.disable()  # of loaders, about fonts
    main(MEASUREMENTS, __doc__)
