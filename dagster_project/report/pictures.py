"""The report's pictures as inline SVG: counts in, markup out.

Colours are CSS classes, sizes are attributes: the page's content-security policy allows no inline style. Every picture has a text for
people who do not see it.
"""

import math
from collections.abc import Sequence
from datetime import date

from markupsafe import Markup

from dagster_project.page_texts import label, slug
from dagster_project.report.data.counts import Count, Fidelity, FunnelStage
from synth.clusters.trend import DayCount

MOST_BARS = 60
"""A trend with more days is drawn in equal buckets of days."""
MOST_SQUARES = 400
"""A mosaic with more tasks draws one square for several."""

_KINDS = ("exact", "equivalent", "simulated", "unknown", "wrong")


def funnel_widths(stages: Sequence[FunnelStage]) -> list[float]:
    """Each stage's width as its share of the largest, in [0, 1]."""
    most = max((stage.count for stage in stages), default=0)
    return [round(max(stage.count, 0) / most, 4) if most > 0 else 0.0 for stage in stages]


def funnel_segment(width: float, following: float | None) -> Markup:
    """One stage of the funnel: its bar, and the slope down to the next one."""
    half = width * 500
    bar = _svg(
        1000,
        60,
        _tag(
            "rect",
            x=round(500 - half, 1),
            y=0,
            width=round(2 * half, 1),
            height=60,
            class_="funnel-bar",
        ),
        fit="none",
    )
    if following is None or width <= 0:  # nothing flows out of nothing
        return bar
    below = following * 500
    points = f"{500 - half:.1f},0 {500 + half:.1f},0 {500 + below:.1f},40 {500 - below:.1f},40"
    return bar + _svg(1000, 40, _tag("polygon", points=points, class_="funnel-slope"), fit="none")


def sparkline(trend: Sequence[DayCount], first: str, last: str) -> Markup:
    """Counts per day as small bars, from day `first` to `last` so that trends compare; empty is the trend's own."""
    if not trend:
        return Markup("")
    counts = _daily(trend, first or trend[0].day, last or trend[-1].day)
    top = max(*counts, 1)
    step = 180 / max(len(counts), 12)
    bars = Markup("").join(
        _tag(
            "rect",
            x=round(index * step, 2),
            y=round(40 - max(count / top * 38, 3), 2) if count else 39,
            width=round(max(step - 1.5, 0.8), 2),
            height=round(max(count / top * 38, 3), 2) if count else 1,
            rx=1,
            class_="spark" if count else "spark-none",
        )
        for index, count in enumerate(counts)
    )
    says = f"{label(trend[0].day)} to {label(trend[-1].day)}, at most {top:,} in a bar"
    return _svg(180, 40, bars, says=says, fit="xMinYMax meet")


def _daily(trend: Sequence[DayCount], first_day: str, last_day: str) -> list[int]:
    try:
        first, last = date.fromisoformat(first_day), date.fromisoformat(last_day)
        offsets = [(date.fromisoformat(point.day) - first).days for point in trend]
    except ValueError:  # a day that is no date: the order given is all there is to draw
        return [point.count for point in trend][:MOST_BARS]
    days = max((last - first).days + 1, 1)
    bucket = math.ceil(days / MOST_BARS)
    counts = [0] * math.ceil(days / bucket)
    for offset, point in zip(offsets, trend, strict=True):
        if 0 <= offset < days:
            counts[offset // bucket] += point.count
    return counts


def fidelity_bar(fidelity: Fidelity) -> Markup:
    """How calls were answered, as one bar of coloured shares."""
    counts = [Count(name=kind, count=getattr(fidelity, kind)) for kind in _KINDS]
    return share_bar(counts)


def share_bar(counts: Sequence[Count]) -> Markup:
    """Counts as shares of one bar; the class of a part is its name."""
    total = sum(count.count for count in counts)
    parts, left = Markup(""), 0.0
    for count in counts:
        width = 1000 * count.count / total if total else 0.0
        if width > 0:
            title = Markup("<title>{}: {:,}</title>").format(label(count.name), count.count)
            shown = max(width - 2, 1.5)
            parts += _tag(
                "rect",
                title,
                x=round(left, 2),
                y=0,
                width=round(shown, 2),
                height=20,
                class_=f"part part-{slug(count.name)}",
            )
        left += width
    says = ", ".join(f"{label(c.name)} {c.count:,}" for c in counts if c.count) or "nothing counted"
    return _svg(1000, 20, parts, says=says, fit="none")


def mosaic(counts: Sequence[Count]) -> Markup:
    """One square a task, coloured by where it stands."""
    total = sum(count.count for count in counts)
    each = max(1, math.ceil(total / MOST_SQUARES))
    names = [count.name for count in counts for _ in range(math.ceil(count.count / each))]
    columns = 40
    squares = Markup("").join(
        _tag(
            "rect",
            x=index % columns * 12,
            y=index // columns * 12,
            width=10,
            height=10,
            rx=2,
            class_=f"part part-{slug(name)}",
        )
        for index, name in enumerate(names)
    )
    says = ", ".join(f"{label(c.name)} {c.count:,}" for c in counts)
    return _svg(
        columns * 12 - 2, max(1, math.ceil(len(names) / columns)) * 12 - 2, squares, says=says
    )


def each_square(counts: Sequence[Count]) -> int:
    """How many tasks one square of `mosaic` stands for."""
    return max(1, math.ceil(sum(count.count for count in counts) / MOST_SQUARES))


def _tag(name: str, inner: str = "", **attributes: object) -> Markup:
    parts = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_"), value) for key, value in attributes.items()
    )
    return Markup("<{0}{1}>{2}</{0}>").format(name, parts, inner)


def _svg(width: float, height: float, inner: Markup, *, says: str = "", fit: str = "") -> Markup:
    """A picture with its text; without a text it is decoration beside the number it shows."""
    seen = (
        Markup('role="img" aria-label="{}"').format(says) if says else Markup('aria-hidden="true"')
    )
    ratio = Markup(' preserveAspectRatio="{}"').format(fit) if fit else Markup("")
    return Markup('<svg viewBox="0 0 {} {}" {}{} focusable="false">{}</svg>').format(
        width, height, seen, ratio, inner
    )
