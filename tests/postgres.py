"""A PostgreSQL server of the tests' own: a user process in a temporary directory,
reached through a Unix socket.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """The directory of initdb and pg_ctl: the newest of Debian's, or that of the PATH;
    None where there is none.
    """
    versions = Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")
    newest = max(versions, key=lambda path: float(path.parts[-3]), default=None)
    found = newest or (
        Path(name).resolve() if (name := shutil.which("initdb")) else None
    )
    return (
        found.parent
        if found is not None and (found.parent / "pg_ctl").exists()
        else None
    )


@contextmanager
def running_server(directory_of_programs: Path) -> Iterator[str]:
    """Run a new, empty server; give its connection string.

    The server refuses to run as root, so that root runs it as the user postgres, or
    nobody where there is none. Its directory is not a fixture's: the path of a socket
    may have 107 bytes at most, and that user must reach it.
    """
    home = Path(tempfile.mkdtemp(prefix="postgres-"))
    user = _user()
    if user is not None:
        os.chown(home, user.pw_uid, user.pw_gid)

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [directory_of_programs / program, "-D", home / "data", *arguments],
            user=None if user is None else user.pw_uid,
            group=None if user is None else user.pw_gid,
            extra_groups=None if user is None else [],
            cwd=home,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a pipe would stay open for as long as the server runs
        )

    try:
        run(
            "initdb",
            "-U",
            "postgres",
            "--auth=trust",
            "--no-sync",
            "--encoding=UTF8",
            "--locale=C",
        )
        run(
            "pg_ctl",
            "-w",
            "-l",
            str(home / "log"),
            "-o",
            f"-k '{home}' -c listen_addresses='' -c fsync=off",
            "start",
        )
        try:
            yield f"host={home} user=postgres dbname=postgres"
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _user() -> pwd.struct_passwd | None:
    """The user of the server where the tests run as root; None where they do not."""
    if os.geteuid() != 0:
        return None
    users = {user.pw_name: user for user in pwd.getpwall()}
    return users.get("postgres") or users["nobody"]
