"""Pack unpacked fixtures into the archives that the tests read.

    pack.py <folder that holds <spec>/<kind>/<case>/...>

Writes `<spec>-<kind>.tar.gz` beside this script. The same folder always gives the same bytes:
entries are sorted and carry no times, owners or modes of the machine.
"""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def entry(path: Path, root: Path) -> tuple[tarfile.TarInfo, io.BytesIO]:
    """The archive entry of one file or folder, and its content."""
    info = tarfile.TarInfo(path.relative_to(root).as_posix())
    if path.is_dir():
        info.type, info.mode = tarfile.DIRTYPE, 0o755
        return info, io.BytesIO()
    content = path.read_bytes()
    info.size, info.mode = len(content), 0o644
    return info, io.BytesIO(content)


def pack(root: Path) -> bytes:
    """The gzipped archive of everything below a folder."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(root.rglob("*")):
            archive.addfile(*entry(path, root))
    return gzip.compress(buffer.getvalue(), 9, mtime=0)


def main() -> None:
    """Pack every <spec>/<kind> folder of the folder given on the command line."""
    for root in sorted(Path(sys.argv[1]).glob("[0-9]*/*")):
        target = HERE / f"{root.parent.name}-{root.name}.tar.gz"
        target.write_bytes(pack(root))
        print(f"{target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
