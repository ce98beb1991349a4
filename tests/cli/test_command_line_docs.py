"""docs/reference/commands.md: the commands that it shows are run here, and must print
what it says.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_relevance.cli import ABOUT, main
from tests.helpers import only_plugins

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "commands.md").read_text(
    encoding="utf-8"
)
FILES = re.findall(r"`([\w./-]+)`:\)?\n\n```(?:text|yaml)\n(.*?)```", TEXT, re.DOTALL)
EXAMPLES = re.findall(
    r"```console\n\$ pytest-relevance (.*?)\n(.*?)```", TEXT, re.DOTALL
)


def test_every_command_has_an_example_and_a_row() -> None:
    assert {command.split()[0] for command, _ in EXAMPLES} == set(ABOUT)
    for name, does in ABOUT.items():
        assert f"| [`{name}`](#{name}) | {does} |" in TEXT


QUIET = ("-p", "no:cacheprovider", *only_plugins())


def run_shards() -> None:
    """The suite that `init` has written, in two parts."""
    for record, chosen in (("shard-1.jsonl", "rain"), ("shard-2.jsonl", "not rain")):
        command = [
            sys.executable,
            "-m",
            "pytest",
            "relevance",
            "-k",
            chosen,
            f"--relevance-record={record}",
            *QUIET,
        ]
        subprocess.run(command, capture_output=True, check=True)


def test_the_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("PYTEST_ADDOPTS", shlex.join(QUIET))  # for `replay`
    assert len(FILES) == 6
    for name, content in FILES:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(content, encoding="utf-8")
    for command, shown in EXAMPLES:
        if command.startswith("merge "):
            run_shards()
        assert main(shlex.split(command)) == 0
        out, err = capsys.readouterr()
        printed = iter((err + out).splitlines())
        for line in shown.splitlines():
            if line != "...":
                assert line in printed, (
                    f"{command}: not printed, or not in this place: {line}"
                )
