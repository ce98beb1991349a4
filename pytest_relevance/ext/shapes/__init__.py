"""What clients and libraries of search return: a module for each family.

Each module has `ResponseShape`s, which `bundled.py` names in the order in which a
response is looked at. No library is imported: types are recognised by their names.
"""
