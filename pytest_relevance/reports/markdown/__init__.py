"""Reports as Markdown: of a run and of a comparison, for pull requests and the summaries of CI jobs."""
