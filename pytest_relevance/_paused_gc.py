"""Python's search for garbage, held while many objects are made that all stay: it takes long, and finds none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def garbage_kept() -> Iterator[None]:
    """Look for no garbage meanwhile.

    In the end what was made is counted among the old objects (what `freeze` and `unfreeze` come to where nothing was
    frozen), or the first look after it would be at them all.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
