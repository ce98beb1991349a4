"""What is written when a run ends: record, worklist, page, baselines, case files, reports of a CI system."""
