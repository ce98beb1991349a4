"""The workflows of docs/howto/ci.md, and the action, run on a repository whose second
commit makes search worse.

The actions of GitHub are replaced by a few lines each, `gh`, `curl` and `pip` by
commands that record what they are called with.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
from typing import Any

import pytest
import yaml

import pytest_relevance

PAGE = (Path(__file__).parents[1] / "docs" / "howto" / "ci.md").read_text(
    encoding="utf-8"
)
STEPS, *WORKFLOWS = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
ACTION = Path(__file__).parents[1] / "action.yml"
MARK = "<!-- pytest-relevance report -->"

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not all(map(shutil.which, ("bash", "git"))),
    reason="the workflows are for Linux",
)

SEARCH = """
    import pytest

    RANKINGS = {"boots": "b1 b2", "hats": "h1 h2", "socks": "x s1", "smart watch": "w1 w2 w3"}

    @pytest.fixture
    def search():
        return lambda query: RANKINGS[query].split()
"""
SHOES = """
    min_ndcg: 0.9
    cases:
      - {query: boots, judgments: {b1: 3, b2: 1}}
      - {query: hats, judgments: {h1: 3, h2: 1}}
      - {query: socks, judgments: {s1: 3}}
"""
WATCHES = """
    min_ndcg: 0.9
    gates: [{mean: {nDCG@10: 0.8}}]
    cases: [{query: smart watch, judgments: {w1: {grade: 3, title: Orbit 2}, w2: 1, w3: 0}}]
"""

INI = "[pytest]\naddopts = -p no:cacheprovider -p pytest_relevance.plugin\n"
TEST = """\
def test_search(relevance, search):
    relevance.check("smart watch", search("smart watch"), {"w1": 3})
"""

STUB = """#!{python}
import json, os, sys

name, arguments = os.path.basename(sys.argv[0]), sys.argv[1:]
sent = [open(text.partition("@")[2], encoding="utf-8").read() for text in arguments if text.startswith("body")]
with open({log!r}, "a", encoding="utf-8") as log:
    log.write(json.dumps({{"name": name, "arguments": arguments, "sent": sent}}) + "\\n")
for part, file in json.load(open({answers!r}, encoding="utf-8")).items():
    if part in " ".join(arguments) and not sent:
        data = open(file, "rb").read()
        if "--output" in arguments:
            open(arguments[arguments.index("--output") + 1], "wb").write(data)
        else:
            sys.stdout.buffer.write(data)
        break
else:
    sys.exit(22 if name == "curl" and not sent else 0)
