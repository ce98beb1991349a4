"""The commands of `pytest-relevance`: a module a command, and what several of them use."""
