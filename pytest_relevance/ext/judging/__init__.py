"""What nobody has judged: a worklist for people, and the grades of a judge, a fixture
of a project.

Also where raters differ, with the command `raters`.
"""
