"""The report's pictures: widths that follow the counts, trends on one time axis, texts for those who do not see them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from dagster_project.page_texts import slug
from dagster_project.report.data.counts import Count, Fidelity, FunnelStage
from dagster_project.report.pictures import (
    MOST_BARS,
    MOST_SQUARES,
    each_square,
    fidelity_bar,
    funnel_segment,
    funnel_widths,
    mosaic,
    share_bar,
    sparkline,
)
from synth.clusters.trend import DayCount


def widths(svg: str) -> list[float]:
    """The widths of all rectangles."""
    return [float(found) for found in re.findall(r'<rect[^>]* width="([\d.]+)"', svg)]


def test_a_funnel_narrows_with_the_counts() -> None:
    """Widths are between 0 and 1 and in the order of the counts; nothing at all has no width."""
    stages = [FunnelStage(name="n", count=count) for count in (60_000, 4_000, 4_000, 12, 0)]
    found = funnel_widths(stages)
    assert found[0] == 1.0
    assert found == sorted(found, reverse=True)
    assert found[-1] == 0.0
    assert funnel_widths([FunnelStage(name="n", count=0)]) == [0.0]
    assert funnel_widths([]) == []


def test_a_slope_leads_to_the_next_stage() -> None:
    """The slope starts at this stage's width and ends at the next one's; the last stage has none."""
    assert "0.0,0 1000.0,0 750.0,40 250.0,40" in funnel_segment(1.0, 0.5)
    assert "polygon" not in funnel_segment(1.0, None)


def test_the_parts_of_a_bar_fill_it() -> None:
    """Shares add up to the bar, nothing is drawn for zero, and the counts are in its text."""
    svg = fidelity_bar(Fidelity(calls=10, exact=7, unknown=2, wrong=1))
    assert widths(svg) == [698.0, 198.0, 98.0]
    assert 'aria-label="exact 7, unknown 2, wrong 1"' in svg
    assert widths(share_bar([Count(name="none", count=0)])) == []


@given(st.lists(st.integers(min_value=0, max_value=10**9), min_size=1, max_size=8))
def test_a_bar_never_overflows(counts: list[int]) -> None:
    """Whatever the counts, all parts stay inside the picture."""
    svg = share_bar([Count(name="part", count=count) for count in counts])
    ends = [
        float(x) + float(w)
        for x, w in re.findall(r'<rect x="([\d.]+)" y="0" width="([\d.]+)"', svg)
    ]
    assert all(end <= 1002 for end in ends)


def test_trends_share_one_time_axis() -> None:
    """A late burst stands at the right of the common window, with the quiet days before it."""
    trend = [DayCount(day="2026-11-19", count=2), DayCount(day="2026-11-20", count=4)]
    svg = sparkline(trend, "2026-11-11", "2026-11-20")
    assert svg.count('class="spark-none"') == 8
    assert svg.count('class="spark"') == 2
    assert svg.rindex('class="spark-none"') < svg.index('class="spark"')


def test_a_long_trend_is_drawn_in_buckets() -> None:
    """Years of days still make a small picture, and so does a day that is no date."""
    trend = [DayCount(day=f"20{year:02d}-01-01", count=1) for year in range(10, 30)]
    assert sparkline(trend, "", "").count("<rect") <= MOST_BARS
    assert sparkline([DayCount(day="someday", count=1)], "", "").count("<rect") == 1
    assert sparkline([], "", "") == ""


def test_a_mosaic_scales_its_squares() -> None:
    """Few tasks have a square each; many share one, and the page can say how many."""
    few = [Count(name="accepted", count=3), Count(name="rejected", count=2)]
    assert mosaic(few).count("<rect") == 5
    assert each_square(few) == 1
    many = [Count(name="accepted", count=100_000), Count(name="rejected", count=1)]
    assert mosaic(many).count("<rect") <= MOST_SQUARES + 1
    assert each_square(many) == 251


def test_names_cannot_break_out_of_a_class() -> None:
    """A class name made of data has letters, digits and dashes only."""
    assert slug('x" onload="y') == "x--onload--y"
    assert "onload=" not in share_bar([Count(name='"onload="', count=1)]).replace(
        "&#34;onload=", ""
    )
