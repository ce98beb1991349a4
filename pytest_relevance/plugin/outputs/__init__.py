"""What a run writes at its end: the worklist, the record, baselines, raised floors."""
