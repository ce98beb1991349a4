"""Formats in JSON: our own and those of Quepid, RRE, Elasticsearch and OpenSearch."""