"""


@dataclass
class Call:
    """A call of a command that is replaced."""

    name: str
    arguments: list[str]
    sent: list[str]


class Machine:
    """A machine that runs a job, in a clone of the repository."""

    def __init__(self, folder: Path, origin: Path, branch: str) -> None:
        self.folder, self.work, self._commands = (
            folder,
            folder / "work",
            folder / "commands",
        )
        self._commands.mkdir(parents=True)
        git(folder, "clone", "--quiet", "--branch", branch, str(origin), "work")
        self._answers: dict[str, str] = {}
        self.summary = folder / "summary.md"
        log, answers = str(folder / "calls.jsonl"), str(folder / "answers.json")
        for name in ("gh", "curl", "pip"):
            (self._commands / name).write_text(
                STUB.format(python=sys.executable, log=log, answers=answers)
            )
            (self._commands / name).chmod(0o755)
        self.answer()

    def answer(self, **files: Path) -> None:
        """Have the replaced commands answer with these files, wherever an argument has
        this text in it.
        """
        self._answers |= {
            name.replace("_", "/"): str(path) for name, path in files.items()
        }
        (self.folder / "answers.json").write_text(json.dumps(self._answers))

    @property
    def calls(self) -> list[Call]:
        log = self.folder / "calls.jsonl"
        return (
            [Call(**json.loads(line)) for line in log.read_text().splitlines()]
            if log.exists()
            else []
        )

    def run(self, script: str, environment: Mapping[str, str]) -> tuple[int, str]:
        """Run a script with bash, as the runner does; return the exit code and the
        output.
        """
        path = os.pathsep.join(
            [str(self._commands), str(Path(sys.executable).parent), os.environ["PATH"]]
        )
        given = {
            "PATH": path,
            "COLUMNS": "100",
            "HOME": str(self.folder),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # looking for plugins takes a third of the time of such a run
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }
        command = ["bash", "--noprofile", "--norc", "-e", "-c", script]
        done = subprocess.run(
            command,
            cwd=self.work,
            env={**given, **environment},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr


def git(folder: Path, *arguments: str) -> None:
    identity = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "-c",
        "commit.gpgsign=false",
    ]
    subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True
    )


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with main, and branches.

    One query is worse; a file cannot be collected; the search is silent, dies after one
    query, or skips after it.
    """
    folder = tmp_path_factory.mktemp("origin")
    git(folder, "init", "--quiet", "--initial-branch=main")
    for name, text in (
        ("conftest.py", SEARCH),
        ("shoes.relevance.yaml", SHOES),
        ("smart watches.relevance.yaml", WATCHES),
        (
            "pytest.ini",
            INI,
        ),
        ("requirements.txt", "pytest-relevance\n"),
    ):
        (folder / name).write_text(dedent(text).lstrip(), encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=Search")
    git(folder, "checkout", "--quiet", "-b", "worse")
    (folder / "conftest.py").write_text(
        dedent(SEARCH).lstrip().replace("w1 w2 w3", "w3 w2"), encoding="utf-8"
    )
    git(folder, "commit", "--quiet", "--all", "--message=Boost straps")
    git(folder, "checkout", "--quiet", "-b", "broken", "main")
    (folder / "hats.relevance.yaml").write_text(
        "cases: [{query: hats, judgements: 1}]\n", encoding="utf-8"
    )
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=Break the collection")
    git(folder, "checkout", "--quiet", "-b", "silent", "main")
    (folder / "conftest.py").write_text(
        dedent(SEARCH).lstrip().replace("RANKINGS[query].split()", "[]")
    )
    git(folder, "commit", "--quiet", "--all", "--message=Empty the index")
    for branch, fault in (("dying", "1 / 0"), ("skipping", "pytest.skip('no engine')")):
        git(folder, "checkout", "--quiet", "-b", branch, "main")
        found = f'RANKINGS[query].split() if query == "boots" else {fault}'
        (folder / "conftest.py").write_text(
            dedent(SEARCH).lstrip().replace("RANKINGS[query].split()", found)
        )
        git(folder, "commit", "--quiet", "--all", "--message=Stop after one query")
    git(folder, "checkout", "--quiet", "-b", "kinds", "main")
    for name, text in (
        ("hats.relevance.yml", "cases: [{query: hats, judgments: {h1: 3}}]\n"),
        ("search cases.yaml", "cases: [{query: boots, judgments: {b1: 3}}]\n"),
        ("pytest.ini", f"{INI}relevance_files = *.relevance.y*ml *cases.yaml\n"),
        ("test_search.py", TEST),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=Name files otherwise")
    git(folder, "checkout", "--quiet", "main")
    return folder


# --- GitHub Actions -------------------------------------------------------------------


@dataclass
class Step:
    """What came of a step."""

    name: str
    code: int = 0
    output: str = ""


@dataclass
class Workflow:
    """A small runner of workflows: as much of GitHub Actions as docs/howto/ci.md and
    action.yml ask for.
    """

    jobs: Mapping[str, Any]
    origin: Path
    folder: Path
    event: str
    branch: str
    stored: dict[str, bytes] = field(default_factory=dict)
    """Files in the cache and artifacts, by name."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Of an action."""
    commit: str = "c0ffee"

    def run(
        self, job: str, matrix: Mapping[str, object] | None = None
    ) -> tuple[Machine, list[Step]]:
        """Run the steps of a job on a machine of its own."""
        name = "-".join([job, *map(str, (matrix or {}).values())])
        machine = Machine(self.folder / name, self.origin, self.branch)
        steps: list[Step] = []
        for step in self.jobs[job]["steps"]:
            if self._is_due(step, machine, failed=any(done.code for done in steps)):
                steps.append(self.step(step, machine, matrix or {}))
        return machine, steps

    def step(
        self, step: Mapping[str, Any], machine: Machine, matrix: Mapping[str, object]
    ) -> Step:
        """Run one step."""
        if "uses" in step:
            given = {
                key: self._filled(str(value), matrix)
                for key, value in step.get("with", {}).items()
            }
            ACTIONS[step["uses"].partition("@")[0]](self, machine.work, given)
            return Step(step.get("name", step["uses"]))
        environment = {
            name: self._filled(str(value), matrix)
            for name, value in step.get("env", {}).items()
        }
        github = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(machine.summary),
            "GITHUB_WORKSPACE": str(machine.work),
        }
        code, output = machine.run(
            self._filled(step["run"], matrix), {**github, **environment}
        )
        return Step(step.get("name", step["run"]), code, output)

    def _filled(self, text: str, matrix: Mapping[str, object]) -> str:
        values = {
            "github.sha": self.commit,
            "github.event.pull_request.base.sha": "c0ffee",
            "github.event.pull_request.base.sha || github.sha": "c0ffee",
            "github.token": "a-token",
            "github.repository": "shop/search",
            "github.event.number": "7",
            "github.event_name": self.event,
            **{f"matrix.{name}": str(value) for name, value in matrix.items()},
            **{f"inputs.{name}": value for name, value in self.inputs.items()},
        }
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], text)

    def _is_due(
        self, step: Mapping[str, Any], machine: Machine, *, failed: bool
    ) -> bool:
        conditions = (
            str(step.get("if", "success()"))
            .removeprefix("${{ ")
            .removesuffix(" }}")
            .split(" && ")
        )
        holds = {
            "success()": not failed,
            "!cancelled()": True,
            "inputs.comment == 'true'": self.inputs.get("comment") == "true",
            **{
                f"github.event_name == '{event}'": event == self.event
                for event in ("push", "pull_request")
            },
        }
        for condition in conditions:
            if file := re.fullmatch(r"hashFiles\('(.*)'\) != ''", condition):
                holds[condition] = (machine.work / file[1]).exists()
        return all(holds[condition] for condition in conditions)


