"""What is wrong with a case file and only the reader can tell: the JSON Schema accepts it.

One row a rule, with a file that breaks it and a part of what the reader says. An editor that checks with the schema
alone shows nothing there; pytest does. A rule that the schema learns to hold leaves the table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that the schema cannot hold, a file (YAML) that breaks it, and words of the reader's message."""

    rule: str
    example: str
    message: str


_JUDGED = "cases: [{query: a, judgments: {x: 2, y: 1}, "

READER_ONLY: tuple[Rule, ...] = (
    # what a schema never sees: an editor's loader has dealt with it, or has its own words for it
    Rule("a key stands once in a mapping", "k: 5\nk: 6\ncases: [{query: a}]", "duplicate key"),
    Rule("a document is judged once", "cases: [{query: a, judgments: {x: 1, x: 2}}]", "is judged twice"),
    Rule("tags of YAML have no meaning", "k: !!int 5\ncases: [{query: a}]", "has no meaning here"),
    Rule("cases are written out, not merged", "<<: {cases: [{query: a}]}", "cannot come from a merge key"),
    Rule("nesting is bounded", f"cases: [{{query: a, params: {{x: {'[' * 61}{']' * 61}}}}}]", "nested deeper"),
    # scalars: the reader takes them as written, an editor as YAML 1.2 reads them
    Rule("a text may be the word null, but not nothing at all", "cases: [{query: }]", "the query is empty"),
    Rule("a text is more than spaces", 'cases: [{query: "  "}]', "the query is empty"),
    Rule("a document has a name", 'cases: [{query: a, judgments: {"": 1}}]', "a document id is text, found nothing"),
    Rule("a parameter has a name", 'cases: [{query: a, params: {"": 1}}]', "the name of a parameter is text"),
    Rule("a number is decimal, without leading zeros", "min_ndcg: .5\ncases: [{query: a}]", "write it as 0.5"),
    Rule("a whole number has no fraction, not even .0", "k: 5.0\ncases: [{query: a}]", "expected a whole number"),
    Rule("null is written null", "min_ndcg: ~\ncases: [{query: a}]", 'found the text "~"'),
    Rule("true is written true", "cases: [{query: a, xfail: {reason: b, strict: True}}]", "expected true or false"),
    # names
    Rule("ids are unique in a file", "cases: [{query: a}, {query: b, id: a}]", 'a second case with the id "a"'),
    Rule("a fixture is no keyword of Python", "search: class\ncases: [{query: a}]", "expected the name of a fixture"),
    Rule("a fixture is a name in Python", "search: a–b\ncases: [{query: a}]", "expected the name of a fixture"),
    Rule("a tag is made of letters and digits", "tags: [a–b]\ncases: [{query: a}]", "may have letters, digits and"),
    Rule("a tag is no constant of Python", "tags: [True]\ncases: [{query: a}]", "a word of the language of -m"),
    Rule("a tag is no marker that is registered", "tags: [owned]\ncases: [{query: a}]", "already owns"),
    Rule("a list has each tag once", "tags: [a, a]\ncases: [{query: a}]", "stands twice"),
    Rule("a list has each fixture once", "cases: [{query: a, usefixtures: [db, db]}]", "stands twice"),
    Rule("a list has each document once", "cases: [{query: a, expect: {first: [x, x]}}]", "stands twice"),
    Rule("a reason is no switch", "cases: [{query: a, skip: '0.0'}]", "skip takes the reason as text"),
    # grades
    Rule("a scale goes upwards", "scale: [3, 0]\ncases: [{query: a}]", "two numbers in that order"),
    Rule("a scale has two grades", "scale: {a: 1, b: 1}\ncases: [{query: a}]", "at least two different grades"),
    Rule("a number names no grade", "scale: {1: 1, b: 0}\ncases: [{query: a}]", "cannot name a grade"),
    Rule("a scale fits its gain", "scale: [0, 60]\ncases: [{query: a}]", "the highest grade may be 50"),
    Rule("a name is one of the scale", "cases: [{query: a, judgments: {x: good}}]", "is no number"),
    Rule("a judged document has a grade", "cases: [{query: a, judgments: {x: null}}]", "the document has no grade"),
    Rule("a grade is on the scale", "scale: [0, 3]\ncases: [{query: a, judgments: {x: 4}}]", "is off the scale"),
    Rule("a grade has a gain", "cases: [{query: a, judgments: {x: 51}}]", "too high for exponential gain"),
    Rule("a gain is that of a grade", "gain: {good: 1}\ncases: [{query: a}]", "is no grade"),
    Rule("a grade has one gain", "gain: {1: 1, 1.00: 2}\ncases: [{query: a}]", "has two gains"),
    # expectations
    Rule("a metric has its own parameters", _JUDGED + "expect: {P(p=2)@1: 1}}]", "P takes rel="),
    Rule("a metric has its parameters once", _JUDGED + "expect: {P(rel=1)@1(rel=1): 1}}]", "two lists of parameters"),
    Rule("a comparison with a share is in its range", _JUDGED + "expect: {RR: '> 1'}}]", "lies between 0 and 1"),
    Rule("a comparison with a count is whole", "cases: [{query: a, expect: {results: '> 1.5'}}]", "a whole number"),
    Rule("a search takes some time", "cases: [{query: a, expect: {latency: 0 ms}}]", "the longest duration allowed"),
    # files
    Rule("what it names is there", "judgments: no.csv\ncases: [{query: a}]", "there is no file"),
    Rule("what it names is a file", "judgments: .\ncases: [{query: a}]", "is no file"),
    Rule("a file has a name", "queries: 5", "expected the name of a file"),
    Rule(
        "judgments are no number", "cases: [{query: a, judgments: 5}]", "expected document: grade pairs or a judgment"
    ),
    Rule("what is said of a file is text", "queries: {file: 5}", "expected text, found"),
    Rule("a list has each file once", "queries: [no.tsv, no.tsv]", "stands twice"),
    Rule("a file has a known format", "cases: [{query: a, judgments: {file: no.csv, format: x}}]", "unknown format"),
    Rule("only a request says where its query is", "queries: {file: a, format: csv, query: b}", "is for Elasticsearch"),
    Rule("what is judged has judgments", "queries: {file: q.tsv, only: judged}", "the suite names no judgments"),
    Rule("a file is no document", "cases: [{query: a, judgments: {file: no.csv, b: 1}}]", "a file has file, format"),
    # gates
    Rule("gates have different names", "gates: [{passing: 1}, {passing: 1.0}]\ncases: [{query: a}]", "a second gate"),
    Rule("a gate has a metric once", "gates: [{mean: {P@5: 1, p@5: 1}}]\ncases: [{query: a}]", "stands twice"),
    Rule("a gate's tag is one of a case", "gates: [{passing: 1, tag: b}]\ncases: [{query: a}]", "no case has the tag"),
    # what keys say together
    Rule("a floor needs judgments", "cases: [{query: a, min_ndcg: 0.5}]", "a floor needs judgments"),
    Rule("an inherited floor too", "min_ndcg: 0.5\ncases: [{query: a}]", "the suite's min_ndcg 0.5 applies"),
    Rule("a metric needs judgments", "cases: [{query: a, expect: {RR: 0.5}}]", "RR needs judgments"),
    Rule("a floor needs a relevant document", "cases: [{query: a, judgments: {x: 0}, min_ndcg: 1}]", "not defined"),
    Rule("a floor needs results", _JUDGED + "min_ndcg: 1, expect: {results: 0}}]", "expects no results has no nDCG"),
    Rule("a floor can be reached", _JUDGED + "expect: {P@5: 0.6}}]", "is above 0.4, the best"),
    Rule("expectations can be met together", "cases: [{query: a, expect: {first: x, exclude: x}}]", "cannot be absent"),
)
"""Every rule that the schema leaves to the reader."""
