"""Read and write the formats of judgments, queries and runs, a module for each family.

To add one, write a module with a `JudgmentFormat` or a `RunFormat`
(`judgments/formats.py`) and name it in `bundled.py`.
"""
