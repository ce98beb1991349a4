"""The recipes of four pages of docs/howto (ci, shards, forks, gitlab), and the action,
run on a repository with branches.

The actions of GitHub are replaced by a few lines each, `gh`, `curl` and `pip` by
commands that record what they are called with.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

import pytest_relevance
from pytest_relevance import Run

ROOT = Path(__file__).parents[1]


def examples_of(page: str) -> list[str]:
    """The YAML of a page in docs/howto."""
    text = (ROOT / "docs" / "howto" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


STEPS, MAIN_WORKFLOW, LABEL, HISTORY = examples_of("ci")
(SHARDS,) = examples_of("shards")
(FORKS,) = examples_of("forks")
(GITLAB_JOBS,) = examples_of("gitlab")
ACTION = ROOT / "action.yml"
MARK = "<!-- pytest-relevance report -->"
GOT_WORSE = f"{MARK}\n### \u274c Search got worse: 1 of 4 queries (for certain)\n"

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not all(map(shutil.which, ("bash", "git"))),
    reason="the workflows are for Linux",
)
needs_action = pytest.mark.skipif(
    not ACTION.is_file(), reason="the source distribution does not have it"
)

# --- the repository -------------------------------------------------------------------

SEARCH = """
import pytest

RANKINGS = {"boots": "b1 b2", "hats": "h1 h2", "socks": "x s1", "smart watch": "w1 w2 w3"}

@pytest.fixture
def search():
    return lambda query: RANKINGS[query].split()
