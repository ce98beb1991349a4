"""Reading whole files, gzip or not, and writing them so that nobody ever sees half of one.

Every wing may import it; it knows nothing of any of them. What a file holds is not its business.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from gzip import BadGzipFile, GzipFile
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile

LARGEST_EXPANDED = 4 << 30
"""What a gzip file may expand to, in bytes."""

ALWAYS_EXPANDED = 64 << 20
LARGEST_RATIO = 250
"""Beyond `ALWAYS_EXPANDED` bytes, how many times its size a gzip file may expand to: text is never packed like that."""

_GZIP = b"\x1f\x8b"
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_STEP = 1 << 20

_PACKED: Mapping[bytes, str] = {
    b"PK\x03\x04": "a zip archive (.zip, or a workbook such as .xlsx)",
    b"PK\x05\x06": "an empty zip archive",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard (.zst)",
    b"\x04\x22\x4d\x18": "compressed with LZ4 (.lz4)",
    b"\x02\x21\x4c\x18": "compressed with LZ4 (.lz4)",
    b"BZh": "compressed with bzip2 (.bz2)",
    b"\xfd7zXZ\x00": "compressed with xz (.xz)",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive (.7z)",
    b"Rar!\x1a\x07": "a RAR archive (.rar)",
}
"""The first bytes of compressed files that are not unpacked here, and what messages call them."""

_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)")
_TAR, _TAR_AT = b"ustar", 257


class Unreadable(ValueError):
    """A file that cannot be read as it is; the message says why, without the name of the file."""


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, unpacked where it is gzip, which its first bytes tell.

    Raises OSError when the file cannot be opened, `Unreadable` as `unpacked` does.
    """
    return unpacked(Path(path).read_bytes())


def unpacked(data: bytes) -> bytes:
    """Bytes as they are, or the content of gzip.

    Raises `Unreadable` for gzip that ends early, is damaged or expands without end, and for other compressed files and
    archives, which it names.
    """
    if data.startswith(_GZIP):
        data = gunzip(data)
    what = next((what for magic, what in _PACKED.items() if data.startswith(magic)), None)
    if what is not None and data.startswith(b"BZh") and not _BZIP2.match(data):
        what = None  # text that begins with these letters
    if data[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        what = "a tar archive (.tar)"
    if what is not None:
        raise Unreadable(f"the file is {what}; unpack it, and name the file in it: only gzip is unpacked here")
    return data


def gunzip(data: bytes) -> bytes:
    """Unpack gzip, of several members too, within bounds. `Unreadable` where that cannot be done."""
    most = min(LARGEST_EXPANDED, max(ALWAYS_EXPANDED, LARGEST_RATIO * len(data)))
    parts: list[bytes] = []
    size = 0
    try:
        with GzipFile(fileobj=BytesIO(data)) as file:
            while part := file.read(_STEP):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise Unreadable(
                        f"the gzip file of {len(data):,} bytes expands to more than {most:,} bytes; it is not unpacked "
                        "here: unpack it yourself if that is right"
                    )
    except EOFError:
        raise Unreadable("the gzip file ends early, it is truncated; fetch or pack it again") from None
    except (zlib.error, BadGzipFile) as error:
        raise Unreadable(f"the gzip file is damaged ({error}); fetch or pack it again") from None
    return b"".join(parts)


def digest_files(paths: Iterable[str | os.PathLike[str]]) -> str:
    """A short text that is equal where the files hold the same text, whatever ends their lines.

    A file that cannot be read counts as an empty one.
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


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file in one step: whoever looks finds the old one or the new one, never half of it.

    The new one is written beside it, brought to the disk and put in its place, with the permissions that the old one
    has; a link is followed. Raises OSError, also for a file that is read-only, and then the old file is as it was and
    nothing is left beside it.
    """
    target = Path(os.path.realpath(path))
    if is_read_only(target):
        raise PermissionError(errno.EACCES, "it is read-only", os.fspath(path))
    if target.exists() and not target.is_file():  # a pipe or /dev/stdout cannot be replaced
        target.write_bytes(data)
        return
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp", delete=False) as new:
        try:
            new.write(data)
            new.flush()
            os.fsync(new.fileno())
            os.chmod(new.name, target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
            new.close()
            os.replace(new.name, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(new.name)
            raise


def is_read_only(path: str | os.PathLike[str]) -> bool:
    """Whether a file is there that nobody may write to, or not this user.

    Its own mode is looked at: a folder that can be written to is enough to replace it, and root may write to anything.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError:  # there is none
        return False
    return not mode & _WRITABLE or not os.access(path, os.W_OK)


def _umask() -> int:
    """What new files are not allowed; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
