"""A reader of the HTML report: headless Chromium, and what a person does with a page in
it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from selenium.webdriver.remote.webelement import WebElement

Found = TypeVar("Found")

CHROMIUM, DRIVER = map(shutil.which, ("chromium", "chromedriver"))
"""The programs of Debian's packages `chromium` and `chromium-driver`; None where they
are not on the PATH.
"""

_FLAGS = (
    *(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
    ),
    *(
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
    ),
    "--hide-scrollbars",
)
_PATIENCE = 5.0  # seconds

_VISIBLE_TEXTS = """
    return [...document.querySelectorAll(arguments[0])]
        .filter((element) => element.checkVisibility())
        .map((element) => element.innerText);
"""

_SCROLLED_TO = """
    const [selector, text] = arguments;
    const begins = (element) => element.checkVisibility() && element.innerText.trim().startsWith(text);
    const found = [...document.querySelectorAll(selector)].find((element) => text === "" || begins(element));
    found?.scrollIntoView({block: "center"});
    return found ?? null;
"""


def start_chromium(profile: Path) -> Any:
    """Start Chromium with a profile of its own in an empty folder."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    return webdriver.Chrome(options=options, service=Service(str(DRIVER)))


class Reader:
    """A person in front of a browser window. A page is opened from the disk, and
    nothing of earlier pages is kept.
    """

    def __init__(self, driver: Any, downloads: Path) -> None:
        self.driver = driver
        self.downloads = downloads
        self.pages: set[str] = set()
        self.command(
            "Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads)
        )
        self.resize(1280, 900)
        self.prefer("light")

    def open(self, page: Path, fragment: str = "", *, scripts: bool = True) -> None:
        """Open a page in a fresh window, as a browser does that runs scripts or does
        not.
        """
        self.driver.get("about:blank")
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.pages.add(page.as_uri())
        self.driver.get(page.as_uri() + fragment)
        if scripts:
            self.wait(
                lambda: self.script(
                    "return !document.getElementById('controls').hidden"
                )
            )

    def leave(self) -> None:
        """Leave the page, and have the browser forget all that it keeps for pages from
        the disk.
        """
        self.command("Emulation.setScriptExecutionDisabled", value=False)
        if self.driver.current_url.startswith("file:"):
            self.script("localStorage.clear()")

    def reload(self) -> None:
        """Reload the page."""
        self.driver.refresh()
        self.wait(
            lambda: self.script("return !document.getElementById('controls').hidden")
        )

    def command(self, name: str, **parameters: object) -> Mapping[str, Any]:
        """Send a command of the Chrome DevTools Protocol."""
        answer: Mapping[str, Any] = self.driver.execute_cdp_cmd(name, parameters)
        return answer

    def script(self, code: str, *arguments: object) -> Any:
        """Run JavaScript in the page."""
        return self.driver.execute_script(code, *arguments)

    def wait(self, condition: Callable[[], Found]) -> Found:
        """Wait until a condition gives something true, and return that."""
        from selenium.webdriver.support.wait import WebDriverWait

        found: Found = WebDriverWait(self.driver, _PATIENCE, poll_frequency=0.02).until(
            lambda _: condition()
        )
        return found

    def resize(self, width: int, height: int) -> None:
        """Give the window a size in CSS pixels."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, scheme: str, medium: str = "screen") -> None:
        """Prefer the `light` or `dark` scheme of colours; the medium is `screen` or
        `print`.
        """
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", media=medium, features=features)

    def element(self, selector: str) -> WebElement:
        """The first element that a CSS selector finds."""
        found: WebElement = self.driver.find_element("css selector", selector)
        return found

    def texts(self, selector: str) -> list[str]:
        """The text of each visible element that a CSS selector finds."""
        found: list[str] = self.script(_VISIBLE_TEXTS, selector)
        return found

    def text(self, selector: str) -> str:
        """The text of the only visible element that a CSS selector finds."""
        (found,) = self.texts(selector)
        return found

    @property
    def everything(self) -> str:
        """The whole visible text of the page."""
        return str(self.script("return document.body.innerText"))

    def attribute(self, selector: str, name: str) -> str:
        """An attribute of the first element that a CSS selector finds."""
        return str(self.element(selector).get_dom_attribute(name))

    def click(self, selector: str, text: str = "") -> None:
        """Click the first element that a CSS selector finds; with `text`, the first
        whose text begins so.
        """
        target = self.script(_SCROLLED_TO, selector, text)
        assert target is not None, f"nothing to click: {selector} {text}"
        target.click()

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is. Some have names:
        Enter, Escape.
        """
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        named = {"Enter": Keys.ENTER, "Escape": Keys.ESCAPE, "Tab": Keys.TAB}
        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(
                named.get(key, key)
            ).perform()

    def type(self, text: str) -> None:
        """Type into the search."""
        self.element("#search").send_keys(text)

    def choose(self, name: str, label: str) -> None:
        """Choose an option of one of the selects above the list."""
        from selenium.webdriver.support.select import Select

        Select(
            self.element(f'#controls select[aria-label="{name}"]')
        ).select_by_visible_text(label)

    @property
    def queries(self) -> list[str]:
        """The queries in the list, from top to bottom."""
        return self.texts("#list tbody .query")

    @property
    def opened(self) -> str:
        """The query that is open, or an empty text."""
        is_open = self.script("return !document.getElementById('case').hidden")
        return self.text("#case h1 bdi") if is_open else ""

    @property
    def score(self) -> float:
        """The present nDCG of the open query, at full precision."""
        return float(self.attribute("#case [data-score]", "data-score"))

    @property
    def fragment(self) -> str:
        """The fragment of the page's address, with its #."""
        return str(self.script("return location.hash"))

    def open_query(self, query: str) -> None:
        """Open a query of the list by a click on it."""
        self.click("#list tbody a.query", query)
        assert self.opened == query

    def grade_buttons(self, document: str) -> dict[str, WebElement]:
        """The buttons of the grades of a result, by grade."""
        buttons = self.driver.find_elements(
            "css selector", f'[data-document="{document}"] button[data-grade]'
        )
        return {button.get_dom_attribute("data-grade"): button for button in buttons}

    def grade(self, document: str, grade: str) -> None:
        """Grade a result by a click on the button of a grade."""
        self.click(f'[data-document="{document}"] button[data-grade="{grade}"]')

    @property
    def unjudged(self) -> list[str]:
        """The results of the open query that have buttons for grades, by their ids."""
        found: list[str] = self.script(
            "return [...document.querySelectorAll('[data-document]')]"
            ".filter((row) => row.querySelector('[data-grade]')).map((row) => row.dataset.document)"
        )
        return found

    def given(self, document: str) -> str:
        """The answer that was given for a result: a grade, `?`, or an empty text."""
        pressed = [
            grade
            for grade, button in self.grade_buttons(document).items()
            if button.get_dom_attribute("aria-pressed") == "true"
        ]
        return pressed[0] if pressed else ""

    def download(self) -> Path:
        """Download the judgments, and return the file."""
        self.click("button[data-download]")

        def complete() -> list[Path]:
            return [
                path
                for path in self.downloads.iterdir()
                if path.suffix == ".csv" and path.stat().st_size
            ]

        (path,) = self.wait(complete)
        return path

    def complaints(self) -> list[str]:
        """Messages on the console, and requests for anything but the page itself, since
        the last call.
        """
        console = [entry["message"] for entry in self.driver.get_log("browser")]
        events = [
            json.loads(entry["message"])["message"]
            for entry in self.driver.get_log("performance")
        ]
        sent = [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        return console + [f"requested {url}" for url in sent if not self._is_own(url)]

    def _is_own(self, url: str) -> bool:
        """Whether an address is that of an opened page, or of data that the page made
        itself.
        """
        return url.partition("#")[0] in self.pages or url.startswith(
            ("about:blank", "blob:")
        )