def _keep(workflow: Workflow, work: Path, given: Mapping[str, str]) -> None:
    for pattern in given["path"].split():
        files = [
            file
            for path in work.glob(pattern)
            for file in (path, *path.rglob("*"))
            if file.is_file()
        ]
        workflow.stored |= {
            file.relative_to(work).as_posix(): file.read_bytes() for file in files
        }


def _restore(workflow: Workflow, work: Path, given: Mapping[str, str]) -> None:
    for name, data in workflow.stored.items():
        if name == given["path"] or name.startswith(f"{given['path']}/"):
            (work / name).parent.mkdir(exist_ok=True)
            (work / name).write_bytes(data)


def _download(workflow: Workflow, work: Path, given: Mapping[str, str]) -> None:
    for name, data in workflow.stored.items():
        if name.startswith(given["pattern"].removesuffix("*")):
            (work / name).write_bytes(data)


def _nothing(workflow: Workflow, work: Path, given: Mapping[str, str]) -> None:
    """The machine has the repository and Python already."""


ACTIONS: Mapping[str, Callable[[Workflow, Path, Mapping[str, str]], None]] = {
    "actions/checkout": _nothing,
    "actions/setup-python": _nothing,
    "actions/cache/save": _keep,
    "actions/cache/restore": _restore,
    "actions/upload-artifact": _keep,
    "actions/download-artifact": _download,
}


