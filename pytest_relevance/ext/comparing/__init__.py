"""The command `compare` and `compare_runs`: two runs are read, judged alike, paired and compared."""
