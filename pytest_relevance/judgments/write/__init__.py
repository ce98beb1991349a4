"""Write judgments and queries in every format that has a place for them, and say what each format cannot hold.

To add a format, write a function that makes text of `Judgments` and add a row to `formats.WRITERS`: the row says what
ids are allowed in the format and what it holds, and all refusals and notices of losses follow from it.
"""
