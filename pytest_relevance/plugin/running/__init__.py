"""How a case runs: its fixtures, the call of its search, its score, and the exception that it ends in."""
