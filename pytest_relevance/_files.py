"""Read whole files, plain or gzip, and write files atomically.

Every subpackage may import this module; it imports none of them. It does not interpret
the content of files.
"""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from gzip import BadGzipFile, GzipFile
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

LARGEST_EXPANDED = 4 << 30
"""The largest size to which a gzip file may expand, in bytes."""

ALWAYS_EXPANDED = 64 << 20
LARGEST_RATIO = 250
"""The largest ratio of expanded to packed size, above `ALWAYS_EXPANDED` bytes.

Text never reaches it.
"""

_GZIP = b"\x1f\x8b"
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_STEP = 1 << 20

_PACKED: Mapping[bytes, str] = {
    b"PK\x03\x04": "a zip archive (.zip, or a workbook such as .xlsx)",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard (.zst)",
    b"\x04\x22\x4d\x18": "compressed with LZ4 (.lz4)",
    b"\xfd7zXZ\x00": "compressed with xz (.xz)",
}
"""The formats that are not unpacked: how a file begins, and what messages call it."""


class Unreadable(ValueError):
    """The content of a file cannot be unpacked.

    The message gives the reason, without the name of the file.
    """


def unpacked(data: bytes) -> bytes:
    """Return the unpacked content of gzip data, and any other data unchanged.

    Raises `Unreadable` for gzip data that is truncated, damaged or expands too far, and
    for data in another compressed or archive format.
    """
    if data.startswith(_GZIP):
        data = b"".join(_parts(BytesIO(data)))
    _refuse_packed(data)
    return data


def _refuse_packed(data: bytes) -> None:
    for beginning, description in _PACKED.items():
        if data.startswith(beginning):
            raise Unreadable(
                f"the file is {description}, and only gzip is unpacked here; unpack "
                "the file, and name what is in it"
            )


def line_blocks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the content of a file in blocks of whole lines, each of about a megabyte.

    A gzip file is unpacked. Raises OSError if the file cannot be read. Raises
    `Unreadable` for gzip data that is truncated, damaged or expands too far, and for
    data in another compressed or archive format.
    """
    with open(path, "rb") as raw:
        rest: list[bytes] = []  # parts of a line whose end was not read yet
        for number, part in enumerate(_parts(raw)):
            if not number:
                _refuse_packed(part)
            lines, end, beginning = part.rpartition(b"\n")
            if end:
                yield b"".join([*rest, lines, end])
                rest = [beginning] if beginning else []
            else:
                rest.append(part)
        if rest:
            yield b"".join(rest)


def _parts(raw: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file in parts of a megabyte. A gzip file is unpacked.

    A gzip file may have several members. Raises `Unreadable` for gzip data that is
    truncated, damaged, or expands beyond the limits of this module.
    """
    is_gzip = raw.read(len(_GZIP)) == _GZIP
    size = raw.seek(0, os.SEEK_END)
    raw.seek(0)
    most = min(LARGEST_EXPANDED, max(ALWAYS_EXPANDED, LARGEST_RATIO * size))
    expanded = 0
    try:
        with GzipFile(fileobj=raw) if is_gzip else raw as file:
            for part in iter(partial(file.read, _STEP), b""):
                expanded += len(part)
                if is_gzip and expanded > most:
                    raise Unreadable(
                        f"the gzip file of {size:,} bytes expands to more than "
                        f"{most:,} bytes, and is not unpacked here; if this size is "
                        "right, unpack the file yourself"
                    )
                yield part
    except EOFError:
        raise Unreadable("the gzip file is truncated; fetch or pack it again") from None
    except (zlib.error, BadGzipFile) as error:
        raise Unreadable(
            f"the gzip file is damaged ({error}); fetch or pack it again"
        ) from None


def digest_files(paths: Iterable[str | os.PathLike[str]]) -> str:
    """Return a hexadecimal digest of the contents of files.

    Line ends (CRLF or LF) do not change the digest. A file that cannot be read counts
    as empty.
    """
    digest = blake2b(digest_size=8)
    for path in paths:
        try:
            data = Path(path).read_bytes().replace(b"\r\n", b"\n")
        except OSError:
            data = b""
        digest.update(b"%d\n" % len(data))
        digest.update(data)
    return digest.hexdigest()


def write_whole(path: str | os.PathLike[str], data: bytes | Iterable[bytes]) -> None:
    """Write a file atomically: other processes read the old content or the new one.

    A temporary file in the same folder is written, synced to disk, and then takes the
    place of the file. Permissions are kept, and a symbolic link is followed. A pipe or
    a device is written to directly.

    `data`: the content, at once or in parts.

    Raises OSError if the file is read-only or cannot be written. Then an old file is
    unchanged, and no temporary file remains.
    """
    target = Path(os.path.realpath(path))
    parts = [data] if isinstance(data, bytes) else data
    if is_read_only(target):
        raise PermissionError(errno.EACCES, "it is read-only", os.fspath(path))
    if target.exists() and not target.is_file():
        # a pipe or /dev/stdout cannot be replaced
        with target.open("wb") as device:
            device.writelines(parts)
        return
    _replace(target, parts)


def _replace(target: Path, parts: Iterable[bytes]) -> None:
    """Write parts to a temporary file, and put it in the place of a file."""
    mode = target.stat().st_mode & 0o7777 if target.exists() else None
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    opener = partial(os.open, mode=0o666 if mode is None else 0o600)
    with open(temporary, "xb", opener=opener) as new:
        try:
            new.writelines(parts)
            new.flush()
            os.fsync(new.fileno())
            if mode is not None:
                os.chmod(temporary, mode)
            new.close()  # Windows does not rename an open file
            os.replace(temporary, target)
        except BaseException:
            # on a full disk closing fails too: it writes what is left
            with suppress(OSError):
                new.close()
            with suppress(OSError):
                temporary.unlink()
            raise


def is_read_only(path: str | os.PathLike[str]) -> bool:
    """Say whether a file exists and is write-protected.

    The mode of the file counts, even if its folder is writable or the user is root, who
    could replace the file. False if the file does not exist.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError:  # the file does not exist
        return False
    return not mode & _WRITABLE or not os.access(path, os.W_OK)


def name_to_forward(path: str, root: str | os.PathLike[str]) -> str:
    """Return the name of a file for a report that is passed on to others.

    A file inside `root` has its path below `root`. Any other file has its name alone,
    so that no folder of the machine is told. A relative path stays as it is.
    """
    full = os.path.expanduser(path)
    if not os.path.isabs(full):
        return path
    inside = os.path.realpath(root) + os.sep
    real = os.path.realpath(full)
    if real.startswith(inside):
        return Path(real[len(inside) :]).as_posix()
    return os.path.basename(full)
