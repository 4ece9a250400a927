"""Where the example's lake is: its folder, its address, its files."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

_CATALOG = "catalog.sqlite"
_DATA = "data"
_PAGE = "lake.html"
_MARK = "made-by-quickstart"


def fresh(chosen: Path | None) -> Path:
    """The folder for a new lake: a chosen one, or a new one that stays when the program ends.

    Only what the example made itself is deleted.

    Raises:
        FileExistsError: there are other things in the chosen folder.
    """
    if chosen is None:
        folder = Path(tempfile.mkdtemp(prefix="ducklake-quickstart-"))
    else:
        folder = chosen.absolute()
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / _MARK).is_file():
            _clear(folder)
        elif any(folder.iterdir()):
            raise FileExistsError(
                f"{folder} is not empty, and no earlier run made it: nothing was changed there. "
                "Empty it, or name another folder."
            )
    (folder / _MARK).write_text("The example replaces its lake here when it runs again.\n")
    return folder


def _clear(folder: Path) -> None:
    """Delete the lake of an earlier run, and leave other things alone."""
    shutil.rmtree(folder / _DATA, ignore_errors=True)
    for name in (*(_CATALOG + end for end in ("", "-journal", "-wal", "-shm")), _PAGE):
        (folder / name).unlink(missing_ok=True)


def address(folder: Path) -> str:
    """The lake's address, the same for both engines."""
    return f"ducklake:sqlite:{folder / _CATALOG}"


def data_path(folder: Path, bucket: str) -> str:
    """Where the lake's files go."""
    return f"{bucket.rstrip('/')}/" if bucket else f"{folder / _DATA}/"


def is_in_bucket(data: str) -> bool:
    """Whether the lake's files are in S3."""
    return data.startswith("s3://")


def page(folder: Path) -> Path:
    """Where the page about the lake goes."""
    return folder / _PAGE
