"""What a release and its users read beside the package: workflows, the action, hooks,
the changelog.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

pytestmark = pytest.mark.skipif(
    not WORKFLOWS, reason="the source distribution does not have them"
)


def steps_of(path: Path) -> list[dict[str, Any]]:
    """The steps of a workflow, or of the action."""
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        step
        for job in read.get("jobs", {"action": read.get("runs")}).values()
        for step in job.get("steps", [])
    ]


@pytest.mark.parametrize(
    "path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name
)
def test_every_action_is_pinned_by_its_digest(path: Path) -> None:
    used = re.findall(
        r"uses: (\S+)(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert used
    for action, comment in used:
        assert action.startswith("$/") or re.fullmatch(
            r"[\w./-]+@[0-9a-f]{40}", action
        ), action
        assert action.startswith("$/") or re.fullmatch(r" # v[\d.]+", comment), action


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_job_has_the_permissions_that_it_needs(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    assert all(job["permissions"] for job in workflow["jobs"].values())
    for step in steps_of(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"] == {"persist-credentials": False}


def test_the_declared_pythons_are_tested() -> None:
    declared = re.findall(
        r'"Programming Language :: Python :: (3\.\d+)"',
        (ROOT / "pyproject.toml").read_text("utf-8"),
    )
    workflow = yaml.safe_load(
        (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    )
    assert set(declared) <= set(
        workflow["jobs"]["tests"]["strategy"]["matrix"]["python"]
    )


def test_the_hook_reads_case_files_and_no_others(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load(
        (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    )
    assert [
        bool(re.search(hook["files"], name))
        for name in ("a/shop.relevance.yaml", "b.relevance.yml", "c.yaml")
    ] == [*(True, True, False)]
    (tmp_path / "shop.relevance.yaml").write_text(
        "cases: [{query: boots, min_ndgc: 1}]\n", encoding="utf-8"
    )
    program, *arguments = hook["entry"].split()
    command = [
        sys.executable,
        "-m",
        program.replace("-", "_"),
        *arguments,
        "shop.relevance.yaml",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "min_ndgc" in done.stdout + done.stderr) == (1, True)


@pytest.mark.skipif(shutil.which("awk") is None, reason="the script is for Linux")
def test_the_notes_of_a_release_are_its_section_of_the_changelog() -> None:
    script = str(ROOT / ".ci" / "release-notes")
    found = subprocess.run([script, "0.1.0"], capture_output=True, text=True)
    assert found.returncode == 0
    assert found.stdout.lstrip().startswith("### Added\n")
    assert "\n## " not in found.stdout
    missing = subprocess.run([script, "0.1"], capture_output=True, text=True)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "0.1" in missing.stderr
