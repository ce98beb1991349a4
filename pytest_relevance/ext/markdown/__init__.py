"""The report of a run as Markdown, and what a run leaves in GitHub Actions."""
