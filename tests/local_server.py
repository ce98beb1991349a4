"""A local HTTP server in the place of a search engine, for the clients of real
engines.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answer = Callable[[str, Mapping[str, Sequence[str]], Any], Any]
"""From the path of a request, its parameters, and the JSON documents of its body, to
the body of the answer.
"""


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """Run a server on a free port; gives its address and the list of paths that it was
    asked for.
    """
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
            accepted = self.headers.get("Accept", "").partition(",")[
                0
            ]  # clients check that they get what they accept
            self.send_header(
                "Content-Type", accepted if "json" in accepted else "application/json"
            )
            self.send_header(
                "X-Elastic-Product", "Elasticsearch"
            )  # elasticsearch-py talks to nothing else
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
        try:
            yield f"http://127.0.0.1:{server.server_port}", paths
        finally:
            server.shutdown()
            thread.join()
