"""Read logs of clicks: tables, or User Behavior Insights."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pytest_relevance._files import Unreadable, line_blocks
from pytest_relevance._object_table import ObjectTable
from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance._tables import table_of
from pytest_relevance._text import (
    counted,
    did_you_mean,
    examples,
    first_few,
    listed,
    quoted,
)
from pytest_relevance.ext.clicks.click_log import ClickLog, LogOptions, Shown, log_of
from pytest_relevance.ext.clicks.left_out import LeftOut, Reason, left_out_lines
from pytest_relevance.ext.clicks.table_logs import TableLogs, is_click_table
from pytest_relevance.ext.clicks.ubi import UbiLogs
from pytest_relevance.ext.clicks.ubi_files import (
    add_lines,
    add_table,
    add_values,
    is_ubi_record,
    is_ubi_table,
)


@dataclass(frozen=True, slots=True)
class ReadLog:
    """A log, and what its files have beside the log.

    `left_out`: the parts of the files that do not count.
    `clicks_of`: {client: number of its clicks}.
    `clients_left_out`: the clients whose events or rows were left out.
    `unread`: the columns of tables that nothing reads.
    """

    log: ClickLog
    left_out: LeftOut
    clicks_of: dict[str, int]
    clients_left_out: Collection[str]
    unread: Sequence[str] = ()


def read_logs(files: Sequence[str], options: LogOptions) -> ReadLog:
    """Return the log that one or several files have together.

    Raises FileError if a file is not a log, if tables and User Behavior Insights are
    mixed, if nothing was shown or clicked, or if no position is known.
    """
    tables = TableLogs(options.without_clients)
    ubi = UbiLogs(options)
    first_is_ubi = _add(files[0], tables, ubi)
    for file in files[1:]:
        is_ubi = _add(file, tables, ubi)
        if is_ubi != first_is_ubi:
            raise FileError.at(
                file,
                f"{_kind(is_ubi)}, and {files[0]} is {_kind(first_is_ubi)}; read them one by one",
            )
    name = listed(files, "and")
    if first_is_ubi:
        return _ubi_log(name, ubi, options)
    return _read_log(name, tables, tables.shown, unread=[*tables.unread])


def _kind(is_ubi: bool) -> str:
    return "a log of User Behavior Insights" if is_ubi else "a table of clicks"


def _add(file: str, tables: TableLogs, ubi: UbiLogs) -> bool:
    """Read a file into `ubi` or `tables`. Return whether it was read into `ubi`."""
    if _has_ubi_lines(file):
        add_lines(ubi, file)
        return True
    source = Source.read(file)
    if source.looks_like_json:
        entries = source.entries
        if entries and is_ubi_record(entries[0]):
            add_values(ubi, file, entries)
            return True
    table = table_of(source)
    is_ubi = is_ubi_table(table.names) and not is_click_table(table.names)
    if is_ubi and not isinstance(table, ObjectTable):
        add_table(ubi, table)
        return True
    tables.add(source)
    return False


def _has_ubi_lines(file: str) -> bool:
    """Say whether the first line of a file is a record of User Behavior Insights.

    Return False for a list of records that is written in one line: such a file is JSON.
    The file is not read as a whole, because it may be larger than the memory. Raises
    FileError if the file cannot be read.
    """
    try:
        first_block = next(line_blocks(file), b"")
    except Unreadable as error:
        raise FileError.at(file, str(error)) from None
    except OSError as error:
        raise FileError.at(file, f"cannot be read: {error.strerror or error}") from None
    lines = first_block.removeprefix(b"\xef\xbb\xbf").lstrip().splitlines()
    with suppress(ValueError, RecursionError, IndexError):
        value = json.loads(lines[0])
        is_whole_file = isinstance(value, list) and len(lines) == 1
        return is_ubi_record(value) and not is_whole_file
    return False


def _read_log(
    name: str,
    logs: TableLogs | UbiLogs,
    shown: Sequence[Shown],
    unread: Sequence[str] = (),
) -> ReadLog:
    """Return the log of all documents that were shown.

    Raises FileError if nothing was shown, or if nothing was clicked.
    """
    if not any(len(part.query) for part in shown):
        _refuse_empty(name, logs.left_out)
    log = log_of(shown, logs.queries.names, logs.documents.names)
    _check_clicks(name, log)
    return ReadLog(
        log=log,
        left_out=logs.left_out,
        clicks_of=logs.clicks_of,
        clients_left_out=logs.clients_left_out,
        unread=unread,
    )


def _refuse_empty(name: str, left_out: LeftOut) -> None:
    """Raise FileError for a log of which everything is left out."""
    found = listed(left_out_lines(left_out), "and") or "no row"
    raise FileError.at(
        name,
        f"nothing is left of the log; found {found}. A log needs documents that were shown, each with its query "
        "and its position",
    )


def _check_clicks(name: str, log: ClickLog) -> None:
    if not log.clicks.any():
        shown = int(log.impressions.sum())
        raise FileError.at(
            name,
            f"there is no click that counts, of {counted(shown, 'impression')}; without clicks there are no judgments",
        )


# --- User Behavior Insights -----------------------------------------------------------


def _ubi_log(name: str, ubi: UbiLogs, options: LogOptions) -> ReadLog:
    """Return the log of searches and events. Raises FileError if it cannot be used."""
    if not ubi.clicks_read:
        _refuse_actions(name, ubi, "clicks", options.clicks, "--click")
    if not ubi.impressions_read and not ubi.has_hits:
        _refuse_actions(name, ubi, "impressions", options.impressions, "--impression")
    if not ubi.impressions_read:
        _check_hits(name, ubi)
    read = _read_log(name, ubi, [ubi.shown_with_clicks()])
    if ubi.other_actions:
        other = Reason("event", f"with another action: {_actions_text(ubi)}")
        read.left_out[other] = ubi.other_actions.total()
    return read


def _refuse_actions(
    name: str, ubi: UbiLogs, what: str, actions: Collection[str], option: str
) -> None:
    """Raise FileError for a log without clicks, or without impressions.

    `what`: `clicks` or `impressions`.
    `actions`: the values of action_name that count as such.
    `option`: the option that names others.
    """
    events = ubi.impressions_read + ubi.clicks_read + ubi.other_actions.total()
    if not events:
        searches = counted(ubi.searches_read, "search", "searches")
        raise FileError.at(
            name,
            f"there are {searches} and no event; name the file of ubi_events too",
        )
    wanted = listed([quoted(action) for action in actions])
    hits = ", and no search has query_response_hit_ids" if what == "impressions" else ""
    others = close = ""
    if ubi.other_actions:
        others = f"; other actions are {_actions_text(ubi)}"
    for action in actions:
        close = close or did_you_mean(action, ubi.other_actions)
    raise FileError.at(
        name,
        f"there are no {what}: no event has the action_name {wanted}{hits}; {option} names another one{others}{close}",
    )


def _actions_text(ubi: UbiLogs) -> str:
    """Return the five most frequent other actions with their counts, as text.

    Other actions are neither clicks nor impressions. If there are more than five, the
    text says how many more.
    """
    actions = []
    for action, count in ubi.other_actions.most_common():
        actions.append(f"{action} ({count:,})")
    return first_few(actions, 5)


def _check_hits(name: str, ubi: UbiLogs) -> None:
    """Raise FileError if no clicked document is among the documents of any search.

    Then searches and events probably have different ids for the same documents.
    """
    clicked = ubi.clicked_documents()
    hits = ubi.hits()
    if set(clicked).isdisjoint(hits):
        click = clicked[0] if clicked else ""
        raise FileError.at(
            name,
            f"no clicked document is one of query_response_hit_ids; a click is on {examples([click])}, a hit is "
            f"{examples(hits[:1])}. Log the same id in both (object_id_field), or log impressions",
        )
