"""What first sights, silent answers and status numbers say: one class of wrong answer each, on small invented backends."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from environments.runtime.answers.differing_pasts import (
    LINK,
    NONE,
    done_call,
    linked_to,
    links_shown,
    relation,
)
from environments.runtime.answers.outcome import outcome_of
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.entries import CallResult, Entry
from environments.runtime.world.world import World
from synth.world.influence.frame_axioms import learn_settled
from synth.world.influence.writers import learn_base
from synth.world.model import TableModel, ToolModel, Workbench
from synth.world.observation import histories
from synth.world.schema.compared_outcomes import learn_http_status
from synth.world.schema.functional_dependency import decides_beside
from synth.world.schema.kinds import learn_kinds
from synth.world.schema.outcomes import learn_outcomes
from tests.unit.world_backend import episode

Made = tuple[str, dict[str, Any], str]


def _bench(episodes: list[list[Made]], writers: set[str]) -> Workbench:
    """Tools with their outcomes, each showing a table of its own by its arguments."""
    past = histories([episode(number, list(made)) for number, made in enumerate(episodes)])
    tools: dict[str, ToolModel] = {}
    for history in past:
        for one in history.observations:
            one.settle()
            tool = tools.setdefault(one.tool, ToolModel(name=one.tool, observations=[]))
            tool.observations.append(one)
    for name, tool in tools.items():
        tool.kind = "write" if name in writers else "read"
        tool.table = name
        tool.key = [["arg", argument] for argument in sorted(tool.observations[0].arguments)]
        learn_outcomes(tool)
    tables = {name: TableModel(name=name, key_names=()) for name in tools}
    return Workbench(app="invented", histories=past, tools=tools, tables=tables)


COUNT: Made = ("count", {"shelf": "A-01"}, '{"corrected": 1}')
MOVE: Made = ("move", {"shelf": "B-02"}, '{"moved": 4}')
TOTAL: Made = ("total", {"group": "kitchen"}, '{"worth": "1670.85"}')


def test_a_sight_that_only_came_after_a_tool_never_tried_is_no_first_one() -> None:
    """A total that others change from afar may be the doing of what was always before it; seen after two tools it is not."""
    bench = _bench([[COUNT, TOTAL], [COUNT, TOTAL]], {"count", "move"})
    bench.tools["total"].suspects = {"count", "move"}
    learn_base(bench)
    assert bench.tables["total"].rows == {}
    both = _bench([[COUNT, TOTAL], [MOVE, TOTAL]], {"count", "move"})
    both.tools["total"].suspects = {"count", "move"}
    learn_base(both)
    assert both.tables["total"].rows == {'["kitchen"]': {"worth": "1670.85"}}


def test_a_sight_after_a_change_of_something_that_names_it_by_number_is_no_first_one() -> None:
    """A damage is filed for an order whose record has the number of its buyer: what the buyer's account shows then is not how it was."""
    look: Made = ("order", {"order": "O-77"}, '{"order": "O-77", "buyer": 4202}')
    file: Made = ("damage", {"order": "O-77"}, '{"note": "CN-61"}')
    sheets: list[Made] = [("sheet", {"buyer": n}, f'{{"deposit": {n}.5}}') for n in (4202, 4203)]
    bench = _bench([[look, file, *sheets]], {"damage"})
    learn_base(bench)
    assert set(bench.tables["sheet"].rows) == {"[4203]"}
    without = _bench([[file, *sheets]], {"damage"})
    learn_base(without)
    assert set(without.tables["sheet"].rows) == {"[4202]", "[4203]"}


def test_what_a_look_shows_by_number_links_two_calls() -> None:
    """A number that is asked for is an id; a price that nobody asks for is none, nor is a small count."""
    order, sheet = done_call("order", {"order": "O-77"}), done_call("sheet", {"buyer": 4202})
    shown = [(order, '{"buyer": 4202, "cents": 1999, "stems": 40}'), (sheet, "{}")]
    links = links_shown(shown)
    assert links["O-77"] == {"=4202"}
    damage = done_call("damage", {"order": "O-77"})
    earlier = replace(damage, linked=linked_to(damage, links))
    assert relation(earlier, sheet, frozenset()) == LINK
    assert relation(earlier, done_call("sheet", {"buyer": 4203}), frozenset()) == NONE


