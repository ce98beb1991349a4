"""What clients and libraries of search return: a module for each family.

Each module has `ResponseShape`s. List a new one in `SHAPES` of `bundled.py`. Responses
are compared with the shapes in that order. No library is imported: types are recognised
by their names. The JSON of a server needs no shape: add a row to
`results/responses/engines.py`.
"""
