"""What all tests share."""

# A pytest run in this process forgets the modules that it was the first to import. Imported a second time, the modules
# of numpy and of PyYAML no longer fit their compiled halves.
import numpy  # noqa: F401
import pandas  # noqa: F401
import yaml  # noqa: F401
