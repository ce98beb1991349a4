"""What a record says of a case file beside the results of its cases: what shards of a run are put together by."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pytest_relevance.cases.gates import gate_of, gate_values
from pytest_relevance.cases.model import Gate
from pytest_relevance.runs.shapes import is_whole

Total = tuple[str, str | None, int]
"""A search, its parameter id, and how many cases a file has in it, whether they were chosen to run or not."""


@dataclass(frozen=True, slots=True)
class CaseFileFacts:
    """A case file as a run found it. `node` is its node id; `content` stands for all that it and its files say.

    `gates` are its gates, each with its line.
    """

    node: str
    content: str
    totals: tuple[Total, ...] = ()
    gates: tuple[tuple[Gate, int], ...] = ()

    def values(self) -> dict[str, Any]:
        """The same as a record has it."""
        return {
            "node": self.node,
            "content": self.content,
            "totals": [[*total] for total in self.totals],
            "gates": [{**gate_values(gate), "line": line} for gate, line in self.gates],
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> CaseFileFacts:
        """The facts that a record has. KeyError, TypeError or ValueError for what are none."""
        totals = tuple((search, variant, count) for search, variant, count in values["totals"])
        for total in totals:
            if not _is_total(*total):
                raise ValueError(f"a total is a search, its variant and a number of cases, not {[*total]}")
        gates = tuple((gate_of(each), each["line"]) for each in values["gates"])
        texts = (values["node"], values["content"])
        if not all(isinstance(text, str) for text in texts) or not all(is_whole(line) for _, line in gates):
            raise ValueError("a node id and a content are texts, and a line of a gate is a whole number")
        return cls(*texts, totals, gates)


def _is_total(search: object, variant: object, count: object) -> bool:
    return isinstance(search, str) and (variant is None or isinstance(variant, str)) and is_whole(count)


def content_of(path: str | os.PathLike[str], others: Iterable[str | os.PathLike[str]]) -> str:
    """A short text that stands for what a case file and the files that it names say, whatever ends their lines."""
    digest = blake2b(digest_size=8)
    for file in (path, *others):
        try:
            data = Path(file).read_bytes().replace(b"\r\n", b"\n")
        except OSError:  # it was there a moment ago, when it was read
            data = b""
        digest.update(b"%d\n" % len(data))
        digest.update(data)
    return digest.hexdigest()
