"""The picture of the README shows the page as it is."""

from pathlib import Path

from tests.browser.pictures import TEXT, open_picture, write_page
from tests.browser.reader import Reader
from tests.chorus import needs_chorus


@needs_chorus
def test_the_picture_is_not_older_than_what_it_shows(
    reader: Reader, tmp_path: Path
) -> None:
    """Where this fails, `python -m tests.browser.pictures` makes the picture anew."""
    assert open_picture(reader, write_page(tmp_path)) == TEXT.read_text(
        encoding="utf-8"
    )
