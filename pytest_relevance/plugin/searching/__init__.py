"""Calls of searches that cases share: several at a time, and batches of queries."""
