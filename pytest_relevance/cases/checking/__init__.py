"""The checks of what is written for the keys of a case file, each value by itself."""
