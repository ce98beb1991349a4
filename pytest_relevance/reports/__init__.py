"""Reports made from results: the report of a case, the summary of a run, comparisons. Does not import pytest."""