def test_a_tool_that_takes_something_and_says_nothing_is_no_reader() -> None:
    """Nobody asks for an answer that is always empty: what was given was kept. A thought and no argument at all say nothing."""
    texts = [("put", {"file": f"{n}.md", "text": "hello there"}, "") for n in range(4)]
    thoughts = [("think", {"thought": f"That is step {n}."}, "") for n in range(4)]
    bench = _bench([[*texts, *thoughts, ("rest", {}, ""), ("rest", {}, "")]], set())
    for tool in bench.tools.values():
        tool.kind, tool.table = "unknown", None
    learn_kinds(bench)
    kinds = [bench.tools[name].kind for name in ("put", "think", "rest")]
    assert kinds == ["act", "constant", "constant"]


def test_numbers_as_http_has_them_tell_refusals() -> None:
    """Where others say 200; a field that holds words or other numbers too says nothing."""
    good, bad = '{"status": 200, "id": "ev7"}', '{"status": 404, "detail": "no event ev9"}'
    made = [("event", {"event": f"ev{n}"}, good) for n in range(3)]
    bench = _bench([[*made, ("event", {"event": "ev9"}, bad)]], set())
    learn_http_status(bench)
    assert bench.tools["event"].outcomes[outcome_of(bad, {})] == "refusal"
    assert bench.tools["event"].outcomes[outcome_of(good, {})] == "success"
    word = ("order", {"order": "A1"}, '{"status": "open"}')
    mixed = _bench([[*made, word, ("event", {"event": "ev9"}, bad)]], set())
    learn_http_status(mixed)
    assert mixed.tools["event"].outcomes[outcome_of(bad, {})] == "success"


def test_a_row_that_was_refused_after_a_call_was_not_left_alone() -> None:
    """An event looked at after it was dropped and taken back is as before; once it was refused in between."""
    seen: Made = ("event", {"event": "ev7"}, '{"id": "ev7", "title": "Retro"}')
    drop: Made = ("drop", {"event": "ev7"}, '{"title": "Retro"}')
    other: Made = ("event", {"event": "ev8"}, '{"id": "ev8", "title": "Lunch"}')
    away: Made = ("drop", {"event": "ev8"}, '{"title": "Lunch"}')
    calm = [[seen, drop, seen], [other, away, other]]
    bench = _bench(calm, {"drop"})
    learn_base(bench)
    learn_settled(bench)
    assert bench.tools["drop"].settled == {"event"}
    gone: Made = ("event", {"event": "ev8"}, "Error: no event ev8")
    moved = _bench([*calm, [other, away, gone]], {"drop"})
    learn_base(moved)
    learn_settled(moved)
    assert moved.tools["drop"].settled == set()


def test_an_argument_beside_the_key_that_mostly_changes_the_answer_belongs_to_it() -> None:
    """Whoever is asked for on another day is elsewhere; a reason that is given changes nothing."""
    made = [
        ("person", {"name": name, "day": day, "why": why}, json.dumps({"name": name, "at": day}))
        for name, why in (("ines", "a"), ("wei", "b"))
        for day in ("mon", "tue")
    ]
    good = _bench([[*made, *(("person", {**a, "why": "c"}, t) for _, a, t in made)]], set())
    assert decides_beside(good.tools["person"].good(), ["name"], "day")
    assert not decides_beside(good.tools["person"].good(), ["name", "day"], "why")


def test_a_refusal_of_a_call_without_arguments_is_not_told_after_what_makes_things() -> None:
    """Nothing to take back: whoever was never tried before it and is known to change others' answers may be taken back."""
    done, nothing = '{"id": 7}', "Error: nothing to take back"
    outcomes = {outcome_of(done, {}): "success", outcome_of(nothing, {}): "refusal"}
    put = {"kind": "write", "outcomes": outcomes}
    back = {**put, "untried": ["put", "move"], "makers": ["put"]}
    entry = {"before": [], "content": done, "from": "e1", "n": 1}
    tape = {name: {"{}": [entry]} for name in ("put", "move")}
    tape["back"] = {"{}": [{**entry, "content": nothing}]}
    tools: dict[str, Any] = {"put": put, "move": put, "back": back}
    world = World.from_json({"format": "1", "tools": tools, "tape": tape})
    for before, told in (("move", True), ("put", False)):
        session = world.session()
        session.call(before, {})
        assert (session.call("back", {}).source != UNKNOWN) is told


def test_a_login_in_a_text_is_one_word() -> None:
    """What is asked for by a login or an address shows what was said to be about it."""
    came = CallResult(content="LR-206 withdrawn, 11 days back on the account of l.moreau.")
    entry = Entry(tool="withdraw", args={"request": "LR-206"}, known=True, came=came)
    assert "=l.moreau" in entry.words()
