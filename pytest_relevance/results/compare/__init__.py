"""The comparison of two runs over the same cases."""
