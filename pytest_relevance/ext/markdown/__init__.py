"""The report of a run as Markdown, for the comment of a pull request, and in GitHub
Actions.
"""
