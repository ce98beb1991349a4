"""What docs/reference/gates.md says of the node id of a gate."""

from tests.plugin.conftest import Project

SUITE = """
    cases: [{query: a b, judgments: {b: 1}}]
    gates: [{mean: {nDCG@10: 0.95}, id: most}]
"""
GATE = "shop.relevance.yaml::gate[most]"


def test_the_node_id_of_a_gate_is_a_name_in_reports(project: Project) -> None:
    project.conftest()
    project.cases(SUITE)
    assert f"FAILED {GATE}" in project.run().text
    deselected = project.run("--deselect", GATE)
    assert deselected.counts == {"passed": 1, "failed": 1}
    assert project.run_apart(GATE).counts == {}
