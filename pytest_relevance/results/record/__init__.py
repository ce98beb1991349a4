"""The record of a run as a file, and the records of shards merged into one."""
