"""The case file: reading it with positions, checking it, the Case and Suite it becomes. Knows no pytest."""
