"""A server that starts the workers of pytest-xdist by forking a process that has imported pytest and the plugin.

A worker that starts as an interpreter of its own takes three times as long, nearly all of it for imports, and the tests
start two hundred. A forked worker is a process of its own too: it has its own environment, folder, standard streams and
modules of the project, and it can crash. It shows neither what a worker imports nor in which order.
"""

from __future__ import annotations

import gc
import importlib
import marshal
import os
import select
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path

import pytest

CASES = "cases: [{query: a b, judgments: {a: 1}}, {query: a, judgments: {b: 1}, min_ndcg: 1}]"
UNUSED = ("cacheprovider", "asyncio", "anyio", "hypothesispytest", "rerunfailures")
OPTIONS = ("-c", os.devnull, *(f"-pno:{plugin}" for plugin in UNUSED))

CLIENT = """
import marshal, os, socket, sys

client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
request = marshal.dumps((sys.argv[2:], dict(os.environb), os.getcwdb()))
socket.send_fds(client, [len(request).to_bytes(8, "big")], [0, 1, 2])
client.sendall(request)
nothing = os.open(os.devnull, os.O_RDWR)
for descriptor in (0, 1, 2):
    os.dup2(nothing, descriptor)
client.recv(1)  # returns when the worker has ended
"""
"""What runs in the place of an interpreter: it hands its arguments and streams over, and ends with the worker."""


@contextmanager
def running_server() -> Iterator[str]:
    """Run a server; give the path of a program that starts a worker where xdist starts an interpreter."""
    with tempfile.TemporaryDirectory(prefix="workers-") as folder:  # the path of a socket has 107 bytes at most
        address, client, program = (Path(folder, name) for name in ("socket", "client.py", "python"))
        client.write_text(CLIENT, encoding="utf-8")
        start = shlex.join([sys.executable, "-I", "-S", str(client), str(address)])
        program.write_text(f'#!/bin/sh\nexec {start} "$@"\n', encoding="utf-8")
        program.chmod(0o700)
        command = [sys.executable, __file__, str(address)]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        ) as server:  # closes its standard input in the end, at which it ends
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield str(program)


def serve(address: str) -> None:
    """Fork a worker for each client, until standard input ends."""
    _import_what_workers_import(Path(address).parent)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("ready", flush=True)
        gc.freeze()  # a worker that looks for garbage looks at its own objects
        while sys.stdin not in select.select([sys.stdin, listening], [], [])[0]:
            client, _ = listening.accept()
            request, descriptors = _received(client)
            if os.fork() == 0:
                listening.close()
                _work(*request, descriptors)  # the client's socket stays open until the worker ends
                return
            for descriptor in (client.detach(), *descriptors):
                os.close(descriptor)
            _reap()
    _reap()


def _import_what_workers_import(folder: Path) -> None:
    """Run pytest on two cases, so that it imports its plugins itself: it warns of those that it finds imported."""
    cases = folder / "shop.relevance.yaml"
    cases.write_text(CASES, encoding="utf-8")
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        code = pytest.main([*OPTIONS, f"--rootdir={folder}", str(cases)], plugins=[_Search()])
    assert code == pytest.ExitCode.TESTS_FAILED, code
    importlib.import_module("execnet.gateway_base")
    assert threading.active_count() == 1  # a fork has only the thread that forks


class _Search:
    @pytest.fixture
    def search(self) -> Callable[[str], list[str]]:
        return str.split


def _reap() -> None:
    """Remove the workers that have ended from the table of processes."""
    with suppress(ChildProcessError):  # there are no workers
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _received(client: socket.socket) -> tuple[tuple[list[str], dict[bytes, bytes], bytes], list[int]]:
    """Arguments, environment and folder of a client, and its standard streams."""
    size, descriptors, _, _ = socket.recv_fds(client, 8, 3)
    with client.makefile("rb") as lines:
        return marshal.loads(lines.read(int.from_bytes(size, "big"))), descriptors


def _work(arguments: list[str], environment: dict[bytes, bytes], folder: bytes, descriptors: list[int]) -> None:
    """Be the interpreter that was asked for: `-u -c CODE`."""
    for stream, descriptor in enumerate(descriptors):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(environment)
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.path[0], sys.argv = "", ["-c"]
    exec(arguments[-1], {"__name__": "__main__"})


if __name__ == "__main__":
    serve(sys.argv[1])
