"""What a search did: the ranking it returned, the score of a case, `evaluate()` over whole runs. Knows no pytest."""
