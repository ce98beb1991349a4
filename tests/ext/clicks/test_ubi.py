"""User Behavior Insights as real logs have them. All are the log of one table."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.ext.clicks.conftest import Shop

TABLE = [
    ("boots", "sku-1", 1, 60, 30),
    ("boots", "sku-1", 2, 60, 20),
    ("boots", "sku-2", 1, 60, 10),
    ("boots", "sku-2", 2, 60, 6),
    ("laces", "sku-3", 1, 60, 12),
    ("laces", "7", 2, 60, 1),
]
Records = list[dict[str, Any]]


def search_ids() -> list[str]:
    """The query_id of each search: one search for each document shown."""
    return [f"{row}-{time}" for row in range(len(TABLE)) for time in range(60)]


def searches() -> Records:
    records: Records = []
    for query_id in search_ids():
        query, document, position, _, _ = TABLE[int(query_id[0])]
        before = [f"other-{place}" for place in range(1, position)]
        records.append(
            {
                "application": "shop",
                "query_id": query_id,
                "client_id": f"client-{query_id}",
                "user_query": query,
                "timestamp": "2026-11-28T10:00:00.000+0000",
                "query_attributes": {},
                "query_response_hit_ids": [*before, document],
            }
        )
    return records


def event(query_id: str, action: str) -> dict[str, Any]:
    _, document, position, _, _ = TABLE[int(query_id[0])]
    return {
        "application": "shop",
        "action_name": action,
        "query_id": query_id,
        "client_id": f"client-{query_id}",
        "timestamp": "2026-11-28T10:00:03.000+0000",
        "message": None,
        "event_attributes": {
            "object": {"object_id": document, "object_id_field": "sku"},
            "position": {"ordinal": position},
        },
    }


def impressions() -> Records:
    return [event(query_id, "impression") for query_id in search_ids()]


def clicks() -> Records:
    records = []
    for query_id in search_ids():
        row, _, time = query_id.partition("-")
        if int(time) < TABLE[int(row)][4]:
            records.append(event(query_id, "click"))
    return records


def lines(records: Records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def camel(value: Any) -> Any:
    """A record with names as `queryId`."""
    if isinstance(value, list):
        return [camel(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    renamed = {}
    for name, member in value.items():
        first, *others = name.split("_")
        renamed[first + "".join(map(str.capitalize, others))] = camel(member)
    return renamed


def changed(records: Records, change: Callable[[dict[str, Any]], None]) -> Records:
    for record in records:
        change(record)
    return records


def set_index(record: dict[str, Any]) -> None:
    position = record["event_attributes"]["position"]
    position["ordinal"] = {"index": position["ordinal"]}


def count_from_zero(record: dict[str, Any]) -> None:
    record["event_attributes"]["position"]["ordinal"] -= 1


def write_position_as_text(record: dict[str, Any]) -> None:
    position = record["event_attributes"]["position"]
    position["ordinal"] = str(position["ordinal"])


def make_ids_numbers(record: dict[str, Any]) -> None:
    shown = record["event_attributes"]["object"]
    if shown["object_id"] == "7":
        shown["object_id"] = 7


def set_query(record: dict[str, Any]) -> None:
    record["user_query"] = TABLE[int(record["query_id"][0])][0]


def set_query_with_spaces(record: dict[str, Any]) -> None:
    record["user_query"] = f" {TABLE[int(record['query_id'][0])][0]} "


def events() -> Records:
    return impressions() + clicks()


def bulk() -> str:
    text = ""
    for record in searches() + events():
        index = "ubi_events" if "action_name" in record else "ubi_queries"
        text += json.dumps({"index": {"_index": index, "_id": "x"}}) + "\n"
        text += json.dumps(record) + "\n"
    return text


def dump() -> str:
    """As exports of an index have it."""
    hits: Records = []
    for record in searches() + events():
        hits.append({"_index": "ubi", "_id": "x", "_source": record})
    return lines(hits)


def events_table(records: Records) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(
        [
            "_id",
            "action_name",
            "query_id",
            "event_attributes.object.object_id",
            "event_attributes.position.ordinal",
            "client_id",
        ]
    )
    for record in records:
        attributes = record["event_attributes"]
        row = ["x", record["action_name"], record["query_id"]]
        row.append(attributes["object"]["object_id"])
        row += [attributes["position"]["ordinal"], record["client_id"]]
        writer.writerow(row)
    return text.getvalue()


def events_table_with_json() -> str:
    """A table whose cells have JSON."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["query_id", "action_name", "event_attributes"])
    for record in events():
        attributes = json.dumps(record["event_attributes"])
        writer.writerow([record["query_id"], record["action_name"], attributes])
    return text.getvalue()


