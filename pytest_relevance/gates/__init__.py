"""The kinds of gates: `mean`, `max_drop`, `passing`, `latency`. How gates are decided."""
