"""The pause of the garbage collector ends with its block."""

from __future__ import annotations

import gc

import pytest

from pytest_relevance._paused_gc import paused_gc


def test_garbage_is_collected_again() -> None:
    assert gc.isenabled()
    with paused_gc():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_garbage_is_collected_again_after_a_mistake() -> None:
    with pytest.raises(ZeroDivisionError), paused_gc():
        raise ZeroDivisionError
    assert gc.isenabled()
