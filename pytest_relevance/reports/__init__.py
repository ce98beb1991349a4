"""What people read: the breakdown of one query and the summary of a run. Knows no pytest."""
