"""What Dagster shows beside an asset: counts, small tables and small pictures of clean data, as plain text.

Markdown that a name might contain is escaped; a table shows twelve rows unless its asset asks for more.
"""

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import dagster as dg

_ROWS: Final = 12
_SPECIAL: Final = str.maketrans(
    {c: f"\\{c}" for c in "\\`*_{}[]()#+!|<>~"} | {"\n": " ", "\r": " "}
)


def escaped(text: object) -> str:
    """Text that Markdown shows as it is."""
    shown = f"{text:.3g}" if isinstance(text, float) else str(text)
    return shown[:200].translate(_SPECIAL)


def rows_of(
    headings: Sequence[str], rows: Iterable[Sequence[object]], *, most: int = _ROWS
) -> dg.MarkdownMetadataValue:
    """A small table."""
    lines = [" | ".join(map(escaped, headings)), " | ".join("---" for _ in headings)]
    listed = list(rows)
    lines += [" | ".join(escaped(cell) for cell in row) for row in listed[:most]]
    if len(listed) > most:
        lines.append(f"… and {len(listed) - most} more" + " |" * (len(headings) - 1))
    return dg.MetadataValue.md("\n".join(f"| {line} |" for line in lines))


def table_of(name: str, counts: Mapping[str, int]) -> dg.MarkdownMetadataValue:
    """Counts, the largest first."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return rows_of((name, "count"), ranked)


def bars(title: str, counts: Mapping[str, int]) -> dg.MarkdownMetadataValue:
    """Counts as a small picture (PNG, about 8 kB)."""
    # matplotlib takes 0.8 s to import; only assets with a picture pay.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_ROWS]
    figure = Figure(figsize=(6, 0.8 + 0.28 * max(len(ranked), 1)), dpi=80, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.barh(
        [name.replace("$", "")[:40] for name, _ in ranked][::-1], [n for _, n in ranked][::-1]
    )
    axes.set_title(title, fontsize=9)
    axes.tick_params(labelsize=8)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return image(title, picture.getvalue())


def image(title: str, png: bytes) -> dg.MarkdownMetadataValue:
    """A picture that was drawn elsewhere."""
    data = base64.b64encode(png).decode()
    return dg.MetadataValue.md(f"![{escaped(title)}](data:image/png;base64,{data})")
