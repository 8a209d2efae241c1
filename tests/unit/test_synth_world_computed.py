"""Tools that compute from their arguments: what is recognised, and what is left unknown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import floor
from typing import Any

import pytest

from environments.runtime.document.world_file import BadWorldError
from environments.runtime.task.attempt import DERIVED, UNKNOWN, Json, ToolResult
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

Call = tuple[str, dict[str, Any]]
PAIRS: Sequence[tuple[Json, Json]] = ((3, 4), (10, 2.5), (7.25, 1), (0.1, 0.2), (40, -6), (5, 9))


def _episode(number: int, made: Iterable[tuple[str, dict[str, Any], str]]) -> CleanEpisode:
    steps = [CleanStep(role="user", content="?")]
    for at, (name, arguments, content) in enumerate(made):
        call = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=f"c{at}", content=content))
    return CleanEpisode(app="a", episode_id=f"e{number}", started_at=number, steps=tuple(steps))


def _world(tools: Mapping[str, Callable[..., str]], episodes: Sequence[Sequence[Call]]) -> World:
    made = [
        _episode(i, [(name, given, tools[name](**given)) for name, given in calls])
        for i, calls in enumerate(episodes)
    ]
    return World(learn_world(made, WorldSettings(risk=0)).document)


def _learnt(tool: Callable[..., str], given: Sequence[dict[str, Any]]) -> World:
    """A world of one tool, two calls an episode."""
    calls = [("gauge", one) for one in given]
    return _world({"gauge": tool}, [calls[i : i + 2] for i in range(0, len(calls), 2)])


def _ask(world: World, **given: Json) -> ToolResult:
    return world.session().call("gauge", json.dumps(given))


def _two(pairs: Iterable[tuple[Json, Json]] = PAIRS) -> list[dict[str, Any]]:
    return [{"left": a, "right": b} for a, b in pairs]


def _record(value: object) -> str:
    return json.dumps({"out": value})


@pytest.mark.parametrize(
    "work",
    [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a / b,
        lambda a, b: a / b * 100,
        lambda a, b: round(a * b, 2),
        lambda a, b: a * (1 + b / 100),
        lambda a, b: a - a * b / 100,
        lambda a, b: floor(a / b) * b,
        max,
    ],
)
@pytest.mark.parametrize("said", [str, _record, lambda value: f"That makes {value} in all."])
def test_a_sum_of_two_arguments_is_told_as_recorded(
    work: Callable[[Any, Any], Any], said: Callable[[object], str]
) -> None:
    """The bare number, a record's field or a sentence: the next call is told to the letter."""
    world = _learnt(lambda left, right: said(work(left, right)), _two())

    told = _ask(world, left=12.5, right=3)

    assert (told.source, told.content) == (DERIVED, said(work(12.5, 3)))


def test_a_whole_float_is_not_a_whole_number() -> None:
    """`5.0` and `5` are one argument elsewhere; what is computed of them is written otherwise."""
    world = _learnt(lambda left, right: str(left + right), _two([*PAIRS, (2.0, 3.0)]))

    assert _ask(world, left=8.0, right=1).content == "9.0"
    assert _ask(world, left=8, right=1).content == "9"
    assert _ask(world, left=2, right=3).content == "5"


@pytest.mark.parametrize("work", [sum, min, max, len, lambda n: sum(n) / len(n)])
def test_a_list_of_numbers_is_summed_up(work: Callable[[list[Any]], Any]) -> None:
    """Totals, means and extremes over one list."""
    lists: list[list[Json]] = [[1, 2, 6], [4.5, 0.25], [9], [8, 3, 3, 1], [7, -2.5, 10], [1, 1]]
    world = _learnt(lambda of: _record(work(of)), [{"of": numbers} for numbers in lists])

    assert _ask(world, of=[3, 20.5, 4]).content == _record(work([3, 20.5, 4]))
    assert _ask(world, of=[3, True, 4]).source == UNKNOWN
    assert _ask(world, of="3, 4").source == UNKNOWN


