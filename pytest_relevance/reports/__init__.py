"""From results to what people read: the report of a case, the summary of a run, comparisons. Needs no pytest."""