def searches_table(write: Callable[[Any], str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["query_id", "user_query", "query_response_hit_ids"])
    for record in searches():
        hits = write(record["query_response_hit_ids"])
        writer.writerow([record["query_id"], record["user_query"], hits])
    return text.getvalue()


def second_pages() -> Records:
    """Searches whose documents at position 2 are the first of a page from 1."""
    records = searches()
    for record in records:
        hits = record["query_response_hit_ids"]
        if len(hits) == 2:
            record["query_response_hit_ids"] = hits[1:]
            record["query_attributes"] = {"from": 1}
    return records


def second_pages_of_requests() -> Records:
    records = second_pages()
    for record in records:
        request = {"from": record["query_attributes"].pop("from", 0), "size": 10}
        record["query"] = json.dumps(request)
    return records


LOGS: Mapping[str, Callable[[], dict[str, str]]] = {
    "1.3": lambda: {"q.jsonl": lines(searches()), "e.jsonl": lines(events())},
    "1.0": lambda: {
        "q.jsonl": lines(searches()),
        "e.jsonl": lines(changed(events(), set_index)),
    },
    "events first": lambda: {
        "e.jsonl": lines(events()),
        "q.jsonl": lines(searches()),
    },
    "one file": lambda: {"all.ndjson": lines(clicks() + impressions() + searches())},
    "bulk": lambda: {"all.ndjson": bulk()},
    "dump": lambda: {"all.json": dump()},
    "camel": lambda: {"all.jsonl": lines(camel(searches() + events()))},
    "list": lambda: {"all.json": json.dumps(searches() + events(), indent=1)},
    "list in one line": lambda: {"all.json": json.dumps(searches() + events())},
    "lists": lambda: {
        "all.jsonl": "".join(f"{json.dumps([r])}\n" for r in searches() + events())
    },
    "text in events": lambda: {"e.jsonl": lines(changed(events(), set_query))},
    "spaces": lambda: {"e.jsonl": lines(changed(events(), set_query_with_spaces))},
    "from zero": lambda: {
        "q.jsonl": lines(searches()),
        "e.jsonl": lines(changed(events(), count_from_zero)),
    },
    "positions as text": lambda: {
        "q.jsonl": lines(searches()),
        "e.jsonl": lines(changed(events(), write_position_as_text)),
    },
    "ids that are numbers": lambda: {
        "q.jsonl": lines(searches()),
        "e.jsonl": lines(changed(events(), make_ids_numbers)),
    },
    "query ids twice": lambda: {
        "q.jsonl": lines(searches() + searches()),
        "e.jsonl": lines(events()),
    },
    "csv": lambda: {
        "q.csv": searches_table(json.dumps),
        "e.csv": events_table(events()),
    },
    "csv with json": lambda: {
        "q.csv": searches_table(json.dumps),
        "e.csv": events_table_with_json(),
    },
}


@pytest.mark.parametrize("log", LOGS)
def test_a_log_is_read_as_the_table_of_its_counts(log: str, shop: Shop) -> None:
    shop.write_rows("table.csv", TABLE)
    assert shop.clicks("table.csv", "--min-expected=0").code == 0
    grades = shop.grades()
    assert len(grades) == 4
    files = LOGS[log]()
    for name, text in files.items():
        shop.write(name, text)
    said = shop.clicks(*files, "--min-expected=0")
    assert (said.code, said.err) == (0, "")
    assert shop.grades() == grades
    assert "read: 79 clicks and 360 impressions of 4 pairs" in said.out
    assert "left out" not in said.out


HITS: Mapping[str, Callable[[], dict[str, str]]] = {
    "hits": lambda: {"q.jsonl": lines(searches()), "e.jsonl": lines(clicks())},
    "second pages": lambda: {
        "q.jsonl": lines(second_pages()),
        "e.jsonl": lines(clicks()),
    },
    "requests": lambda: {
        "q.jsonl": lines(second_pages_of_requests()),
        "e.jsonl": lines(clicks()),
    },
    "json": lambda: {
        "q.csv": searches_table(json.dumps),
        "e.csv": events_table(clicks()),
    },
    "python": lambda: {
        "q.csv": searches_table(repr),
        "e.csv": events_table(clicks()),
    },
}


@pytest.mark.parametrize("log", HITS)
def test_hits_of_searches_are_the_impressions_if_no_event_is(
    log: str, shop: Shop
) -> None:
    shop.write_rows("table.csv", TABLE)
    shop.clicks("table.csv", "--min-expected=4")
    grades = shop.grades()
    files = HITS[log]()
    for name, text in files.items():
        shop.write(name, text)
    # documents above those of the table were never clicked, and are graded 0
    assert shop.clicks(*files, "--rates=reciprocal", "--min-expected=0").code == 0
    found = {pair for pair in shop.grades() if not pair[1].startswith("other")}
    assert found >= grades.keys()
    clicked = {}
    for row in shop.judged():
        if row["clicks"] != "0":
            clicked[row["query"], row["document"]] = int(row["clicks"])
    assert clicked == {
        ("boots", "sku-1"): 50,
        ("boots", "sku-2"): 16,
        ("laces", "sku-3"): 12,
        ("laces", "7"): 1,
    }


def test_a_packed_log(shop: Shop) -> None:
    data = gzip.compress(lines(searches() + events()).encode())
    (shop.folder / "ubi.jsonl.gz").write_bytes(data)
    assert shop.clicks("ubi.jsonl.gz").code == 0


def spoilt(query_id: str, action: str, **attributes: Any) -> dict[str, Any]:
    record = event(query_id, action)
    record["event_attributes"].update(attributes)
    return record


def test_what_does_not_count_is_counted(shop: Shop) -> None:
    without_id = event("0-0", "click")
    del without_id["query_id"]
    unknown = event("0-0", "impression") | {"query_id": "unknown"}
    two_texts = [
        {"query_id": "two", "user_query": "boots"},
        {"query_id": "two", "user_query": "laces"},
    ]
    strange: Records = [
        without_id,
        spoilt("0-0", "click", object={"name": "the filter for brands"}),
        unknown,
        event("0-0", "impression") | {"query_id": "two"},
        spoilt(
            "0-0", "impression", object={"object_id": "x"}, position={"ordinal": -1}
        ),
        spoilt("0-0", "impression", object={"object_id": "y"}, position={"xy": {}}),
        event("0-0", "impression"),
        event("0-0", "click"),
        spoilt("0-0", "click", object={"object_id": "never shown"}),
        event("0-0", "add_to_cart"),
        event("0-0", "brand_filter"),
        {
            "query_id": "red",
            "user_query": "boots",
            "query_attributes": {"filters": ["red"]},
        },
        event("0-0", "impression") | {"query_id": "red"},
    ]
    shop.write("ubi.jsonl", lines(searches() + events() + two_texts + strange))
    said = shop.clicks("ubi.jsonl")
    assert said.code == 0
    left_out = said.out.partition("left out:\n")[2].partition("written")[0]
    assert sorted(line.strip() for line in left_out.splitlines()) == [
        "1 click on a document that its search had a click on before, which counts once",
        "1 click without an impression that counts",
        "1 document shown for a query_id that has two texts",
        "1 document shown for a search with filters (--filtered counts them)",
        "1 document shown without the text of its search: the event has no user_query, and no search has its query_id",
        "1 event without a query_id",
        "1 event without an object_id",
        "1 impression of a document that its search had shown before, which counts once",
        "2 documents shown without a position, or with a negative one",
        "2 events with another action: add_to_cart (1) and brand_filter (1)",
    ]


def test_searches_with_filters_count_on_demand(shop: Shop) -> None:
    of_filters = changed(
        searches(),
        lambda record: record["query_attributes"].update(facets={"brand": "x"}),
    )
    shop.write("ubi.jsonl", lines(of_filters + events()))
    assert "360 documents shown for a search with filters" in shop.refused("ubi.jsonl")
    assert shop.clicks("ubi.jsonl", "--filtered").code == 0


def test_other_actions_are_clicks_on_demand(shop: Shop) -> None:
    renamed = changed(clicks(), lambda record: record.update(action_name="click_item"))
    seen = changed(impressions(), lambda record: record.update(action_name="view"))
    shop.write("ubi.jsonl", lines(searches() + renamed + seen))
    assert shop.refused("ubi.jsonl") == (
        'ubi.jsonl: there are no clicks: no event has the action_name "click" or "click_through"; --click names another '
        'one; other actions are view (360) and click_item (79); did you mean "click_item"?\n'
    )
    said = shop.clicks("ubi.jsonl", "--click=click_item", "--impression=view")
    assert said.code == 0


def test_a_client_is_left_out(shop: Shop) -> None:
    bot = [event(query_id, "click") for query_id in search_ids()[-60:]]
    changed(bot, lambda record: record.update(client_id="bot-7"))
    shop.write("ubi.jsonl", lines(searches() + impressions() + bot + clicks()))
    said = shop.clicks("ubi.jsonl")
    assert said.err == (
        'ubi.jsonl: a client has more than 5% of all clicks: "bot-7" (60 of 138 clicks, 43%). A bot, a test or a '
        "shared address makes wrong grades; --without-client leaves a client out\n"
    )
    said = shop.clicks("ubi.jsonl", "--without-client=bot-7")
    assert said.err == ""
    assert "60 events of clients that --without-client names" in said.out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param(
            lines(searches()),
            "ubi.jsonl: there are 360 searches and no event; name the file of ubi_events too\n",
            id="no events",
        ),
        pytest.param(
            lines(clicks()),
            'ubi.jsonl: there are no impressions: no event has the action_name "impression", and no search has '
            "query_response_hit_ids; --impression names another one\n",
            id="no impressions",
        ),
        pytest.param(
            lines(events()),
            "ubi.jsonl: nothing is left of the log; found 360 documents shown without the text of its search: the "
            "event has no user_query, and no search has its query_id and 79 clicks without an impression that counts. A "
            "log needs documents that were shown, each with its query and its position\n",
            id="no texts",
        ),
        pytest.param(
            lines(
                searches()
                + changed(
                    clicks(),
                    lambda record: record["event_attributes"].update(
                        object={"object_id": "B00-X"}
                    ),
                )
            ),
            'ubi.jsonl: no clicked document is one of query_response_hit_ids; a click is on "B00-X", a hit is "sku-1". '
            "Log the same id in both (object_id_field), or log impressions\n",
            id="other ids",
        ),
        pytest.param(
            lines(searches()) + '{"action_name": "cli\n{"total": 3}\n[3]\n',
            'ubi.jsonl:361: expected a JSON object, found "{"action_name": "cli"; is it truncated?\n'
            "ubi.jsonl:362: this object is neither an event nor a search: it has neither action_name nor query_id; found "
            '"total"\n'
            'ubi.jsonl:363: expected a JSON object, found "3"\n',
            id="no records",
        ),
    ],
)
def test_a_log_that_cannot_be_used(text: str, complaint: str, shop: Shop) -> None:
    shop.write("ubi.jsonl", text)
    assert shop.refused("ubi.jsonl") == complaint


def test_tables_and_events_are_not_mixed(shop: Shop) -> None:
    shop.write_rows("table.csv", TABLE)
    shop.write("ubi.jsonl", lines(events()))
    assert shop.refused("table.csv", "ubi.jsonl") == (
        "ubi.jsonl: a log of User Behavior Insights, and table.csv is a table of clicks; read them one by one\n"
    )
