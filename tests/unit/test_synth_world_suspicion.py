"""Suspicion that other evidence must not wash away: small invented backends, one class of wrong answer each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from synth.world.influence.independence import MIN_STEADY, matters_far, never_matters, states_of
from synth.world.influence.purity_prior import enough
from synth.world.influence.sequences import changed_by_asking
from synth.world.influence.trials import Evidence
from synth.world.influence.writers import learn_base
from synth.world.model import TableModel, ToolModel, Workbench, outcome_class
from synth.world.observation import Observation, histories
from synth.world.schema.informative import informative
from synth.world.stated_effects import says_write
from tests.unit.world_backend import episode

Made = Sequence[tuple[str, dict[str, Any], str]]
WHOLE = ("rota", {"on": "fri"}, '["shift_93c"]')
EMPTY = ("rota", {"on": "fri"}, "[]")
DROP = ("drop", {"shift_id": "shift_93c"}, '"dropped"')
OTHER = ("drop", {"shift_id": "shift_71a"}, '"dropped"')
SWAP = ("swap", {"shift_id": "shift_93c"}, '"swapped"')
SHIFT = ("shift", {"shift_id": "shift_93c"}, '{"shift_id": "shift_93c", "on": "fri"}')
LOAD = ("load", {"on": "fri"}, '{"busy": 1}')


def _bench(episodes: Sequence[Made], writers: set[str]) -> Workbench:
    """Tools by name, each showing a table of its own by its arguments."""
    past = histories([episode(number, list(made)) for number, made in enumerate(episodes)])
    seen: dict[str, list[Observation]] = defaultdict(list)
    for history in past:
        for one in history.observations:
            one.settle()
            seen[one.tool].append(one)
    tools = {}
    for name, observations in seen.items():
        key = [["arg", argument] for argument in sorted(observations[0].arguments)]
        kind = "write" if name in writers else "read"
        tools[name] = ToolModel(
            name=name, observations=observations, kind=kind, table=name, key=key
        )
    tables = {name: TableModel(name=name, key_names=()) for name in tools}
    return Workbench(app="invented", histories=past, tools=tools, tables=tables)


def test_an_empty_list_is_no_sign_that_nothing_was_taken_from_it() -> None:
    """A list first seen after a drop of what it held names nothing any more, and is not what was there at the start."""
    bench = _bench([[DROP, EMPTY], [DROP, EMPTY], [SWAP, WHOLE]], {"drop", "swap"})
    learn_base(bench)
    assert bench.tables["rota"].rows == {}


def test_a_list_after_a_call_about_something_it_never_held_is_the_first_one() -> None:
    """What no sight of the row ever named cannot have been taken from it."""
    bench = _bench([[OTHER, WHOLE], [DROP, EMPTY]], {"drop"})
    learn_base(bench)
    assert bench.tables["rota"].rows == {'["fri"]': ["shift_93c"]}


def _said(*texts: str) -> ToolModel:
    bench = _bench([[("tool", {}, text)] for text in texts], set())
    return bench.tools["tool"]


def test_done_and_nothing_to_do_say_nothing_of_records() -> None:
    """Two plain phrases may say what was done; numbers, paths, records and many phrases show something."""
    assert not informative(_said("undone", "nothing to undo"))
    assert informative(_said("3 left", "2 left"))
    assert informative(_said("/home", "/home/docs"))
    assert informative(_said("red", "green", "blue"))
    assert informative(_said('{"a": 1}', '{"a": 2}'))


def _convicts(*writers: str) -> Evidence:
    return Evidence(convicted={(writer, False) for writer in writers})


def test_answers_that_share_a_writer_show_one_state() -> None:
    """Sharing goes on from tool to tool; what nobody was seen to change shows none."""
    found = {
        "path": _convicts("walk"),
        "view": _convicts("walk", "turn"),
        "map": _convicts("turn", "draw"),
        "song": _convicts("sing"),
        "clock": Evidence(),
    }
    field = frozenset({"walk", "turn", "draw"})
    assert states_of(found) == {
        "path": field,
        "view": field,
        "map": field,
        "song": frozenset({"sing"}),
    }


def _looked_at(*writers: str, times: int) -> Evidence:
    """Changed by these writers from afar, and never by another that came that often."""
    evidence = Evidence(wide=True, convicted={(writer, False) for writer in writers})
    evidence.unchanged["hum", False] = {("look", str(number)) for number in range(times)}
    return evidence


def test_a_writer_of_another_state_does_not_matter() -> None:
    """Never its own later answers, nor where nothing is known of its effects, nor before answers seldom looked at."""
    found = {
        "path": _looked_at("walk", times=MIN_STEADY),
        "view": _convicts("walk", "turn"),
        "song": _convicts("sing"),
        "clock": _looked_at(times=MIN_STEADY),
        "bell": _looked_at(times=MIN_STEADY - 1),
        "sing": _looked_at(times=MIN_STEADY),
    }
    states = states_of(found)

    def matters(suspect: str, name: str) -> bool:
        return matters_far(found, suspect, name, states=states)

    assert not matters("sing", "path")
    assert matters("turn", "path")
    assert matters("sing", "sing")
    assert not matters("sing", "clock")
    assert matters("sing", "bell")

    found["clock"].always = {"sing"}
    assert matters("sing", "clock"), "nobody knows how a success is without what came before each"

    assert not never_matters(found, "sing", "path", states=states)
    found["path"].unchanged["sing", True] = {("look", "la")}
    assert never_matters(found, "sing", "path", states=states)
    assert not never_matters(found, "turn", "path", states=states)
    found["clock"].always = set()
    found["path"].unchanged.pop(("sing", True))
    assert never_matters(found, "sing", "path", states=states, certain=False)
    assert not never_matters(found, "sing", "clock", states=states, certain=False), (
        "nobody knows what changes it"
    )


def test_a_tool_called_often_whose_name_says_that_it_reads_needs_one_equal_answer_after_it() -> (
    None
):
    """Not where it alone explains a change, was called a few times, or says nothing of what it does."""
    assert enough(_asked("list_shifts", 40), set()) == 1
    assert enough(_asked("list_shifts", 10), set()) == 3
    assert enough(_asked("list_shifts", 40), {"list_shifts"}) == 3
    assert enough(_asked("rota", 40), set()) == 3
    assert enough(_asked("rota", 40), {"rota"}) == 12
    assert enough(_asked("drop_shift", 40), set()) == 30


def test_a_name_that_clearly_says_that_it_looks_is_enough_where_some_risk_is_taken() -> None:
    """Not where a change is its doing alone, nor of a name that says nothing or says that it changes something."""
    assert enough(_asked("list_shifts", 2), set(), by_name=True) == 0
    assert enough(_asked("list_shifts", 2), {"list_shifts"}, by_name=True) == 3
    assert enough(_asked("rota", 2), set(), by_name=True) == 3
    assert enough(_asked("drop_shift", 2), set(), by_name=True) == 30


def _asked(name: str, calls: int) -> ToolModel:
    made = [(name, {"on": "fri"}, "[]")] * calls
    return _bench([made], set()).tools[name]


def test_what_answers_otherwise_when_asked_again_at_once_changed_something() -> None:
    """One such pair says it; a second call that was refused says it in two episodes, and never after a call between."""

    def undo(left: str) -> tuple[str, dict[str, Any], str]:
        return "back", {}, f'{{"left": {left}}}'

    assert changed_by_asking(_bench([[undo("2"), undo("1")]], set())) == {"back"}
    assert changed_by_asking(_bench([[undo("2"), undo("2")]], set())) == set()
    assert changed_by_asking(_bench([[undo("2"), DROP, undo("1")]], set())) == set()
    assert changed_by_asking(_bench([[undo("2")], [undo("1")]], set())) == set()

    refusing = [undo("2"), ("back", {}, "Error: busy")]
    for episodes, convicted in (([refusing], set[str]()), ([refusing, refusing], {"back"})):
        bench = _bench(episodes, set())
        (said,) = {outcome_class(s) for s in bench.tools["back"].observations if not s.is_json}
        bench.tools["back"].outcomes = {said: "refusal"}
        assert changed_by_asking(bench) == convicted


def test_a_plural_noun_in_a_name_is_no_verb() -> None:
    """`files` lists files and `holds` holds; `file_claim` and `hold` change something."""
    assert says_write("files") == says_write("holds") == says_write("payment_requests") == 0
    assert says_write("file_claim") == says_write("hold") == 1
    assert says_write("get_files") == -1
