"""The report in a real browser: it fits, it is light and dark, it asks for nothing else."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from ducklake_spark_catalog import database
from ducklake_spark_catalog.catalog import catalog
from ducklake_spark_catalog.places import Place
from ducklake_spark_report.page import page
from ducklake_spark_report.survey import survey
from matplotlib.image import imread
from PIL import Image

from support.lakes import LakeFactory
from support.shown import CHROMIUM, NOW, browse, fill, spread

PICTURES = Path(__file__).resolve().parents[2] / "jvm/docs/pictures"
THEMES = {"light": [], "dark": ["--blink-settings=preferredColorScheme=0"]}
POLICY = re.compile(r"<meta http-equiv=[^>]*>")
MEASURE = "<script>document.title = [document.documentElement.scrollWidth, innerWidth]</script>"
# Widths, the most lines of a time, and the signs below charts that can be seen.
OF_PHONE = """<script>
const all = query => [...document.querySelectorAll(query)];
parent.postMessage([
  document.documentElement.scrollWidth, innerWidth,
  Math.max(...all("td.time").map(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return new Set([...range.getClientRects()].map(box => box.top)).size;
  })),
  all(".swipe").filter(each => each.offsetHeight > 0).length, all(".chart").length,
].join(), "*");
</script>"""

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium: apt-get install chromium"
)


@pytest.fixture(scope="module")
def shown(lakes: LakeFactory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a lake that looks the same wherever it is made."""
    lake = lakes.new("sqlite")
    fill(lake)
    spread(lake, 30)
    with database.opened(Place(lake.uri)) as opened:
        facts = survey(catalog(opened), "", "", NOW)
    facts = replace(facts, address="sqlite:/data/lake.sqlite", data_path="/data/lake/")
    file = tmp_path_factory.mktemp("page") / "lake.html"
    file.write_text(page(facts, "lake", "ducklake-spark"), encoding="utf-8")
    return file


@pytest.mark.parametrize("theme", THEMES)
def test_the_page_is_light_and_dark(shown: Path, theme: str) -> None:
    picture = shown.with_name(f"report-{theme}.png")

    browse(shown, f"--screenshot={picture}", "--window-size=1100,1560", *THEMES[theme])

    pixels = imread(picture)[:, :, :3]
    background = float(pixels[2, 2].mean())
    assert pixels.shape == (1560, 1100, 3)
    assert background > 0.9 if theme == "light" else background < 0.2
    # Something is drawn in each tenth of the page.
    assert all(pixels[top : top + 156].std() > 0.02 for top in range(0, 1560, 156))
    if os.environ.get("DUCKLAKE_RECORD") == "1":
        # With a palette it is a third as large.
        Image.open(picture).convert("RGB").quantize(128).save(
            PICTURES / picture.name, optimize=True
        )


@pytest.mark.parametrize("width", [500, 800, 1600])
def test_the_page_fits_every_width(shown: Path, width: int) -> None:
    measured = shown.with_name("measured.html")
    text = POLICY.sub("", shown.read_text(encoding="utf-8"))
    measured.write_text(text.replace("</body>", f"{MEASURE}</body>"), encoding="utf-8")

    dom = browse(measured, "--dump-dom", f"--window-size={width},900")

    (needed, there), *_ = re.findall(r"<title>(\d+),(\d+)</title>", dom)
    assert int(needed) <= int(there)


def test_a_phone_shows_times_on_one_line_and_says_that_charts_go_on(shown: Path) -> None:
    framed = shown.with_name("framed.html")
    text = POLICY.sub("", shown.read_text(encoding="utf-8"))
    shown.with_name("inner.html").write_text(
        text.replace("</body>", f"{OF_PHONE}</body>"), encoding="utf-8"
    )
    # Chromium's own window is 500 wide at least.
    framed.write_text(
        "<body style='margin:0'><iframe src='inner.html' style='width:390px;height:900px'></iframe>"
        "<script>onmessage = said => document.title = said.data</script>",
        encoding="utf-8",
    )

    dom = browse(framed, "--dump-dom", "--virtual-time-budget=5000")

    ((needed, there, lines, hints, charts),) = re.findall(
        r"<title>(\d+),(\d+),(\d+),(\d+),(\d+)</title>", dom
    )
    assert int(needed) <= int(there) <= 390
    assert int(lines) == 1
    assert int(hints) == int(charts) > 2


def test_a_script_would_not_run(shown: Path) -> None:
    scripted = shown.with_name("scripted.html")
    text = shown.read_text(encoding="utf-8").replace("</body>", f"{MEASURE}</body>")
    scripted.write_text(text, encoding="utf-8")

    dom = browse(scripted, "--dump-dom")

    assert "<title>Lake sqlite:/data/lake.sqlite, snapshot" in dom
