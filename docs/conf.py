"""Settings of the site. ``python -m sphinx -W --keep-going docs site`` builds it without a network."""

import os
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")  # pages of the API import JAX, and measure nothing

project = "depthjax"
author = "the authors of depthjax"
version = release = metadata.version(project)

extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "mathml",
    "docstrings",
    "gallery",
    "studies",
    "api",
    "repository",
]
exclude_patterns = ["_ext", "_static"]

# pages
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the tests run the notebooks; those that say "force" are also run here
nb_execution_raise_on_error, nb_execution_timeout = True, 600
nb_ipywidgets_js = {}  # its default loads scripts from other hosts
html_math_renderer = "mathml"
highlight_language = "none"  # blocks without a language are commands

repository_pages = {
    "contributing": "CONTRIBUTING.md",
    "changelog": "CHANGELOG.md",
    "benchmarks/judge": "benchmarks/results/judge.md",
    "benchmarks/root_seeds": "benchmarks/results/root_seeds.md",
    "benchmarks/growth": "benchmarks/results/growth.md",
    "benchmarks/kills": "benchmarks/results/kills.md",
}

# the API
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # fields are described once, with their class
napoleon_attr_annotations = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100

# the look
html_theme = "sphinx_book_theme"
html_title = "depthjax"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {
    "show_navbar_depth": 1,
    "home_page_in_toc": True,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "navbar_persistent": [],  # the search field stands in the side bar
}
