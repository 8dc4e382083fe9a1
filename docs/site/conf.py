"""Settings of the documentation site; `build_site.py` runs Sphinx with them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import peergauge

project = "peergauge"
author = "the peergauge developers"
copyright = author  # noqa: A001 - Sphinx reads this name
release = version = peergauge.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "docstrings",
    "mathml",
    "own_names",
]
root_doc = "index"
exclude_patterns = ["docs/site"]
nitpicky = True
# Two classes of one name in different modules: a type in a signature may mean either.
suppress_warnings = ["ref.python"]

# Markdown, as other viewers of the pages read it: headings are anchors, formulas are in dollars.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_all_links_external = False

# A notebook that raises stops the build. build_site.py chooses the folder of the cache, because a
# result may be kept only as long as the code that computed it is the same.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # for a machine that is busy; each takes seconds
nb_merge_streams = True

# Docstrings are in NumPy style, and types are in the signatures.
default_role = "code"
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "peergauge"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["peergauge.css"]
html_copy_source = False
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_toc_level": 1,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
