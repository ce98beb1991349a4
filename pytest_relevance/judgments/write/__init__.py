"""Write judgments and queries in every format that has a place for them, and report what each format cannot store.

To add a format, write a function that makes text of `Judgments` and add a row to `formats.WRITERS`: the row says what
ids are allowed in the format and what it stores, and all refusals and notices of losses follow from it.
"""
