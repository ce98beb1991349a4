"""How Sphinx builds the documentation: `sphinx-build -W --keep-going docs build/docs`,
without a network.
"""

from pytest_relevance import __version__

REPOSITORY = "https://github.com/pytest-relevance/pytest-relevance/"

project = "pytest-relevance"
author = "The pytest-relevance maintainers"
release = __version__
copyright = f"{author}. MIT licence. Documentation of version {release}"  # noqa: A001 - the name of Sphinx

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["build"]

myst_heading_anchors = 3  # links to headings work here as they do on GitHub
default_role = "literal"  # a name between single backticks in a docstring
add_module_names = False
autodoc_typehints = "none"  # docstrings say what the arguments are
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"pytest-relevance {release}"
html_copy_source = False
html_theme_options = {
    "source_repository": REPOSITORY,
    "source_branch": "main",
    "source_directory": "docs/",
    "top_of_page_buttons": ["view"],
}
