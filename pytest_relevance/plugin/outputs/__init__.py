"""The files written at the end of a run: the worklist, the record, baselines, case files with raised floors."""