def by_name(steps: Sequence[Step]) -> dict[str, Step]:
    return {step.name: step for step in steps}


def workflow(number: int) -> Mapping[str, Any]:
    jobs: Mapping[str, Any] = yaml.safe_load(WORKFLOWS[number])["jobs"]
    return jobs


@pytest.fixture(scope="module")
def main_record(
    origin: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """What the job of main keeps. The first run fails for a query that is below its
    floor, the second expects that.
    """
    stored: dict[str, bytes] = {}
    for failed in ({"Run main": 1}, {}):
        on_main = Workflow(
            workflow(0), origin, tmp_path_factory.mktemp("main"), "push", "main", stored
        )
        machine, steps = on_main.run("record-main")
        assert {step.name: step.code for step in steps if step.code} == failed, steps
        assert machine.calls == [Call("pip", ["install", "-r", "requirements.txt"], [])]
    return stored


def test_there_are_three_workflows_that_parse() -> None:
    assert [list(yaml.safe_load(block)) for block in WORKFLOWS[:3]] == [
        ["name", True, "jobs"],  # `on`, in YAML 1.1
        ["name", True, "jobs"],
        ["default", "relevance-main", "relevance-fetch", "relevance", "relevance-note"],
    ]
    assert workflow(0)["record-main"]["if"] == "github.event_name == 'push'"
    assert workflow(0)["pull-request"]["if"] == "github.event_name == 'pull_request'"


def test_every_job_of_github_has_as_few_permissions_as_it_needs() -> None:
    jobs = {
        name: job["permissions"]
        for number in (0, 1)
        for name, job in workflow(number).items()
    }
    assert jobs.pop("pull-request") == {"contents": "read", "pull-requests": "write"}
    assert list(jobs.values()) == [{"contents": "read"}] * 3


def test_no_clone_of_github_has_the_token() -> None:
    jobs = [job for number in (0, 1) for job in workflow(number).values()]
    clones = [
        step
        for job in jobs
        for step in job["steps"]
        if step.get("uses", "").startswith("actions/checkout")
    ]
    assert [step["with"] for step in clones] == [{"persist-credentials": False}] * 4
    has_token = [
        step["name"]
        for job in jobs
        for step in job["steps"]
        if "github.token" in str(step.get("env"))
    ]
    assert has_token == ["Comment"]


def test_a_pull_request_that_makes_search_worse(
    origin: Path, main_record: dict[str, bytes], tmp_path: Path
) -> None:
    pull_request = Workflow(
        workflow(0), origin, tmp_path, "pull_request", "worse", dict(main_record)
    )
    machine, steps = pull_request.run("pull-request")
    done = by_name(steps)
    assert {name: step.code for name, step in done.items() if step.code} == {
        "Run the branch": 1
    }
    assert (
        "::error file=smart watches.relevance.yaml,line=3,title=Got worse%3A smart watch::"
        in done["Run the branch"].output
    )

    posted = machine.calls[-1]
    assert posted.arguments[:4] == [
        "api",
        "--method",
        "POST",
        "repos/shop/search/issues/7/comments",
    ]
    assert posted.sent[0].startswith(f"{MARK}\n### \u274c Search got worse: 1 query\n")
    assert "Orbit 2" in posted.sent[0]
    assert "1 failed before" in posted.sent[0]
    assert "`socks`" not in posted.sent[0]
    listed = machine.calls[-2].arguments
    assert listed[:3] == ["api", "--paginate", "repos/shop/search/issues/7/comments"]
    assert f'startswith("{MARK}")' in listed[-1]

    assert pull_request.stored.keys() == {
        "main.jsonl.gz",
        "relevance.html",
        "branch.jsonl.gz",
    }
    assert pull_request.stored["relevance.html"].startswith(b"<!doctype html>")
    summary = machine.summary.read_text(encoding="utf-8")
    assert summary.startswith(MARK)
    assert summary.count("### ") == 1

    # the next push: the comment is there already
    (tmp_path / "id").write_text("4711\n")
    machine.answer(issues_7_comments=tmp_path / "id")
    (comment,) = (
        step
        for step in workflow(0)["pull-request"]["steps"]
        if step.get("name") == "Comment"
    )
    assert pull_request.step(comment, machine, {}).code == 0
    updated = machine.calls[-1]
    assert updated.arguments[:4] == [
        "api",
        "--method",
        "PATCH",
        "repos/shop/search/issues/comments/4711",
    ]
    assert updated.sent == posted.sent


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq filters as gh does")
def test_the_comment_is_known_by_its_author_and_its_first_line() -> None:
    (comment,) = (
        step
        for step in workflow(0)["pull-request"]["steps"]
        if step.get("name") == "Comment"
    )
    (expression,) = re.findall(r'--jq "(.*)" \|', comment["run"])
    expression = expression.replace('\\"', '"').replace("$marker", MARK)
    comments = [
        {"id": 1, "user": {"type": "User"}, "body": f"{MARK}\ncopied"},
        {"id": 2, "user": {"type": "Bot"}, "body": f"Other\n{MARK}"},
        {"id": 3, "user": {"type": "Bot"}, "body": f"{MARK}\n### Search got worse"},
    ]
    found = subprocess.run(
        ["jq", "-r", expression],
        input=json.dumps(comments),
        capture_output=True,
        text=True,
    )
    assert (found.stdout, found.stderr) == ("3\n", "")


@pytest.mark.parametrize(
    ("has_record", "mark"),
    [(True, "\u2705"), (False, "\u274c")],
    ids=["record", "none"],
)
def test_a_pull_request_that_changes_nothing_is_green_where_main_has_a_record(
    origin: Path,
    main_record: dict[str, bytes],
    tmp_path: Path,
    has_record: bool,
    mark: str,
) -> None:
    stored = dict(main_record) if has_record else {}
    pull_request = Workflow(
        workflow(0), origin, tmp_path, "pull_request", "main", stored
    )
    machine, steps = pull_request.run("pull-request")
    assert {step.name for step in steps if step.code} == (
        set() if has_record else {"Run the branch"}
    )
    assert machine.calls[-1].sent[0].startswith(f"{MARK}\n### {mark} ")


@pytest.mark.skipif(
    not ACTION.is_file(), reason="the source distribution does not have it"
)
def test_the_action_keeps_the_record_of_main_and_fails_what_got_worse(
    origin: Path, tmp_path: Path
) -> None:
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    assert yaml.safe_load(STEPS)[-1] == {
        "uses": f"pytest-relevance/pytest-relevance@v{pytest_relevance.__version__}"
    }
    stored: dict[str, bytes] = {}
    inputs = {name: str(given["default"]) for name, given in action["inputs"].items()}
    runs = [
        ("push", "main", 1),
        ("pull_request", "main", 0),
        ("pull_request", "worse", 1),
    ]
    for number, (event, branch, code) in enumerate(runs):
        job = Workflow(
            {"relevance": action["runs"]},
            origin,
            tmp_path / str(number),
            event,
            branch,
            stored,
            inputs,
        )
        machine, steps = job.run("relevance")
        assert [step.code for step in steps if step.name == "Run the cases"] == [
            code
        ], steps
        assert [step.name for step in steps if step.code] == ["Run the cases"] * code
        assert [call.name for call in machine.calls] == (
            ["gh", "gh"] if event == "pull_request" else []
        )
    assert stored.keys() == {
        "relevance-main.jsonl.gz",
        "relevance-branch.jsonl.gz",
        "relevance.html",
    }
    assert (
        machine.calls[-1]
        .sent[0]
        .startswith(f"{MARK}\n### \u274c Search got worse: 1 query\n")
    )


@pytest.mark.parametrize(
    ("branch", "way"),
    [
        ("broken", "workflow"),
        ("silent", "action"),
        ("silent", "GitLab"),
        ("dying", "workflow"),
        ("dying", "action"),
        ("dying", "GitLab"),
        ("skipping", "workflow"),
    ],
)
def test_a_record_that_is_not_fit_to_be_compared_with_is_not_kept(
    origin: Path, main_record: dict[str, bytes], tmp_path: Path, branch: str, way: str
) -> None:
    if way == "GitLab":
        on_gitlab = Machine(tmp_path, origin, branch)
        assert gitlab_job("relevance-main", on_gitlab)[0] == 1
        assert artifacts_of("relevance-main", on_gitlab) == {}
        return
    if way == "action" and not ACTION.is_file():
        pytest.skip("the source distribution does not have it")
    job = (
        workflow(0)["record-main"]
        if way == "workflow"
        else yaml.safe_load(ACTION.read_text("utf-8"))["runs"]
    )
    stored = dict.fromkeys(
        ("main.jsonl.gz", "relevance-main.jsonl.gz"), main_record["main.jsonl.gz"]
    )
    inputs = {"arguments": "", "comment": "true"}
    _, steps = Workflow(
        {"main": job}, origin, tmp_path, "push", branch, stored, inputs
    ).run("main")
    failed = [step.name for step in steps if step.code]
    if branch == "skipping":  # a skip fails nothing
        assert failed == []
    else:
        assert failed in (["Run main"], ["Run the cases"])
    assert {data for name, data in stored.items() if "main" in name} == {
        main_record["main.jsonl.gz"]
    }


def test_shards_and_their_merge(
    origin: Path, main_record: dict[str, bytes], tmp_path: Path
) -> None:
    shards = Workflow(
        workflow(1), origin, tmp_path, "pull_request", "worse", dict(main_record)
    )
    codes = {}
    for number in shards.jobs["shard"]["strategy"]["matrix"]["shard"]:
        machine, steps = shards.run("shard", {"shard": number})
        assert (
            not machine.summary.is_file()
            or machine.summary.read_text(encoding="utf-8") == ""
        )
        assert "::error" not in by_name(steps)["Run the shard"].output
        codes[number] = by_name(steps)["Run the shard"].code
    assert codes == {
        0: 0,
        1: 1,
    }  # the watches are in the second file; what failed before is in the first
    machine, steps = shards.run("merge")
    assert {name: step.code for name, step in by_name(steps).items() if step.code} == {
        "Merge": 1
    }
    assert "2 records, 4 results" in by_name(steps)["Merge"].output
    assert machine.summary.read_text(encoding="utf-8").startswith(
        f"{MARK}\n### \u274c Search got worse: 1 query\n"
    )
    assert (machine.work / "relevance.html").is_file()


def test_the_shards_run_all_kinds_of_files_together(
    origin: Path, tmp_path: Path
) -> None:
    shards = Workflow(workflow(1), origin, tmp_path, "pull_request", "kinds")
    for number in (0, 1):
        shards.run("shard", {"shard": number})
    files: list[str] = []
    for name in ("shard-0.jsonl.gz", "shard-1.jsonl.gz"):
        (tmp_path / name).write_bytes(shards.stored[name])
        run = pytest_relevance.Run.open(tmp_path / name)
        files += {result.file for result in run.results}
    assert sorted(files) == [
        "hats.relevance.yml",
        "search cases.yaml",
        "shoes.relevance.yaml",
        "smart watches.relevance.yaml",
        "test_search.py",
    ]


def test_a_mistake_in_a_file_is_told_by_the_shards(
    origin: Path, tmp_path: Path
) -> None:
    shards = Workflow(workflow(1), origin, tmp_path, "pull_request", "broken")
    for number in (0, 1):
        _, steps = shards.run("shard", {"shard": number})
        assert by_name(steps)["Run the shard"].code == pytest.ExitCode.INTERRUPTED
    machine, steps = shards.run("merge")
    assert by_name(steps)["Merge"].code == 1
    summary = machine.summary.read_text(encoding="utf-8")
    assert "Nothing was searched: 1 file has an error" in summary
    assert "hats.relevance.yaml:1:" in summary


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("-k 'boots or hats'\n--relevance-repeat=2\n", ["boots", "hats"]),
        ('"smart watches.relevance.yaml"\n\n  -p no:doctest', ["smart watch"]),
    ],
)
@pytest.mark.skipif(
    not ACTION.is_file(), reason="the source distribution does not have it"
)
def test_the_action_hands_on_all_lines_of_its_arguments(
    origin: Path, tmp_path: Path, arguments: str, expected: list[str]
) -> None:
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    inputs = {"arguments": arguments, "comment": "false"}
    stored: dict[str, bytes] = {}
    Workflow(
        {"relevance": action["runs"]},
        origin,
        tmp_path,
        "pull_request",
        "main",
        stored,
        inputs,
    ).run("relevance")
    record = tmp_path / "run.jsonl.gz"
    record.write_bytes(stored["relevance-branch.jsonl.gz"])
    run = pytest_relevance.Run.open(record)
    assert [result.query for result in run.results] == expected
    is_repeated = "--relevance-repeat=2" in arguments
    assert [bool(each.call.repeats) for each in run.results] == [is_repeated] * len(
        expected
    )


