"""What the site changes in the pages: links to files that are no pages of it become their paths, because they lie beside the site, not in it."""

from __future__ import annotations

import posixpath
import re
from typing import Any, Final

LINK: Final = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)\s]+)\)")


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:  # noqa: ANN401 - mkdocs' own page
    """The page's text as the site shows it."""
    folder = posixpath.dirname(page.file.src_uri)

    def shown(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", folder, link[2].partition("#")[0]))
        return link[0] if target.startswith("docs/") else f"{link[1]} (`{target}`)"

    return LINK.sub(shown, markdown)