def test_formulas_that_part_ways_are_unknown() -> None:
    """Where the first number was always the larger one, nobody knows what becomes of a larger second."""
    world = _learnt(lambda left, right: str(left - right), _two([(a + 9, a) for a in range(1, 9)]))
    larger = _two([(9, 1), (8, 2), (12, 5), (30, 4), (7, 3), (40, 39)])
    apart = _learnt(lambda left, right: str(left - right), larger)

    assert _ask(world, left=100, right=1).source == UNKNOWN
    assert _ask(apart, left=20, right=6).content == "14"
    assert _ask(apart, left=6, right=20).source == UNKNOWN


def test_an_argument_that_is_ignored_and_one_that_never_varied() -> None:
    """Formulas without an argument compete on equal terms; one with a single value is told for that value only."""

    def root(left: float, places: int) -> str:
        return str(left**0.5) if places else "?"

    numbers = (2, 3.5, 7, 11, 20, 30.25)
    varied = _learnt(root, [{"left": n, "places": i + 1} for i, n in enumerate(numbers)])
    fixed = _learnt(root, [{"left": n, "places": 4} for n in numbers])

    assert _ask(varied, left=5, places=3).content == str(5**0.5)
    assert _ask(fixed, left=5, places=4).content == str(5**0.5)
    assert _ask(fixed, left=5, places=3).source == UNKNOWN


def test_what_is_rounded_to_an_argument() -> None:
    """The number of places is one of the arguments."""
    given = [(3.14159, 2), (2.71828, 1), (10.5555, 3), (8.125, 2), (1.23456, 4), (99.99, 1)]
    world = _learnt(lambda left, right: _record(round(left, right)), _two(given))

    assert _ask(world, left=7.77777, right=3).content == _record(7.778)
    assert _ask(world, left=7.77777, right=0.5).source == UNKNOWN


RATES = {("ell", "foot"): 3.75, ("foot", "ell"): 0.2667, ("ell", "rod"): 0.125}


def _convert(value: float, of: str, to: str) -> str:
    rate = RATES.get((of, to))
    return _record(value * rate) if rate else "Error: cannot convert"


def test_a_rate_is_known_for_the_words_that_were_seen() -> None:
    """A linear factor for each pair of words, none for a pair that was hardly or never seen."""
    seen = [("ell", "foot")] * 5 + [("foot", "ell")] * 5 + [("ell", "rod")] * 2
    given: list[dict[str, Any]] = [
        {"value": round(1.3 + 2.7 * i, 2), "of": of, "to": to} for i, (of, to) in enumerate(seen)
    ]
    world = _learnt(_convert, given)

    assert _ask(world, value=41.5, of="ell", to="foot").content == _record(41.5 * 3.75)
    assert _ask(world, value=41.5, of="foot", to="ell").content == _record(41.5 * 0.2667)
    assert _ask(world, value=41.5, of="ell", to="rod").source == UNKNOWN
    assert _ask(world, value=41.5, of="rod", to="ell").source == UNKNOWN


def test_a_rate_behind_rounded_numbers_is_as_sure_as_they_are() -> None:
    """Two factors fit what was rounded: a call large enough to tell them apart is unknown."""
    given: list[dict[str, Any]] = [{"value": v} for v in (1.5, 2, 3.25, 4, 97.5, 8)]
    world = _learnt(lambda value: _record(round(value * 2.20462, 2)), given)

    assert _ask(world, value=5).content == _record(11.02)
    assert _ask(world, value=800_000).source == UNKNOWN


def _divided(left: float, right: float) -> str:
    return str(left / right) if right else "Error: nothing to divide by"


def test_what_cannot_be_computed_is_refused_only_as_recorded() -> None:
    """Division by zero has the recorded words, or none."""
    plain = _learnt(_divided, _two())
    shown = _learnt(_divided, _two([*PAIRS, (4, 0), (9, 0), (1.5, 0)]))

    assert _ask(plain, left=2, right=0).source == UNKNOWN
    refused = _ask(shown, left=2, right=0)
    assert (refused.content, refused.is_error) == ("Error: nothing to divide by", True)


def test_a_limit_that_the_formula_does_not_have_is_not_passed() -> None:
    """A call refused for what no formula says shows that more than a sum is at work."""

    def limited(left: float, right: float) -> str:
        return str(left + right) if left + right < 40 else "Error: too much"

    world = _learnt(limited, _two([*PAIRS, (50, 4), (70, 1)]))

    assert _ask(world, left=100, right=1).source == UNKNOWN


