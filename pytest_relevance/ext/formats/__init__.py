"""The formats of judgments, queries and runs that the package brings, a module for each
family.

To add one, write a module with a `JudgmentFormat` or a `RunFormat`
(`judgments/formats.py`) and name it in `bundled.py`.
"""
