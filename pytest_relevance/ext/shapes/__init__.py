"""What clients and libraries of search return: a module for each family.

Each module has `ResponseShape`s. List a new one in `SHAPES` of `bundled.py`, whose
order decides if two fit a response. No library is imported: types are recognised by
their names. The JSON of a server needs no shape, but a row in
`results/responses/engines.py`.
"""