def test_the_history_of_three_commits(origin: Path, tmp_path: Path) -> None:
    jobs = {
        "record-main": {
            "steps": [{"run": "pytest --relevance-record=main.jsonl.gz || true"}]
        }
    }
    jobs["record-main"]["steps"] += yaml.safe_load(WORKFLOWS[3])
    stored: dict[str, bytes] = {}
    for commit, branch in (("1a", "main"), ("2b", "worse"), ("3c", "main")):
        on_main = Workflow(
            jobs, origin, tmp_path / commit, "push", branch, stored, commit=commit
        )
        machine, steps = on_main.run("record-main")
        assert [step for step in steps if step.code] == []
    assert {name for name in stored if "history" in name} == {
        *(
            "history.html",
            "history/1a.jsonl.gz",
            "history/2b.jsonl.gz",
            "history/3c.jsonl.gz",
        )
    }
    code, printed = machine.run("pytest-relevance history history", {})
    assert (code, printed.splitlines()[0][:17]) == (0, "History of 3 runs")


# --- GitLab CI ------------------------------------------------------------------------

GITLAB = {
    "CI_API_V4_URL": "https://gitlab.example/api/v4",
    "CI_PROJECT_ID": "12",
    "CI_DEFAULT_BRANCH": "main",
    "CI_MERGE_REQUEST_IID": "7",
}


