"""Write data as JSON for a script element of the page. Large data are compressed."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable
from io import BytesIO
from typing import Any

_LEVEL = 6  # of gzip: level 9 takes three times as long for 1 % less

COMPRESSED_FROM = 1_000_000
"""The size in bytes from which the data are compressed with gzip."""


def json_text(data: Any) -> str:
    """Return data as JSON in ASCII.

    Raises:
        ValueError: A number is infinite or not a number, which JSON does not have.
    """
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def embedded(parts: Iterable[str]) -> tuple[str, str]:
    """Return ("json", the JSON), or ("gzip", the JSON compressed and in base64).

    JSON of `COMPRESSED_FROM` bytes or more is compressed. Neither text can end the
    script element that holds it.

    `parts`: the JSON in ASCII. Each part is compressed as soon as it is there, so a
        large JSON is never held as a whole.
    """
    compressed = BytesIO()
    first_parts = []
    size = 0
    with gzip.GzipFile(
        fileobj=compressed, mode="wb", compresslevel=_LEVEL, mtime=0
    ) as file:
        for part in parts:
            file.write(part.encode("ascii"))
            size += len(part)
            if size < COMPRESSED_FROM:
                first_parts.append(part)
    if size < COMPRESSED_FROM:
        return "json", "".join(first_parts).replace("<", "\\u003c")
    return "gzip", base64.b64encode(compressed.getvalue()).decode("ascii")
