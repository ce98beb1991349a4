"""The files that options of a run name: what is refused before the first search, and
what cannot be written after all.

One set of tests over the record, the worklist and both reports.
"""

from pathlib import Path

import pytest

from tests.plugin.conftest import Project, one_line

OUTPUTS = pytest.mark.parametrize("output", ["record", "unjudged", "html", "markdown"])
IS_NONE = {
    "record": "exists and is not a record of version 3 or before",
    "unjudged": "exists and is not a worklist",
    "html": "exists and is not a report",
    "markdown": "exists and is not a report",
}
FOREIGN = {
    "notes.txt": b"mine\n",
    "NOTES.md": b"# Notes\n",
    "index.html": b"<!doctype html>\n<title>Mine</title>\n",
    "data.json": b'{"kind": "mine"}',
    "shop.relevance.yaml.baseline.jsonl": b'{"kind":"pytest-relevance baseline","version":1}\n',
    "half.jsonl.gz": b"\x1f\x8bnonsense",
    "later.jsonl": b'{"kind":"pytest-relevance record","version":9}\n',
    "binary": b"\xff\xfe\0\0",
}

SEARCH = """
    import pathlib
    import pytest

    @pytest.fixture
    def search():
        def search(query):
            out = pathlib.Path(__file__).with_name("out")
            if {is_spoiled} and out.exists():
                out.rename(f"{{out}}-gone")
            return query.split()
        return search
"""


@pytest.fixture
def shop(project: Project) -> Project:
    """A case that passes, with a result that is not judged."""
    project.conftest(SEARCH.format(is_spoiled=False))
    project.cases("cases: [{query: a b, judgments: {a: 3}, min_ndcg: 0.5}]")
    return project


def refusal(project: Project, option: str) -> str:
    """The message of a run that does not begin."""
    run = project.run(option)
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "collected" not in run.text
    (message,) = [
        line for line in run.result.stderr.lines if line.startswith("ERROR: ")
    ]
    return message.removeprefix(f"ERROR: {option}: ")


NO_FOLDER = "there is no folder {}; make it, or name a file in another one"
NOT_ALLOWED = "run.out may not be written; see to its permissions, or name another file"


@OUTPUTS
def test_what_is_plain_beforehand_is_refused_before_the_first_search(
    shop: Project, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    option = f"--relevance-{output}"
    (shop.path / "folder").mkdir()
    assert refusal(shop, f"{option}=folder") == "folder is a folder; name a file in it"
    assert refusal(shop, f"{option}=") == "the name of the file is empty"
    assert refusal(shop, f"{option}=no/run.out") == NO_FOLDER.format(shop.path / "no")
    # root may write anywhere
    monkeypatch.setattr("os.access", lambda *args, **kwargs: False)
    assert refusal(shop, f"{option}=run.out") == NOT_ALLOWED


@OUTPUTS
def test_another_file_is_left_alone(shop: Project, output: str) -> None:
    for name, content in FOREIGN.items():
        (shop.path / name).write_bytes(content)
        message = f"{name} {IS_NONE[output]}; name another file"
        assert refusal(shop, f"--relevance-{output}={name}") == message
        assert (shop.path / name).read_bytes() == content


@OUTPUTS
def test_a_file_that_is_read_only_is_left_alone(shop: Project, output: str) -> None:
    option, path = f"--relevance-{output}=run.out", shop.path / "run.out"
    assert shop.run(option).code == 0
    before = path.read_bytes()
    path.chmod(0o444)
    assert refusal(shop, option) == NOT_ALLOWED
    assert path.read_bytes() == before


def all_outputs(folder: str) -> list[str]:
    """The options that write each of them to a file of its own name in a folder."""
    return [f"--relevance-{output}={folder}{output}.out" for output in IS_NONE]


def test_where_no_test_runs_nothing_is_written(shop: Project) -> None:
    for option in ("--collect-only", "--setup-plan", "--fixtures"):
        run = shop.run(*all_outputs(""), "--relevance-update", option)
        assert run.code == 0
        assert not [*shop.path.glob("*.out"), *shop.path.glob("*.baseline.jsonl")]
        for output in IS_NONE:
            why = "no case was scored" if output == "unjudged" else "no test ran"
            assert f"{output}.out is not written: {why}" in run.text.splitlines()


def test_without_a_terminal_all_is_written(shop: Project) -> None:
    run = shop.run(*all_outputs(""), "-p", "no:terminal")
    assert (run.code, run.text, run.result.stderr.str()) == (0, "", "")
    assert all((shop.path / f"{output}.out").stat().st_size > 0 for output in IS_NONE)


@pytest.mark.parametrize(
    "options", [(), ("-p", "no:terminal")], ids=["here", "no terminal"]
)
def test_what_cannot_be_written_after_all_fails_the_run(
    shop: Project, options: tuple[str, ...]
) -> None:
    """Its folder is gone when the run ends."""
    (shop.path / "out").mkdir()
    shop.conftest(SEARCH.format(is_spoiled=True))
    run = shop.run(*all_outputs("out/"), *options)
    assert run.code == pytest.ExitCode.TESTS_FAILED
    told = run.result.stderr.str() if options else run.summary
    assert one_line(told).count(NO_FOLDER.format(shop.path / "out")) == len(IS_NONE)
    if not options:
        assert run.counts == {"passed": 1}
    assert list((shop.path / "out-gone").iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_disk_that_is_full_fails_the_run(shop: Project) -> None:
    for output in IS_NONE:
        (shop.path / f"{output}.out").symlink_to("/dev/full")
    run = shop.run(*all_outputs(""))
    assert (run.code, run.counts) == (pytest.ExitCode.TESTS_FAILED, {"passed": 1})
    for output in IS_NONE:
        assert f"{output}.out cannot be written: No space left on device" in run.said
    assert [path.name for path in shop.path.iterdir() if path.suffix == ".tmp"] == []
