"""The kinds of gates, `mean`, `max_drop`, `passing`, `latency`, and their judging."""
