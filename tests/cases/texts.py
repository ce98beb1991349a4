"""Texts that a reader of YAML could take for something else, for tests of reading and
of writing.
"""

LIKE_WORDS = ["no", "y", "on", "true", "null", "~", "="]
LIKE_NUMBERS = ["7", "007", "0x1F", "1e5", "1.50", ".5", "1.", "+5", "1_000", ".nan"]
LIKE_TIMES = ["12:30", "2024-01-01", "2024-01-01T10:00:00Z"]
LIKE_VALUES = [*LIKE_WORDS, *LIKE_NUMBERS, *LIKE_TIMES, "1,5", "5%"]
"""Texts that may stand without quotes."""

LIKE_STRUCTURE = ["<<", "-", "- a", "? a", "a: b", "a:", "{a}", "[a]", "a, b", "---"]
LIKE_MARKS = ["#a", "a #b", "*a", "&a", "!a", "%a", "@a", "`a", "'a'", '"a"', "..."]
LIKE_SYNTAX = [*LIKE_STRUCTURE, *LIKE_MARKS]
"""Texts that need quotes."""

BLANKS = [" a", "a ", "a\tb", "a\nb", "a\r\nb", "a\x85b", "a\u2028b"]
RARE_CHARACTERS = ["\ufeffa", "\x07", "a\\b", "é", "👟", "a\u200db"]
OF_A_CASE = ["file", "grade", "__a", "::", "a::b", "100%", "10020#0", "x" * 900]
"""Texts that mean something in a case file or in the id of a test, and a long one."""
