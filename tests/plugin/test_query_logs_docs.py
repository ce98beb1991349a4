"""docs/howto/query-logs.md: the case files for exports of each tool, and the commands
that take queries out of the logs of search engines. All exports and logs are made up.
"""

import json
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from pytest_relevance import RelevanceWarning, read_suite
from tests.walkthrough import PAGES, blocks

PAGE = PAGES["howto/query-logs.md"]
OF_ELASTICSEARCH, OF_SOLR = (block.text for block in blocks(PAGE, "sh"))
CASE_FILES = [block.text for block in blocks(PAGE, "yaml") if not block.file]

EXPORTS = {
    "algolia.json": """\
{"searches": [{"search": "", "count": 40, "nbHits": 900}, {"search": "boots", "count": 12, "nbHits": 20}]}
""",
    "ads.csv": """\
Search terms report
"November 1, 2026 - November 30, 2026"
Search term,Campaign,Impr.
boots,Winter,"1,200"
boots,Sale,300
Total: Account, --,"5,230"
""",
    "Queries.csv": """\
Top queries,Clicks,Impressions,CTR,Position
boots,3,12,25%,8.1
""",
    "adobe.csv": """\
#=======================================
# Searches
"# Date: Sep 1, 2026 - Sep 30, 2026"
#=======================================

##############################################
# Freeform table
##############################################
,Occurrences
Internal Search Term (v5),19
boots,12
""",
    "splunk.json": """\
{"preview": false, "offset": 0, "result": {"_time": "2026-09-01", "query": "boots", "count": "8"}}
{"preview": false, "offset": 1, "result": {"_time": "2026-09-02", "query": "boots", "count": "4"}, "lastrow": true}
""",
    "quepid.csv": """\
Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating
Shop,Winter,12,boots,b1,1,Winter boots,3
""",
    "queries.ndjson": """\
{"queryText": "boots", "referenceAnswer": "lined"}
{"queryText": "sandals"}
""",
    "log.csv": """\
query,searches
boots,12
sandals,3
""",
    "searches.jsonl": """\
{"query": "boots", "weight": 12}
{"query": "sandals", "weight": 3}
""",
}
WEIGHTS = {"ads.csv": 1500, "quepid.csv": 1, "queries.ndjson": 1}
"""The weight of the query `boots`, where it is not 12."""


@pytest.mark.parametrize("text", CASE_FILES)
def test_a_case_file_reads_the_export(text: str, tmp_path: Path) -> None:
    (name,) = (name for name in EXPORTS if name in text)
    (tmp_path / name).write_text(EXPORTS[name], encoding="utf-8")
    judgments = "query,docid,rating\nboots,b1,3\n"
    (tmp_path / "judgments.csv").write_text(judgments, encoding="utf-8")
    suite = tmp_path / "shop.relevance.yaml"
    suite.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        # columns that nothing reads, and rows that are left out
        warnings.simplefilter("ignore", RelevanceWarning)
        cases = {case.query: case for case in read_suite(suite).cases}
    assert cases["boots"].weight == WEIGHTS.get(name, 12)
    assert cases["boots"].judgments == {"b1": 3}


def test_there_is_an_example_of_each_export() -> None:
    named = [name for text in CASE_FILES for name in EXPORTS if name in text]
    assert {*named} == {*EXPORTS}


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
