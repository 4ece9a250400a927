"""Tags the wheel with the platform of the native library that it carries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The end of the name of DuckDB's native jar, and the platform tag of wheels that run there.
PLATFORMS = {
    "linux_amd64": "manylinux_2_28_x86_64",
    "linux_arm64": "manylinux_2_28_aarch64",
    "macos_arm64": "macosx_11_0_arm64",
    "windows_amd64": "win_amd64",
}


def platform_of(jars: Path) -> str:
    """The platform tag for the one native jar in a folder.

    Raises:
        ValueError: there is none, or more than one.
    """
    names = [path.stem for path in jars.glob("duckdb_jdbc-*.jar")]
    tags = [tag for end, tag in PLATFORMS.items() for name in names if name.endswith("-" + end)]
    if len(tags) != 1:
        raise ValueError(f"one native jar is expected in {jars}, found {names}: run `./sbt wheel`")
    return tags[0]


class PlatformTag(BuildHookInterface[Any]):
    """Pure Python, one platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Set the tag; an editable install has none."""
        if version == "standard":
            jars = Path(self.root, "src", "ducklake_spark", "jars")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform_of(jars)}"