TOKEN = {"RELEVANCE_TOKEN": "a-token"}
NOTES = "https://gitlab.example/api/v4/projects/12/merge_requests/7/notes"
BEARER = "Authorization: Bearer a-token"


def gitlab_jobs() -> dict[str, Any]:
    page = yaml.safe_load(WORKFLOWS[2])
    return {
        name: {**page["default"], **job}
        for name, job in page.items()
        if name != "default"
    }


def gitlab_job(
    name: str, machine: Machine, artifacts: Mapping[str, bytes] = MappingProxyType({})
) -> tuple[int, str]:
    """Run the script of a job of GitLab with these artifacts of earlier jobs; the token
    is in its environment alone.
    """
    job = gitlab_jobs()[name]
    for path, data in artifacts.items():
        (machine.work / path).write_bytes(data)
    token = (
        TOKEN
        if job.get("environment") == {"name": "relevance-token", "action": "access"}
        else {}
    )
    return machine.run(
        "\n".join(["set -o pipefail", *job["before_script"], *job["script"]]),
        {**GITLAB, **token},
    )


def artifacts_of(name: str, machine: Machine) -> dict[str, bytes]:
    """What a job keeps: GitLab warns about a path that is not there."""
    paths = [machine.work / path for path in gitlab_jobs()[name]["artifacts"]["paths"]]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def test_only_jobs_that_run_nothing_of_the_branch_have_the_token_of_gitlab() -> None:
    assert "PRIVATE-TOKEN" not in PAGE  # curl sends it on to the host of a redirect
    for name, job in gitlab_jobs().items():
        commands = "\n".join([*job["before_script"], *job["script"]])
        runs_the_branch = "pip install" in commands or "pytest" in commands.replace(
            MARK, ""
        )
        assert ("RELEVANCE_TOKEN" in commands, "environment" in job) == (
            not runs_the_branch,
        ) * 2, name
        assert ("variables" in job) is not runs_the_branch  # no clone


