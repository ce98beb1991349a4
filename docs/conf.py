"""How Sphinx builds the documentation: `sphinx-build -W --keep-going docs build/docs`,
without a network.
"""

from pytest_relevance import __version__

project = "pytest-relevance"
author = "The pytest-relevance maintainers"
release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["build"]

myst_heading_anchors = 3  # links to headings work here as they do on GitHub
default_role = "literal"  # a name between single backticks in a docstring
add_module_names = False
autodoc_typehints = "none"  # docstrings say what the arguments are
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = "pytest-relevance"