class _Meter:
    """Adds up over calls; a new one reads nothing."""

    def __init__(self) -> None:
        self.total = 0.0

    def gauge(self, left: float) -> str:
        self.total += left
        return str(self.total)


def test_a_running_total_is_no_formula() -> None:
    """What hangs on earlier calls is not told from the arguments, though first calls look so."""
    episodes = []
    for i in range(8):
        meter = _Meter()
        given = [{"left": 1.5 + i}, {"left": 2.5 + i}]
        episodes.append(_episode(i, [("gauge", one, meter.gauge(**one)) for one in given]))
    world = World(learn_world(episodes, WorldSettings(risk=0)).document)

    assert _ask(world, left=31).source == UNKNOWN


class _Stall:
    """Prices that a call changes."""

    def __init__(self) -> None:
        self.prices = {"plum": 2.5, "fig": 4.0}

    def quote_for(self, what: str, count: int) -> str:
        return _record(self.prices[what] * count)

    def reprice(self, what: str, price: float) -> str:
        self.prices[what] = price
        return "done"


def test_a_price_is_not_taken_to_outlast_what_may_change_it() -> None:
    """A factor that the backend keeps is told until a tool is called after which nobody looked often."""
    episodes = []
    for i in range(8):
        stall = _Stall()
        calls: list[Call] = [
            ("quote_for", {"what": w, "count": 2 + i + n}) for n, w in enumerate(stall.prices)
        ]
        made = [(name, given, stall.quote_for(**given)) for name, given in calls]
        if i % 4 == 0:
            changed: dict[str, Any] = {"what": "plum", "price": 3.5}
            made.append(("reprice", changed, stall.reprice("plum", 3.5)))
        if i % 4 == 1:
            # That figs cost what they did says nothing of plums.
            asked: dict[str, Any] = {"what": "fig", "count": 20 + i}
            changed = {"what": "plum", "price": 3.5}
            made.insert(0, ("reprice", changed, stall.reprice("plum", 3.5)))
            made[1:] = [("quote_for", asked | {"count": n}, _record(4.0 * n)) for n in (i, i + 30)]
        episodes.append(_episode(i, made))
    session = World(learn_world(episodes, WorldSettings(risk=0)).document).session()

    ask = json.dumps({"what": "plum", "count": 40})
    assert session.call("quote_for", ask).content == _record(100.0)
    session.call("reprice", json.dumps({"what": "plum", "price": 3.5}))
    assert session.call("quote_for", ask).source == UNKNOWN


def test_a_tool_that_changes_what_others_show_stays_a_writer() -> None:
    """Its answer may be a sum of its arguments: what it does is not forgotten for it."""
    episodes = []
    for i in range(12):
        level = {"level": 1}
        made: list[tuple[str, dict[str, Any], str]] = [("look", {}, json.dumps(level))]
        given: dict[str, Any] = {"left": i + 1, "right": 2 * i + 3}
        made.append(("gauge", given, _record(3 * i + 4)))
        level["level"] = 3 * i + 4
        made.append(("look", {}, json.dumps(level)))
        episodes.append(_episode(i, made))
    document = learn_world(episodes, WorldSettings(risk=0)).document.to_json()

    assert document["tools"]["gauge"]["kind"] == "write"
    session = World.from_json(document).session()
    session.call("gauge", json.dumps({"left": 50, "right": 60}))
    assert session.call("look", "{}").content != json.dumps({"level": 1})


@pytest.mark.parametrize(
    ("slots", "text"),
    [
        ([[[["eval", ["arg", "x"]], "plain"]]], [0]),
        ([[[["+", ["arg", "x"]], "plain"]]], [0]),
        ([[[["arg", "x"], "as it likes"]]], [0]),
        ([[[["arg", "x"], "plain"]]], [1]),
        ([[]], [0]),
    ],
)
def test_a_world_file_with_another_formula_is_refused(slots: list[Any], text: list[Any]) -> None:
    """What is computed is in the closed language, or the file is not loaded."""
    case = {"takes": {"x": "number"}, "text": text, "slots": slots}
    tool = {"kind": "read", "computes": {"cases": [case]}}
    with pytest.raises(BadWorldError):
        World.from_json({"format": "1", "tools": {"gauge": tool}})
