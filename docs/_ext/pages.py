"""Pages that are made from the program: written below ``docs/generated`` before Sphinx looks for pages."""

from collections.abc import Mapping
from pathlib import Path

GENERATED = "generated"


def write(source: Path, room: str, pages: Mapping[str, str]) -> None:
    """Write the pages of a room by file name, and remove those that it no longer has; a page that did not change is kept.

    Args:
        source: Folder of the site's sources.
        room: Folder of these pages inside ``generated``.
        pages: File name -> text.
    """
    folder = source / GENERATED / room
    folder.mkdir(parents=True, exist_ok=True)
    for old in set(path.name for path in folder.iterdir()) - set(pages):
        (folder / old).unlink()
    for name, text in pages.items():
        file = folder / name
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