"""
RESULT = "RANKINGS[query].split()"
INI = "[pytest]\naddopts = -p no:cacheprovider -p pytest_relevance.plugin\n"
MAIN = {
    "conftest.py": SEARCH,
    "shoes.relevance.yaml": """
        min_ndcg: 0.9
        cases:
          - {query: boots, judgments: {b1: 3, b2: 1}}
          - {query: hats, judgments: {h1: 3, h2: 1}}
          - {query: socks, judgments: {s1: 3}}
    """,
    "smart watches.relevance.yaml": """
        min_ndcg: 0.9
        gates: [{mean: {nDCG@10: 0.8}}]
        cases: [{query: smart watch, judgments: {w1: {grade: 3, title: Orbit 2}, w2: 1, w3: 0}}]
    """,
    "pytest.ini": INI,
    "requirements.txt": "pytest-relevance\n",
}
BRANCHES = {
    "worse": {"conftest.py": SEARCH.replace("w1 w2 w3", "w3 w2")},
    "broken": {"hats.relevance.yaml": "cases: [{query: hats, judgements: 1}]\n"},
    "dying": {
        "conftest.py": SEARCH.replace(
            RESULT, f'{RESULT} if query == "boots" else 1 / 0'
        )
    },
    "skipping": {
        "conftest.py": SEARCH.replace(
            RESULT, f'{RESULT} if query == "boots" else pytest.skip("no engine")'
        )
    },
    "kinds": {
        "hats.relevance.yml": "cases: [{query: hats, judgments: {h1: 3}}]\n",
        "search cases.yaml": "cases: [{query: boots, judgments: {b1: 3}}]\n",
        "pytest.ini": f"{INI}relevance_files = *.relevance.y*ml *cases.yaml\n",
        "test_search.py": """
            def test_search(relevance, search):
                relevance.check("smart watch", search("smart watch"), {"w1": 3})
        """,
    },
}
"""What each branch changes. In main, socks are below their floor."""


def git(folder: Path, *arguments: str) -> None:
    identity = ["user.name=A", "user.email=a@example.org", "commit.gpgsign=false"]
    options = [option for each in identity for option in ("-c", each)]
    command = ["git", *options, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository."""
    folder = tmp_path_factory.mktemp("origin")
    git(folder, "init", "--quiet", "--initial-branch=main")

    def commit(files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (folder / name).write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message=Change search")

    commit(MAIN)
    for branch, files in BRANCHES.items():
        git(folder, "checkout", "--quiet", "-b", branch, "main")
        commit(files)
    git(folder, "checkout", "--quiet", "main")
    return folder


# --- a machine that runs jobs ---------------------------------------------------------

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
        self.folder = folder
        self.work = folder / "work"
        self._commands = folder / "commands"
        self._commands.mkdir(parents=True)
        git(folder, "clone", "--quiet", "--branch", branch, str(origin), "work")
        self._log = folder / "calls.jsonl"
        self._answers = folder / "answers.json"
        self._answers.write_text("{}")
        stub = STUB.format(
            python=sys.executable, log=str(self._log), answers=str(self._answers)
        )
        for name in ("gh", "curl", "pip"):
            (self._commands / name).write_text(stub)
            (self._commands / name).chmod(0o755)
        self._summary = folder / "summary.md"

    def answer(self, part: str, file: Path) -> None:
        """Have the commands answer with a file if an argument has this part."""
        self._answers.write_text(json.dumps({part: str(file)}))

    @property
    def calls(self) -> list[Call]:
        if not self._log.exists():
            return []
        return [Call(**json.loads(line)) for line in self._log.read_text().splitlines()]

    @property
    def summary(self) -> str:
        """The summary of the job, in GitHub Actions."""
        return self._summary.read_text("utf-8") if self._summary.is_file() else ""

    def run(self, script: str, environment: Mapping[str, str]) -> tuple[int, str]:
        """Run a script with bash; return the exit code and the output."""
        folders = [self._commands, Path(sys.executable).parent, os.environ["PATH"]]
        given = {
            "PATH": os.pathsep.join(map(str, folders)),
            "COLUMNS": "100",
            "HOME": str(self.folder),
            # looking for plugins takes a third of the time of such a run
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "GITHUB_STEP_SUMMARY": str(self._summary),
            "GITHUB_WORKSPACE": str(self.work),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-c", script],
            cwd=self.work,
            env={**given, **environment},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr


# --- GitHub Actions -------------------------------------------------------------------


@dataclass
class Step:
    """What came of a step."""

    name: str
    code: int = 0
    output: str = ""


@dataclass
class Workflow:
    """A small runner of workflows: what docs/howto/ci.md and action.yml ask for.

    `stored` are the files in the cache and in artifacts, by name; `inputs` those of the
    action.
    """

    jobs: Mapping[str, Any]
    origin: Path
    folder: Path
    event: str
    branch: str
    stored: dict[str, bytes] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    commit: str = "c0ffee"

    def run(
        self, job: str, matrix: Mapping[str, object] | None = None
    ) -> tuple[Machine, dict[str, Step]]:
        """Run the steps of a job on a machine of its own."""
        name = "-".join([job, *map(str, (matrix or {}).values())])
        machine = Machine(self.folder / name, self.origin, self.branch)
        steps: dict[str, Step] = {}
        for step in self.jobs[job]["steps"]:
            if self._is_due(step, machine, failed=any(failed_in(steps))):
                done = self.step(step, machine, matrix or {})
                steps[done.name] = done
        return machine, steps

    def step(
        self, step: Mapping[str, Any], machine: Machine, matrix: Mapping[str, object]
    ) -> Step:
        """Run one step."""

        def filled(values: Mapping[str, object]) -> dict[str, str]:
            return {
                name: self._filled(str(value), matrix) for name, value in values.items()
            }

        if "uses" in step:
            action = ACTIONS[step["uses"].partition("@")[0]]
            action(self, machine.work, filled(step.get("with", {})))
            return Step(step.get("name", step["uses"]))
        environment = {"GITHUB_ACTIONS": "true", **filled(step.get("env", {}))}
        script = self._filled(step["run"], matrix)
        return Step(step.get("name", step["run"]), *machine.run(script, environment))

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
        expression = str(step.get("if", "success()"))
        holds = {
            "success()": not failed,
            "!cancelled()": True,
            "inputs.comment == 'true'": self.inputs.get("comment") == "true",
            "github.event_name == 'push'": self.event == "push",
            "github.event_name == 'pull_request'": self.event == "pull_request",
        }
        for condition, file in re.findall(r"(hashFiles\('(.*?)'\) != '')", expression):
            holds[condition] = (machine.work / file).exists()
        conditions = expression.removeprefix("${{ ").removesuffix(" }}").split(" && ")
        return all(holds[condition] for condition in conditions)


def failed_in(steps: Mapping[str, Step]) -> list[str]:
    """The steps that failed."""
    return [name for name, step in steps.items() if step.code]


def _keep(workflow: Workflow, work: Path, given: Mapping[str, str]) -> None:
    for pattern in given["path"].split():
        for path in work.glob(pattern):
            for file in (path, *path.rglob("*")):
                if file.is_file():
                    name = file.relative_to(work).as_posix()
                    workflow.stored[name] = file.read_bytes()


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


def workflow(text: str) -> Mapping[str, Any]:
    jobs: Mapping[str, Any] = yaml.safe_load(text)["jobs"]
    return jobs


def comment_step() -> Mapping[str, Any]:
    steps = workflow(MAIN_WORKFLOW)["pull-request"]["steps"]
    (step,) = (step for step in steps if step.get("name") == "Comment")
    found: Mapping[str, Any] = step
    return found


@pytest.fixture(scope="module")
def main_record(
    origin: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """What the job of main keeps.

    The first run fails for a query that is below its floor, the second expects that.
    """
    stored: dict[str, bytes] = {}
    for failed in (["Run main"], []):
        folder = tmp_path_factory.mktemp("main")
        on_main = Workflow(
            workflow(MAIN_WORKFLOW), origin, folder, "push", "main", stored
        )
        machine, steps = on_main.run("record-main")
        assert failed_in(steps) == failed, steps
        assert machine.calls == [Call("pip", ["install", "-r", "requirements.txt"], [])]
    return stored


def test_the_recipes_parse() -> None:
    examples = (MAIN_WORKFLOW, SHARDS, FORKS, GITLAB_JOBS)
    assert [list(yaml.safe_load(example)) for example in examples] == [
        ["name", True, "jobs"],  # `on`, in YAML 1.1
        ["name", True, "jobs"],
        ["name", True, "jobs"],
        ["default", "relevance-main", "relevance-fetch", "relevance", "relevance-note"],
    ]
    (step,) = yaml.safe_load(LABEL)
    assert list(step) == ["name", "env", "run"]
    conditions = {name: job["if"] for name, job in workflow(MAIN_WORKFLOW).items()}
    assert conditions == {
        "record-main": "github.event_name == 'push'",
        "pull-request": "github.event_name == 'pull_request'",
    }


def test_every_job_of_github_has_as_few_permissions_as_it_needs() -> None:
    jobs = {**workflow(MAIN_WORKFLOW), **workflow(SHARDS), **workflow(FORKS)}
    permissions = {name: job["permissions"] for name, job in jobs.items()}
    read = {"contents": "read"}
    assert permissions.pop("pull-request") == {**read, "pull-requests": "write"}
    readers = ("record-main", "shard", "merge", "replay")
    assert permissions == dict.fromkeys(readers, read)
    has_token = []
    for job in jobs.values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"]["persist-credentials"] is False
            if "github.token" in str(step.get("env")):
                has_token.append(step["name"])
    assert has_token == ["Comment"]


def test_a_pull_request_that_makes_search_worse(
    origin: Path, main_record: dict[str, bytes], tmp_path: Path
) -> None:
    pull_request = Workflow(
        workflow(MAIN_WORKFLOW),
        origin,
        tmp_path,
        "pull_request",
        "worse",
        dict(main_record),
    )
    machine, steps = pull_request.run("pull-request")
    assert failed_in(steps) == ["Run the branch"]
    annotation = "::error file=smart watches.relevance.yaml,line=3,title=Got worse%3A smart watch::"
    assert annotation in steps["Run the branch"].output
    comments = "repos/shop/search/issues/7/comments"
    listed, posted = machine.calls[-2:]
    assert listed.arguments[:3] == ["api", "--paginate", comments]
    assert posted.arguments[:4] == ["api", "--method", "POST", comments]
    (comment,) = posted.sent
    assert comment.startswith(GOT_WORSE)
    assert "Orbit 2" in comment
    assert "1 failed before" in comment
    assert "`socks`" not in comment
    kept = {"main.jsonl.gz", "relevance.html", "branch.jsonl.gz"}
    assert pull_request.stored.keys() == kept
    assert pull_request.stored["relevance.html"].startswith(b"<!doctype html>")
    assert machine.summary.startswith(MARK)
    assert machine.summary.count("### ") == 1
    # the next push: the comment is there already
    (tmp_path / "id").write_text("4711\n")
    machine.answer("issues/7/comments", tmp_path / "id")
    assert pull_request.step(comment_step(), machine, {}).code == 0
    updated = machine.calls[-1]
    of_comment = "repos/shop/search/issues/comments/4711"
    assert updated.arguments[:4] == ["api", "--method", "PATCH", of_comment]
    assert updated.sent == posted.sent


LOOSER = """
    tolerance: 1
    cases: [{query: boots, judgments: {b1: 3}}]
    """
"""A case file as a pull request may loosen it."""


def test_a_pull_request_that_loosens_a_committed_baseline_fails(
    origin: Path, main_record: dict[str, bytes], tmp_path: Path
) -> None:
    """A record of main is there too, and is not looked at."""
    committed = tmp_path / "committed"
    git(tmp_path, "clone", "--quiet", str(origin), str(committed))
    for file in committed.glob("*.relevance.yaml"):
        file.unlink()
    cases = committed / "boots.relevance.yaml"
    cases.write_text("cases: [{query: boots, judgments: {b1: 3}}]", encoding="utf-8")
    accept = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(
        [*accept, "--relevance-update"],
        cwd=committed,
        env=alone,
        check=True,
        capture_output=True,
    )
    assert (committed / "boots.relevance.yaml.baseline.jsonl").exists()
    cases.write_text(LOOSER, encoding="utf-8")
    git(committed, "checkout", "--quiet", "-b", "looser")
    git(committed, "add", "--all")
    git(committed, "commit", "--quiet", "--message=Loosen the test")

    pull_request = Workflow(
        workflow(MAIN_WORKFLOW),
        committed,
        tmp_path,
        "pull_request",
        "looser",
        dict(main_record),
    )
    machine, steps = pull_request.run("pull-request")
    assert failed_in(steps) == ["Run the branch"]
    (comment,) = machine.calls[-1].sent
    assert "the test changed: 1 case is looser, so the run fails" in comment


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq filters as gh does")
def test_the_comment_is_known_by_its_author_and_its_first_line() -> None:
    (expression,) = re.findall(r'--jq "(.*)" \|', comment_step()["run"])
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
    ("has_record", "failed", "mark"),
    [(True, [], "\u2705"), (False, ["Run the branch"], "\u274c")],
    ids=["record", "none"],
)
def test_a_pull_request_that_changes_nothing_is_green_if_main_has_a_record(
    origin: Path,
    main_record: dict[str, bytes],
    tmp_path: Path,
    has_record: bool,
    failed: list[str],
    mark: str,
) -> None:
    stored = dict(main_record) if has_record else {}
    pull_request = Workflow(
        workflow(MAIN_WORKFLOW), origin, tmp_path, "pull_request", "main", stored
    )
    machine, steps = pull_request.run("pull-request")
    assert failed_in(steps) == failed
    assert machine.calls[-1].sent[0].startswith(f"{MARK}\n### {mark} ")


def test_the_history_of_three_commits(origin: Path, tmp_path: Path) -> None:
    record = {"run": "pytest --relevance-record=main.jsonl.gz || true"}
    jobs = {"record-main": {"steps": [record, *yaml.safe_load(HISTORY)]}}
    stored: dict[str, bytes] = {}
    for commit, branch in (("1a", "main"), ("2b", "worse"), ("3c", "main")):
        on_main = Workflow(
            jobs, origin, tmp_path / commit, "push", branch, stored, commit=commit
        )
        machine, steps = on_main.run("record-main")
        assert failed_in(steps) == []
    assert {name for name in stored if "history" in name} == {
        *("history.html", "history/1a.jsonl.gz", "history/2b.jsonl.gz"),
        "history/3c.jsonl.gz",
    }
    code, printed = machine.run("pytest-relevance history history", {})
    assert (code, printed[:17]) == (0, "History of 3 runs")


# --- shards ---------------------------------------------------------------------------


def sharded(
    origin: Path, folder: Path, branch: str, stored: dict[str, bytes]
) -> tuple[Workflow, dict[int, Step]]:
    """The workflow after its shards ran, and their steps."""
    shards = Workflow(workflow(SHARDS), origin, folder, "pull_request", branch, stored)
    ran = {}
    for number in shards.jobs["shard"]["strategy"]["matrix"]["shard"]:
        machine, steps = shards.run("shard", {"shard": number})
        assert machine.summary == ""
        ran[number] = steps["Run the shard"]
        assert "::error" not in ran[number].output
    return shards, ran


def test_shards_and_their_merge(
    origin: Path, main_record: dict[str, bytes], tmp_path: Path
) -> None:
    shards, ran = sharded(origin, tmp_path, "worse", dict(main_record))
    # the watches are in the second file; what failed before is in the first
    assert {number: step.code for number, step in ran.items()} == {0: 0, 1: 1}
    machine, steps = shards.run("merge")
    assert failed_in(steps) == ["Merge"]
    assert "2 records, 4 results" in steps["Merge"].output
    assert machine.summary.startswith(GOT_WORSE)
    assert (machine.work / "relevance.html").is_file()


def test_the_shards_run_all_kinds_of_files_together(
    origin: Path, tmp_path: Path
) -> None:
    shards, _ = sharded(origin, tmp_path, "kinds", {})
    files: list[str] = []
    for name in ("shard-0.jsonl.gz", "shard-1.jsonl.gz"):
        (tmp_path / name).write_bytes(shards.stored[name])
        files += {result.file for result in Run.open(tmp_path / name).results}
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
    shards, ran = sharded(origin, tmp_path, "broken", {})
    assert {step.code for step in ran.values()} == {pytest.ExitCode.INTERRUPTED}
    machine, steps = shards.run("merge")
    assert steps["Merge"].code == 1
    assert "Nothing was searched: 1 file has an error" in machine.summary
    assert "hats.relevance.yaml:1:" in machine.summary


# --- forks ----------------------------------------------------------------------------

JUDGED = {
    "fixed": {
        "shoes.relevance.yaml": """
            min_ndcg: 0.9
            cases:
              - {query: boots, judgments: {b1: 3, b2: 1}}
              - {query: hats, judgments: {h1: 3, h2: 1}}
              - {query: socks, judgments: {x: 3}}
        """,
    },
    "missed": {
        "shoes.relevance.yaml": """
            min_ndcg: 0.9
            cases:
              - {query: boots, judgments: {b2: 3}}
              - {query: hats, judgments: {h1: 3, h2: 1}}
              - {query: socks, judgments: {s1: 3}}
        """,
    },
    "unknown": {"caps.relevance.yaml": "cases: [{query: caps, judgments: {c: 3}}]\n"},
    "code": {"conftest.py": f"{SEARCH}\n# faster\n"},
    "baseline": {"shoes.relevance.yaml.baseline.jsonl": "{}\n"},
}
"""What a pull request of a fork changes."""


def of_fork(
    origin: Path, folder: Path, change: str, stored: dict[str, bytes]
) -> tuple[Machine, dict[str, Step]]:
    """Run the job for a pull request of a fork; return its machine and its steps."""
    fork = folder / "fork"
    git(folder, "clone", "--quiet", str(origin), str(fork))
    git(fork, "checkout", "--quiet", "-b", change)
    for name, text in JUDGED[change].items():
        (fork / name).write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    git(fork, "add", "--all")
    git(fork, "commit", "--quiet", "--message=Change the test")
    job = Workflow(workflow(FORKS), fork, folder, "pull_request", change, stored)
    return job.run("replay")


@pytest.mark.parametrize(
    ("change", "failed", "said"),
    [
        ("fixed", [], "1 case that failed in main.jsonl.gz passes now"),
        (
            "missed",
            ["Judge the rankings of main"],
            "the run fails because 1 case that passed in main.jsonl.gz fails now",
        ),
        (
            "unknown",
            ["Judge the rankings of main"],
            "main.jsonl.gz has no ranking of this query",
        ),
        ("code", ["Refuse other changes"], "conftest.py"),
        ("baseline", ["Refuse other changes"], "These files need a run"),
    ],
)
def test_a_pull_request_of_a_fork(
    origin: Path,
    main_record: dict[str, bytes],
    tmp_path: Path,
    change: str,
    failed: list[str],
    said: str,
) -> None:
    (job,) = workflow(FORKS).values()
    assert job["if"] == "github.event.pull_request.head.repo.fork"
    machine, steps = of_fork(origin, tmp_path, change, dict(main_record))
    assert failed_in(steps) == failed
    printed = " ".join(" ".join(step.output for step in steps.values()).split())
    assert said in printed
    if "Judge the rankings of main" in steps:
        assert machine.summary.startswith(f"{MARK}\n### ")
        assert "\u2705" not in machine.summary
        sentence = "No search was called: rankings of main.jsonl.gz, of "
        assert sentence in machine.summary.replace("\\", "")


def test_a_pull_request_of_a_fork_needs_a_record(origin: Path, tmp_path: Path) -> None:
    _, steps = of_fork(origin, tmp_path, "fixed", {})
    assert failed_in(steps) == ["Judge the rankings of main"]


# --- the action -----------------------------------------------------------------------


def action_on(
    origin: Path,
    folder: Path,
    event: str,
    branch: str,
    stored: dict[str, bytes],
    **inputs: str,
) -> tuple[Machine, list[str]]:
    """Run the action; return the machine, and the steps that failed."""
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    given = {name: str(each["default"]) for name, each in action["inputs"].items()}
    job = Workflow(
        {"relevance": action["runs"]},
        origin,
        folder,
        event,
        branch,
        stored,
        {**given, **inputs},
    )
    machine, steps = job.run("relevance")
    return machine, failed_in(steps)


@needs_action
def test_the_action_keeps_the_record_of_main_and_fails_what_got_worse(
    origin: Path, tmp_path: Path
) -> None:
    version = f"pytest-relevance/pytest-relevance@v{pytest_relevance.__version__}"
    assert yaml.safe_load(STEPS)[-1] == {"uses": version}
    stored: dict[str, bytes] = {}
    for event, branch, failed, commands in (
        ("push", "main", ["Run the cases"], []),
        ("pull_request", "main", [], ["gh", "gh"]),
        ("pull_request", "worse", ["Run the cases"], ["gh", "gh"]),
    ):
        folder = tmp_path / f"{event}-{branch}"
        machine, found = action_on(origin, folder, event, branch, stored)
        assert (found, [call.name for call in machine.calls]) == (failed, commands)
    records = {"relevance-main.jsonl.gz", "relevance-branch.jsonl.gz"}
    assert stored.keys() == {*records, "relevance.html"}
    assert machine.calls[-1].sent[0].startswith(GOT_WORSE)


@needs_action
def test_the_action_hands_on_all_lines_of_its_arguments(
    origin: Path, tmp_path: Path
) -> None:
    stored: dict[str, bytes] = {}
    arguments = "-k 'boots or smart'\n\n  --relevance-repeat=2\n"
    inputs = {"arguments": arguments, "comment": "false"}
    action_on(origin, tmp_path, "pull_request", "main", stored, **inputs)
    record = tmp_path / "run.jsonl.gz"
    record.write_bytes(stored["relevance-branch.jsonl.gz"])
    results = Run.open(record).results
    assert [result.query for result in results] == ["boots", "smart watch"]
    assert all(result.call.repeats for result in results)


# --- GitLab CI ------------------------------------------------------------------------

GITLAB = {
    "CI_API_V4_URL": "https://gitlab.example/api/v4",
    "CI_PROJECT_ID": "12",
    "CI_DEFAULT_BRANCH": "main",
    "CI_MERGE_REQUEST_IID": "7",
}
NOTES = "https://gitlab.example/api/v4/projects/12/merge_requests/7/notes"
BEARER = "Authorization: Bearer a-token"


def gitlab_jobs() -> dict[str, Any]:
    page = yaml.safe_load(GITLAB_JOBS)
    default = page.pop("default")
    return {name: {**default, **job} for name, job in page.items()}


def gitlab_job(
    name: str, machine: Machine, artifacts: Mapping[str, bytes] | None = None
) -> tuple[int, str]:
    """Run the script of a job of GitLab with these artifacts of earlier jobs.

    Only the environment of the token has the token.
    """
    job = gitlab_jobs()[name]
    for path, data in (artifacts or {}).items():
        (machine.work / path).write_bytes(data)
    variables = dict(GITLAB)
    if job.get("environment") == {"name": "relevance-token", "action": "access"}:
        variables["RELEVANCE_TOKEN"] = "a-token"
    script = ["set -o pipefail", *job["before_script"], *job["script"]]
    return machine.run("\n".join(script), variables)


def artifacts_of(name: str, machine: Machine) -> dict[str, bytes]:
    """What a job keeps: GitLab warns about a path that is not there."""
    paths = [machine.work / path for path in gitlab_jobs()[name]["artifacts"]["paths"]]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def test_only_jobs_that_run_nothing_of_the_branch_have_the_token_of_gitlab() -> None:
    assert (
        "PRIVATE-TOKEN" not in GITLAB_JOBS
    )  # curl sends it on to the host of a redirect
    for name, job in gitlab_jobs().items():
        commands = "\n".join([*job["before_script"], *job["script"]])
        others = commands.replace(MARK, "")
        runs_the_branch = "pip install" in others or "pytest" in others
        has_token = "RELEVANCE_TOKEN" in commands
        is_cloned = "variables" not in job  # GIT_STRATEGY: none
        assert has_token == ("environment" in job) == (not runs_the_branch), name
        assert is_cloned == runs_the_branch, name


def test_gitlab(origin: Path, tmp_path: Path) -> None:
    on_main = Machine(tmp_path / "main", origin, "main")
    # a query is below its floor, which `allow_failure` allows
    assert gitlab_job("relevance-main", on_main)[0] == 1
    assert (on_main.work / "junit.xml").is_file()

    fetch = Machine(tmp_path / "fetch", origin, "worse")
    fetch.answer("jobs/artifacts", on_main.work / "main.jsonl.gz")
    assert gitlab_job("relevance-fetch", fetch)[0] == 0
    (fetched,) = fetch.calls
    source = "/projects/12/jobs/artifacts/main/raw/main.jsonl.gz?job=relevance-main"
    assert fetched.arguments[-1].endswith(source)
    assert BEARER in fetched.arguments

    branch = Machine(tmp_path / "branch", origin, "worse")
    fetched_record = artifacts_of("relevance-fetch", fetch)
    code, output = gitlab_job("relevance", branch, fetched_record)
    assert code == 1
    assert "Search got worse: 1 of 4 queries" in output
    assert "against main.jsonl.gz" in output
    assert (branch.work / "junit.xml").is_file()
    kept = artifacts_of("relevance", branch)
    assert kept.keys() == {"relevance.html", "branch.jsonl.gz", "relevance.md"}

    note = Machine(tmp_path / "note", origin, "worse")
    notes = tmp_path / "notes.json"
    note.answer("notes", notes)
    ours = {"id": 9, "body": f"{MARK}\n### Search got worse"}
    for there, method, address in (
        ([{"id": 1, "body": "Looks good"}], "POST", NOTES),
        ([{"id": 1, "body": "Hm"}, ours], "PUT", f"{NOTES}/9"),
    ):
        notes.write_text(json.dumps(there))
        assert gitlab_job("relevance-note", note, kept) == (0, "")
        sent = note.calls[-1]
        assert sent.arguments[sent.arguments.index("--request") + 1] == method
        assert sent.arguments[-1] == address
        assert BEARER in sent.arguments
        assert sent.sent[0].startswith(GOT_WORSE)


def test_gitlab_without_a_record_of_main(origin: Path, tmp_path: Path) -> None:
    """The artifact is not there (curl --fail), nor is the note."""
    fetch, branch, note = (
        Machine(tmp_path / name, origin, "main") for name in ("fetch", "branch", "note")
    )
    assert gitlab_job("relevance-fetch", fetch)[0] == 0
    assert artifacts_of("relevance-fetch", fetch) == {}
    assert gitlab_job("relevance", branch)[0] == 1  # every failure counts
    (tmp_path / "notes.json").write_text("[]")
    note.answer("notes", tmp_path / "notes.json")
    kept = artifacts_of("relevance", branch)
    assert gitlab_job("relevance-note", note, kept) == (0, "")
    assert "1 of 4 cases fails" in note.calls[-1].sent[0]


# --- records that are not kept --------------------------------------------------------


@pytest.mark.parametrize("branch", ["broken", "dying", "skipping"])
def test_the_workflow_keeps_no_record_that_is_not_fit_to_be_compared_with(
    origin: Path,
    main_record: dict[str, bytes],
    tmp_path: Path,
    branch: str,
) -> None:
    """The branch that skips fails too, as its gate is not judged."""
    stored = dict(main_record)
    job = Workflow(workflow(MAIN_WORKFLOW), origin, tmp_path, "push", branch, stored)
    assert failed_in(job.run("record-main")[1]) == ["Run main"]
    assert stored == main_record


@needs_action
def test_the_action_keeps_no_record_that_is_not_fit_to_be_compared_with(
    origin: Path, main_record: dict[str, bytes], tmp_path: Path
) -> None:
    before = main_record["main.jsonl.gz"]
    stored = {"relevance-main.jsonl.gz": before}
    _, failed = action_on(origin, tmp_path, "push", "dying", stored)
    assert failed == ["Run the cases"]
    assert stored["relevance-main.jsonl.gz"] == before


def test_gitlab_keeps_no_record_that_is_not_fit_to_be_compared_with(
    origin: Path, tmp_path: Path
) -> None:
    machine = Machine(tmp_path, origin, "dying")
    assert gitlab_job("relevance-main", machine)[0] == 1
    assert artifacts_of("relevance-main", machine) == {}
