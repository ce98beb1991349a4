"""Workers of pytest-xdist that are copies of this process.

A new process spends most of its time on imports, which a copy finds made. Only the runs that a test starts have such
workers, and only on Linux.
"""

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any

import pytest


@contextlib.contextmanager
def copied_workers() -> Iterator[None]:
    """Have execnet, by which pytest-xdist starts its workers, copy this process rather than start another one."""
    if sys.platform != "linux":
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("execnet.gateway_io.Popen2IOMaster", _copy)
        yield


def _copy(args: object, execmodel: Any) -> Any:
    """Start a copy of this process, and return what execnet reads from it and writes to it; see `Popen2IOMaster`."""
    from execnet.gateway_base import Popen2IO

    class Copy(Popen2IO):  # type: ignore[misc, unused-ignore]
        def wait(self) -> int | None:
            process.join()
            return process.exitcode

        def kill(self) -> None:
            process.kill()

    (own_input, to_copy), (from_copy, own_output) = os.pipe(), os.pipe()
    process = get_context("fork").Process(
        target=_serve, args=(own_input, own_output), daemon=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # that this process has threads; a copy waits for none
        process.start()
    os.close(own_input)
    os.close(own_output)
    return Copy(open(to_copy, "wb"), open(from_copy, "rb"), execmodel)


def _serve(own_input: int, own_output: int) -> None:
    """What `python -c` does with the first line of execnet."""
    os.dup2(own_input, 0)
    os.dup2(own_output, 1)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    exec(eval(sys.stdin.readline()))