def test_gitlab(origin: Path, tmp_path: Path) -> None:
    on_main = Machine(tmp_path / "main", origin, "main")
    assert (
        gitlab_job("relevance-main", on_main)[0] == 1
    )  # a query is below its floor; `allow_failure`
    assert (on_main.work / "junit.xml").is_file()

    fetch = Machine(tmp_path / "fetch", origin, "worse")
    fetch.answer(jobs_artifacts=on_main.work / "main.jsonl.gz")
    assert gitlab_job("relevance-fetch", fetch)[0] == 0
    (fetched,) = fetch.calls
    assert fetched.arguments[-1].endswith(
        "/projects/12/jobs/artifacts/main/raw/main.jsonl.gz?job=relevance-main"
    )
    assert BEARER in fetched.arguments

    branch = Machine(tmp_path / "branch", origin, "worse")
    code, output = gitlab_job(
        "relevance", branch, artifacts_of("relevance-fetch", fetch)
    )
    assert code == 1
    assert "1 got worse" in output
    assert "against main.jsonl.gz" in output
    assert (branch.work / "junit.xml").is_file()
    kept = artifacts_of("relevance", branch)
    assert kept.keys() == {"relevance.html", "branch.jsonl.gz", "relevance.md"}

    note = Machine(tmp_path / "note", origin, "worse")
    (tmp_path / "notes.json").write_text('[{"id": 1, "body": "Looks good"}]')
    note.answer(notes=tmp_path / "notes.json")
    assert gitlab_job("relevance-note", note, kept) == (0, "")
    posted = note.calls[-1]
    assert posted.arguments[posted.arguments.index("--request") + 1] == "POST"
    assert posted.arguments[-1] == NOTES
    assert BEARER in posted.arguments
    assert posted.sent[0].startswith(f"{MARK}\n### \u274c Search got worse: 1 query\n")

    (tmp_path / "notes.json").write_text(
        json.dumps([{"id": 1, "body": "Hm"}, {"id": 9, "body": posted.sent[0]}])
    )
    assert gitlab_job("relevance-note", note, kept) == (0, "")
    updated = note.calls[-1]
    assert updated.arguments[updated.arguments.index("--request") + 1] == "PUT"
    assert updated.arguments[-1] == f"{NOTES}/9"


def test_gitlab_without_a_record_of_main(origin: Path, tmp_path: Path) -> None:
    """The artifact is not there (curl --fail), nor is the note."""
    fetch, branch, note = (
        Machine(tmp_path / name, origin, "main") for name in ("fetch", "branch", "note")
    )
    assert gitlab_job("relevance-fetch", fetch)[0] == 0
    assert artifacts_of("relevance-fetch", fetch) == {}
    assert gitlab_job("relevance", branch)[0] == 1  # every failure counts
    (tmp_path / "notes.json").write_text("[]")
    note.answer(notes=tmp_path / "notes.json")
    assert gitlab_job("relevance-note", note, artifacts_of("relevance", branch)) == (
        0,
        "",
    )
    assert "1 of 4 cases fails" in note.calls[-1].sent[0]
