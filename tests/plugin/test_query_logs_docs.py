"""docs/howto/query-logs.md: the commands that take queries out of the logs of search
engines. All lines of logs are made up.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.walkthrough import PAGES, blocks

OF_ELASTICSEARCH, OF_SOLR = (
    block.text for block in blocks(PAGES["howto/query-logs.md"], "sh")
)


def slow(query: object, shard: int = 0, phase: str = "query") -> str:
    """A line of the slow log of Elasticsearch 8."""
    entry = {
        "@timestamp": "2026-09-21T12:42:37.255Z",
        "log.level": "INFO",
        "elasticsearch.slowlog.message": f"[products][{shard}]",
        "elasticsearch.slowlog.source": json.dumps({"size": 10, "query": query}),
        "log.logger": f"index.search.slowlog.{phase}",
    }
    return f"{json.dumps(entry)}\n"


def of_request(params: str, more: str = "hits=3 status=0 QTime=2") -> str:
    """A line of Solr's log about a request."""
    begins = "2026-09-21 06:27:31.343 INFO  (qtp13-35) [ x:products] o.a.s.c.S.Request"
    return f"{begins} webapp=/solr path=/select params={{{params}}} {more}\n"


def queries_of(command: str, log: Path) -> list[object]:
    """What a command of the page writes, for a log."""
    subprocess.run(["sh", "-c", command], cwd=log.parent, check=True)
    text = (log.parent / "searches.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_slow_log_of_elasticsearch(tmp_path: Path) -> None:
    boots = {"multi_match": {"query": 'boots, "lined"', "fields": ["title^1.0"]}}
    log = tmp_path / "slowlog.json"
    log.write_text(
        slow(boots)
        + slow(boots, shard=1)
        + slow(boots, phase="fetch")
        + slow({"multi_match": {"query": "bottes d'été"}})
        + slow({"match_all": {"boost": 1.0}})
        + slow(boots),
        encoding="utf-8",
    )
    assert queries_of(OF_ELASTICSEARCH, log) == [
        {"query": 'boots, "lined"', "weight": 2},
        {"query": "bottes d'été", "weight": 1},
    ]


@pytest.mark.skipif(shutil.which("sed") is None, reason="sed is not installed")
def test_the_log_of_solr(tmp_path: Path) -> None:
    log = tmp_path / "solr.log"
    log.write_text(
        of_request("q=winter+boots&fq=cat:shoes&wt=json")
        + of_request("wt=json&fq=q=1&q=a%26b+%C3%A9t%C3%A9")
        + of_request("q={!edismax v=$text}&text=boots")
        + of_request("distrib=false&q=winter+boots&isShard=true")
        + of_request("fq=cat:shoes&rows=0")
        + "2026-09-21 06:27:31.343 INFO  (main) [ ] o.a.s.s.SolrDispatchFilter\n",
        encoding="utf-8",
    )
    assert queries_of(OF_SOLR, log) == [
        {"query": "winter boots"},
        {"query": "a&b été"},
        {"query": "{!edismax v=$text}"},
    ]
