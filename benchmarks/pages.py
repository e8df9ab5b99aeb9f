"""Pages of docs/ whose parts are written by commands, each between its two marks."""

from pathlib import Path

from dialogauge.atomic import writing

MEASURED = Path(__file__).parents[1] / "docs" / "measured"


def put(page: Path, part: str, text: str) -> None:
    """Replace what stands between the marks of a part."""
    start, end = f"<!-- {part} -->", f"<!-- end of {part} -->"
    before, _, rest = page.read_text("utf-8").partition(start)
    _, mark, after = rest.partition(end)
    if not mark:
        raise SystemExit(f"{page} has no place for {part}: {start} ... {end}")
    with writing(page) as file:
        file.write(f"{before}{start}\n{text}\n{end}{after}".encode())
