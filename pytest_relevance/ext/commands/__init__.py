"""The commands that need no run: init, check, convert, raters, merge, report, schema."""
