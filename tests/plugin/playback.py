"""Local servers of search engines that play back what a real one answers to two queries.

The bodies are as the engines document them; the hits are what each engine finds for these queries in a shop of six
products.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

PRODUCTS = [
    {"id": "w1", "title": "Smart watch Orbit 2", "description": "Shows messages, counts steps"},
    {"id": "w2", "title": "Smart watch Summit", "description": "With GPS, for long days"},
    {"id": "strap1", "title": "Watch strap 22 mm", "description": "Soft silicone"},
    {"id": "shoe1", "title": "Blue shoes", "description": "Canvas, for summer"},
    {"id": "shoe2", "title": "Running shoes, blue", "description": "Cushioned, for roads"},
    {"id": "polish1", "title": "Shoe polish", "description": "For leather"},
]
"""What the shop sells."""

FOUND = {"smart watch": ["w1", "w2", "strap1"], "blue shoes": ["shoe1", "shoe2", "polish1"]}
"""What its engine finds, best first."""

TITLES = {product["id"]: product["title"] for product in PRODUCTS}

Answer = Callable[[str, Mapping[str, Sequence[str]], Any], Any]
"""From the path of a request, its parameters, and the JSON documents of its body, to the body of the answer."""


def scored(query: str, k: int) -> list[tuple[str, float]]:
    """The documents that the engine finds, with their scores."""
    return [(document, 3.0 - rank) for rank, document in enumerate(FOUND[query][:k])]


def _search_body(request: Mapping[str, Any]) -> dict[str, Any]:
    found = scored(request["query"]["multi_match"]["query"], request["size"])
    return {
        "took": 3,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": len(found), "relation": "eq"},
            "max_score": found[0][1],
            "hits": [
                {"_index": "products", "_id": each, "_score": score, "_source": {"title": TITLES[each]}}
                for each, score in found
            ],
        },
    }


def elasticsearch(path: str, parameters: Mapping[str, Sequence[str]], documents: Any) -> Any:
    """Elasticsearch and OpenSearch: `_search`, and `_msearch`, in whose body every second line is a search."""
    if path.endswith("/_msearch"):
        return {"took": 4, "responses": [{**_search_body(each), "status": 200} for each in documents[1::2]]}
    return _search_body(documents[0])


def solr(path: str, parameters: Mapping[str, Sequence[str]], documents: Any) -> Any:
    """Solr's `select`."""
    found = scored(parameters["q"][0], int(parameters["rows"][0]))
    return {
        "responseHeader": {"status": 0, "QTime": 1, "params": {name: each[0] for name, each in parameters.items()}},
        "response": {
            "numFound": len(found),
            "start": 0,
            "maxScore": found[0][1],
            "numFoundExact": True,
            "docs": [{"id": each, "title": TITLES[each], "score": score} for each, score in found],
        },
    }


def service(path: str, parameters: Mapping[str, Sequence[str]], documents: Any) -> Any:
    """A search service of one's own."""
    found = scored(parameters["q"][0], int(parameters["size"][0]))
    return {"results": [{"id": each, "title": TITLES[each], "score": score} for each, score in found]}


@contextmanager
def played_back(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """Run a server on a free port; gives its address and the list of paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer is one packet: the second of two would wait 40 ms for the receipt of the first

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            paths.append(url.path)
            text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            documents = [json.loads(line) for line in text.splitlines()]
            body = json.dumps(answer(url.path, parse_qs(url.query), documents)).encode()
            self.send_response(200)
            accepted = self.headers.get("Accept", "").partition(",")[0]  # clients check that they get what they accept
            self.send_header("Content-Type", accepted if "json" in accepted else "application/json")
            self.send_header("X-Elastic-Product", "Elasticsearch")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *args: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False  # clients keep their connections open
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()
        thread.join()
