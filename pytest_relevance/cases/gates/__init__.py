"""The gates of a case file: the conditions that a suite as a whole has to meet."""
