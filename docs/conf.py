"""Configuration of the documentation site; `make docs` builds it without a network."""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "extensions")]

import inventories  # noqa: E402

import featsieve  # noqa: E402

# the worker processes of comparisons in the examples
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(HERE)]))

project = "featsieve"
author = copyright = "The featsieve developers"
version = release = featsieve.__version__
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "mathml",
    "method_pages",
    "api_pages",
    "llms",
]
exclude_patterns = ["_build", "which-method.template.md", "gallery/**/*.ipynb", "gallery/**/*.py"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

# Every reference to featsieve must exist; types and other packages are only linked if an inventory has them.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!featsieve).*")]
autodoc_typehints = "none"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_validation_checks = set()
intersphinx_mapping = inventories.mapping()
intersphinx_disabled_reftypes = ["std:*"]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": os.environ.get("FEATSIEVE_EXAMPLES", "plot_"),
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": ("_repr_html_", "__repr__"),
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 20,
    "download_all_examples": False,
}

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "featsieve"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_show_search_summary = False  # summaries are fetched, which browsers refuse for files
html_context = {"default_mode": "auto"}
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
}
# pages without pages below them need no navigation of their section
html_sidebars = {
    page: [] for page in ("index", "install", "tutorial", "which-method", "scale", "changelog", "llms")
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def strip_end(app, docname, source):
    """Remove the empty line that doctest needs between the last output and the end of a block."""
    source[0] = re.sub(r"(?ms)^(```python\n.*?\n)\n```$", r"\1```", source[0])


def setup(app):
    """Register the events of this file."""
    app.connect("source-read", strip_end)
