"""The picture of a task set's difficulty: pass rates expected and reached, and whether the estimates hold.

Comes in: what `difficulty.json` says. Goes out: a PNG; the same figures give the same bytes.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

from dagster_project.difficulty.report import AIM, BAND

_BANDS: Final = [i / 10 for i in range(11)]
_MOST: Final = 5
"""Policies that are drawn."""


def picture(found: Mapping[str, Any]) -> bytes:
    """Histograms of pass rates beside the reliability of the estimate."""
    # matplotlib takes 0.8 s to import; only what draws pays.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(9, 3.4), dpi=90, layout="constrained")
    FigureCanvasAgg(figure)
    rates, reliability = figure.subplots(1, 2, width_ratios=(2, 1))
    series = _series(list(found["tasks"].values()))
    if series:
        rates.hist([r for _, r in series], bins=_BANDS, label=[name for name, _ in series])
        rates.legend(fontsize=7)
    rates.axvspan(*BAND, alpha=0.06, color="tab:green")
    rates.axvspan(*AIM, alpha=0.12, color="tab:green")
    rates.set(xlabel="pass rate", ylabel="tasks", xlim=(0, 1))
    rates.set_title("tasks by pass rate (green: band, darker: aim)", fontsize=9)
    reliability.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    bins = (found.get("calibration") or {}).get("bins") or ()
    if bins:
        reliability.plot([b["expected"] for b in bins], [b["resolved"] for b in bins], "o-")
    reliability.set(xlabel="expected", ylabel="resolved", xlim=(0, 1), ylim=(0, 1))
    reliability.set_title("unseen attempts" if bins else "calibration not measured", fontsize=9)
    for axes in (rates, reliability):
        axes.tick_params(labelsize=8)
    data = io.BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None})
    return data.getvalue()


def _series(tasks: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[float]]]:
    """The estimate, and the policies that tried most tasks."""
    found = [("estimate", [t["estimate"]["rate"] for t in tasks if t.get("estimate")])]
    names = {name for task in tasks for name in task["policies"]}
    tried = [
        (
            name.replace("$", "")[:30],
            [r["rate"] for t in tasks if (r := t["policies"].get(name)) and r["rate"] is not None],
        )
        for name in sorted(names)
    ]
    tried.sort(key=lambda one: (-len(one[1]), one[0]))
    return [(name, rates) for name, rates in [*found, *tried[:_MOST]] if rates]
