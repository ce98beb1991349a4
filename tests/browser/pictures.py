"""The picture of the README, a query opened in the page of a real shop:
`python -m tests.browser.pictures` makes it.

Beside the picture stands the text that it shows, and a test holds that text to the page
of today.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.browser.reader import Reader, start_chromium
from tests.chorus import CASES, write_suite
from tests.helpers import only_plugins

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "page.png"
TEXT = PICTURE.with_suffix(".txt")
_QUERY = "phone charger"


def write_page(folder: Path) -> Path:
    """Write the page of the shop after its search began to look in titles alone."""
    write_suite(folder)
    suite = folder / "acceptance" / "chorus" / CASES
    options = [
        "--rootdir",
        str(folder),
        "-q",
        "-p",
        "no:cacheprovider",
        *only_plugins(),
    ]
    for ranker, option in (
        ("any", "--relevance-update"),
        ("title", "--relevance-html=report.html"),
    ):
        command = [sys.executable, "-m", "pytest", str(suite), *options, option]
        environment = {
            **os.environ,
            "RANKER": ranker,
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "120",
        }
        run = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == (ranker == "title"), run.stdout + run.stderr
    return folder / "report.html"


def open_picture(reader: Reader, page: Path) -> str:
    """Open the query of the picture, and return what is to be read of it, without
    times.
    """
    reader.resize(1200, 820)
    reader.open(page)
    reader.open_query(_QUERY)
    return re.sub(r"[\d.]+ (ms|s)\b", r"_ \1", reader.text("#case")) + "\n"


def main() -> None:
    """Make the picture and its text anew."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        page = write_page(folder)
        driver: Any = start_chromium(folder / "profile")
        try:
            TEXT.write_text(
                open_picture(Reader(driver, folder), page), encoding="utf-8"
            )
            driver.save_screenshot(str(PICTURE))
        finally:
            driver.quit()


if __name__ == "__main__":
    main()
