"""The kinds of gates, for example `mean`, `passing` and `min`. How gates are decided."""
