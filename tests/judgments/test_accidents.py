"""Files that are there by accident: a failed download, a pointer of Git LFS, an
unfinished merge.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pytest_relevance import read_judgments, read_queries, read_run
from tests.judgments.helpers import Files, problems_of

Read = Callable[..., Mapping[str, Any]]
READERS = [read_judgments, read_queries, read_run]
IN_EACH = pytest.mark.parametrize("read", READERS)

LFS = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n"
)
ACCIDENTS = {
    LFS: "this is a pointer of Git LFS, and not the file itself; fetch the file: git lfs",
    "/annex/objects/SHA256E-s12--4d7a.txt\n": "this is a pointer of git-annex",
    "outs:\n- md5: 4d7a\n  size: 12\n  path: queries.txt\n": "this is a pointer of DVC",
    "../data/queries.txt": "this is the target of a symbolic link",
    "| query |\n|---|\n| boots |\n": "this is a printed table",
    " query \n-------\n boots\n(1 row)\n": "this is a printed table",
    "+-------+\n| query |\n+-------+\n": "this is a printed table",
    "```csv\nquery\nboots\n```\n": "this is a block of code in Markdown",
    "{\\rtf1\\ansi\nboots\n}": "this is a text with formatting (RTF)",
    "diff --git a/q b/q\nindex 1..2\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n": "this is a patch",
    "<!DOCTYPE html>\n<html><title>Sign in</title></html>\n": "this is an HTML page",
    "\n<!-- x -->\n<HTML lang=en>\n<body>Not Found</body>": "this is an HTML page",
    "<?xml version='1.0'?>\n<Error><Code>AccessDenied</Code></Error>": (
        'this is an error of a server, and not data: "AccessDenied"'
    ),
    "curl: (22) The requested URL returned error: 404\n": (
        'this is the output of a program, and not data: "curl: (22) The requested '
        'URL returned error: 404"'
    ),
    "  % Total    % Received % Xferd  Average Speed\n": "this is the output of a program",
    "wget: server returned error: HTTP/1.1 404\n": "this is the output of a program",
    "Traceback (most recent call last):\n  File\n": "this is the output of a program",
    "cat: queries.txt: No such file or directory\n": "this is the output of a program",
    "404: Not Found": 'this is an answer of a server, and not data: "404: Not Found"',
    "Entry not found\n": "this is an answer of a server",
    "HTTP/1.1 200 OK\nServer: x\n\nboots\n": (
        "this is an answer of a server with its headers"
    ),
    '{"message": "API rate limit exceeded"}': "this is an error of a server",
    '{"error": {"code": 404}}': "this is an error of a server",
    '{"errors": ["quota"], "status": 429}': "this is an error of a server",
    '{"success": false}': "this is an error of a server",
    '{"message": "Too many requests", "retry_after": 30}': "this is an error of a server",
    '{"error": {"message": "Wrong key", "param": null, "type": "auth"}}': (
        "this is an error of a server"
    ),
    '{"errors": [{"message": "No such field"}], "data": null}': (
        "this is an error of a server"
    ),
    '{"error": "Not allowed here", "region": "eu"}': "this is an error of a server",
}


def problem(read: Read, files: Files, content: str | bytes, *arguments: str) -> str:
    (only,) = problems_of(read, files.write(content), *arguments)
    return only


@pytest.mark.parametrize("content", ACCIDENTS)
@IN_EACH
def test_an_accident_is_no_data(files: Files, read: Read, content: str) -> None:
    found = problem(read, files, content)
    assert found.startswith(f"FILE:1: {ACCIDENTS[content]}")


@pytest.mark.parametrize("content", ACCIDENTS)
def test_the_lines_of_an_accident_are_no_queries(files: Files, content: str) -> None:
    found = problem(read_queries, files, content, "text")
    assert found.startswith(f"FILE:1: {ACCIDENTS[content]}")


@pytest.mark.parametrize(
    "content",
    [
        "boots\n<<<<<<< HEAD\nhats\n=======\ncaps\n>>>>>>> main\n",
        "boots\n>>>>>>> main\n",  # a merge that is half finished
        '17" screen, used\n<<<<<<< HEAD\n',
    ],
)
def test_conflict_markers_are_no_queries(files: Files, content: str) -> None:
    found = problem(read_queries, files, content, "text")
    assert found.startswith("FILE:2: ")
    assert "is a conflict marker of Git; finish the merge" in found


@pytest.mark.parametrize(
    "rows",
    [
        "query,doc_id,grade\n<<<<<<< HEAD\nq,a,1\n=======\nq,a,2\n>>>>>>> main\n",
        "q 0 a 1\n<<<<<<< HEAD\nq 0 b 1\n>>>>>>> main\n",
        '{"query": "q", "doc_id": "a", "grade": 1}\n<<<<<<< HEAD\n{"query": "q"}\n',
    ],
)
@IN_EACH
def test_conflict_markers_in_tables(files: Files, read: Read, rows: str) -> None:
    says = 'FILE:2: "<<<<<<< HEAD" is a conflict marker of Git'
    assert problem(read, files, rows).startswith(says)


@pytest.mark.parametrize(
    ("content", "format", "query"),
    [
        ('query,note\ngit,"how to\n<<<<<<< HEAD\nread this"\n', None, "git"),
        ("<body>\n<html>\n<title>\n", "text", "<html>"),
        ("gone\n", "text", "gone"),
        ("t-shirt\nsize -- 12\n", "text", "t-shirt"),
        ("not found\nsize 12\n", "text", "not found"),
        ("how to use curl: (22)\n", "text", "how to use curl: (22)"),
        ('{"error": "e18", "q2": "hats"}', None, "error"),
    ],
)
def test_queries_that_look_like_an_accident(
    files: Files, content: str, format: str | None, query: str
) -> None:
    assert query in files.queries(content, format)


def test_judgments_and_a_run_of_a_query_error(files: Files) -> None:
    judgments = {"error": {"d1": 3}}
    assert files.judgments(judgments) == judgments
    run = {"errors": ["d1"], "hats": ["d2"]}
    assert read_run(files.write(run)) == run


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("query_id,query\nq1,boots\n", "a table, which begins with the header"),
        ("query\nboots\n", 'a table, which begins with the header "query"'),
        ('["boots", "hats"]', "JSON"),
        ('{"query": "boots"}\n{"query": "hats"}\n', "JSON"),
        ("<top>\n<num> 1\n<title> boots\n</top>\n", "TREC topics"),
        (b"PAR1", "Parquet"),
    ],
)
def test_a_file_of_another_format_is_no_text(
    files: Files, content: str | bytes, what: str
) -> None:
    found = problem(read_queries, files, content, "text")
    assert f"the format text has a query on each line, and this is {what}" in found
    assert found.endswith("; leave the format out")
