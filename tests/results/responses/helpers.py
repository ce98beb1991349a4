"""What is read from the response of a search, a model of a client library, and a server for real clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from pytest_relevance.results.responses.problems import UnreadableRanking
from pytest_relevance.results.responses.ranking import read_ranking


def ids(response: object, id_field: str | None = None) -> list[str]:
    """The documents of a response."""
    return list(read_ranking(response, id_field).ids)


def titles(response: object, title_field: str | None = None) -> list[str | None]:
    """The titles of its documents."""
    ranking = read_ranking(response, title_field=title_field)
    return [ranking.title(index) for index in range(len(ranking.ids))]


def refusal(response: object, id_field: str | None = None, labels: object = None) -> str:
    """Why a response is no ranking. `labels` is the attribute `ids` of the fixture's value."""
    with pytest.raises(UnreadableRanking) as caught:
        read_ranking(response, id_field, ids=lambda: labels)
    return str(caught.value)


def pairs(response: object, labels: object = None, id_field: str | None = None) -> list[tuple[str, float | None]]:
    """The documents of a response and their scores, rounded. `labels` is the attribute `ids` of the fixture's value."""
    ranking = read_ranking(response, id_field, ids=lambda: labels)
    scores = [ranking.score(index) for index in range(len(ranking.ids))]
    rounded = [None if score is None else round(score, 3) for score in scores]
    return list(zip(ranking.ids, rounded, strict=True))


class Model:
    """As pydantic's models are: iterating over one gives its fields."""

    model_fields = ("id", "title")

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    def __iter__(self) -> Iterator[tuple[str, object]]:
        return iter(self.__dict__.items())

    def __repr__(self) -> str:
        return f"Model({', '.join(self.__dict__)})"


@contextmanager
def served(body: object, status: int = 200) -> Iterator[str]:
    """The address of a local server that answers every request with one body, as Elasticsearch and OpenSearch do."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet: the second of two would wait for the receipt of the first

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            text = json.dumps(body).encode()
            self.send_response(status)
            accepted = self.headers.get("Accept", "").partition(",")[0]
            self.send_header("Content-Type", accepted if "json" in accepted else "application/json")
            self.send_header("X-Elastic-Product", "Elasticsearch")  # elasticsearch-py talks to nothing else
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *arguments: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False  # clients keep their connections open
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
