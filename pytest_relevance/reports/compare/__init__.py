"""The comparison of two runs as text, Markdown and data."""
