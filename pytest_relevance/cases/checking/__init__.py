"""The checks of the values in a case file, each value by itself."""
