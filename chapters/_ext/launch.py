"""Buttons that open a page's notebook in a browser: Binder, Colab and Codespaces.

They stand on a page only if `launch_repository` in _config.yml names where the course lies; without
it there is none, since a button that leads nowhere is worse. What opens are the notebooks that
JupyterLab shows as they are meant, not the book's sources: Binder and Codespaces write them with
`nextword read` when they start, and for Colab the workflow `publish` keeps them on a branch.
"""

from typing import Any
from urllib.parse import quote, urlsplit

from docutils import nodes
from sphinx.application import Sphinx

BINDER = "https://mybinder.org/v2"
COLAB = "https://colab.research.google.com/github"
CODESPACES = "https://codespaces.new"
FOLDER = "reading"  # where `nextword read` writes on Binder
AFTER_THE_THEME = 502  # which makes the header's buttons at 501
LOGOS = {
    "Binder": "_static/images/logo_binder.svg",
    "Colab": "_static/images/logo_colab.png",
    "Codespaces": "_static/terminal.svg",
}


def links(page: str, repository: str, branch: str, notebooks: str) -> dict[str, str]:
    """Return the addresses that open a page, by the name of the service.

    page: such as chapters/02-ngrams. Colab and Codespaces know GitHub's repositories only.

    >>> links("chapters/ladder", "https://github.com/a/b", "main", "notebooks")["Colab"]
    'https://colab.research.google.com/github/a/b/blob/notebooks/ladder.ipynb'
    """
    name = f"{page.rpartition('/')[2]}.ipynb"
    address = repository.removesuffix("/").removesuffix(".git")
    parts = urlsplit(address)
    path, opens = parts.path.strip("/"), f"?urlpath=lab/tree/{FOLDER}/{name}"
    at = quote(branch, safe="")
    if parts.netloc != "github.com":
        service = (
            f"gl/{quote(path, safe='')}"
            if parts.netloc == "gitlab.com"
            else f"git/{quote(address, safe='')}"
        )
        return {"Binder": f"{BINDER}/{service}/{at}{opens}"}
    return {
        "Binder": f"{BINDER}/gh/{path}/{at}{opens}",
        "Colab": f"{COLAB}/{path}/blob/{notebooks}/{name}",
        "Codespaces": f"{CODESPACES}/{path}/tree/{branch}?quickstart=1",
    }


def add_buttons(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the buttons to the header of a page that is a notebook."""
    repository = app.config.launch_repository
    notebook = "kernelspec" in app.env.metadata.get(page, {})
    if not (repository and notebook and "header_buttons" in context):
        return
    found = links(page, repository, app.config.launch_branch, app.config.launch_notebooks)
    buttons = [
        {
            "type": "link",
            "text": name,
            "tooltip": f"Open this page in {name}",
            "icon": LOGOS[name],
            "url": url,
        }
        for name, url in found.items()
    ]
    context["header_buttons"].append(
        {
            "type": "group",
            "tooltip": "Open this page and run it",
            "icon": "fas fa-rocket",
            "buttons": buttons,
            "label": "launch-buttons",
        }
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the settings, and the buttons after those of the theme."""
    app.add_config_value("launch_repository", "", "html")
    app.add_config_value("launch_branch", "main", "html")
    app.add_config_value("launch_notebooks", "notebooks", "html")
    app.connect("html-page-context", add_buttons, priority=AFTER_THE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
