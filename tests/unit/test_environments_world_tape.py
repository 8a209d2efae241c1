"""Recorded answers: what has to have come before, and which unknown calls may matter."""

from __future__ import annotations

from typing import Any

from environments.runtime.answers.outcome import outcome_of
from environments.runtime.task.attempt import DERIVED, RECORDED, UNKNOWN
from environments.runtime.world.session import Session
from environments.runtime.world.world import World


def _world(*, after: list[str], news: bool = False) -> World:
    done = {"kind": "write", "outcomes": {outcome_of('{"id": 7}', {}): "success"}}
    entry = {"before": [], "content": '{"id": 7}', "from": "e1", "n": 1}
    tools: dict[str, Any] = {"switch": done, "make": {**done, "news": news}, "use": done}
    tape = {
        "switch": {"{}": [{**entry, "content": '{"id": 1}'}]},
        "make": {"{}": [{**entry, "content": '{"id": "A17"}'}]},
        "use": {
            '{"of":"B20"}': [{**entry, "after": after}],
            '{"of":"A17"}': [{**entry, "after": []}],
        },
    }
    return World.from_json({"format": "1", "tools": tools, "tape": tape})


def test_what_always_came_first_has_to_have_come() -> None:
    """An answer that was only recorded after another call is not told without it."""
    session = _world(after=["switch {}"]).session()
    assert session.call("use", {"of": "B20"}).source == UNKNOWN

    after = _world(after=["switch {}"]).session()
    after.call("switch", {})
    assert after.call("use", {"of": "B20"}).source == RECORDED


def test_an_unknown_call_hides_only_what_it_may_have_named() -> None:
    """What such calls were seen to name is in doubt; what was there without them is not."""
    session = _world(after=[], news=True).session()
    assert session.call("make", {"what": "never recorded"}).source == UNKNOWN
    assert session.call("use", {"of": "B20"}).source == RECORDED
    assert session.call("use", {"of": "A17"}).source == UNKNOWN


def test_a_call_that_names_nothing_may_undo_what_an_answer_hangs_on() -> None:
    """What is shown after an edit is not told after an undo that was hardly ever tried; without an edit it is."""
    done = {"kind": "write", "outcomes": {outcome_of("done", {}): "success"}}
    edit = {"before": [], "content": "done", "from": "e1", "n": 1}
    edited = {"before": ["edit {}"], "content": "new", "from": "e1", "n": 1}
    plain = {"before": [], "content": "old", "from": "e2", "n": 1}
    table = {"key": ["of"], "rows": {}}
    reads = {"table": "text", "key": [["arg", "of"]]}
    show = {"kind": "read", "reads": reads, "heeds": ["edit"], "untried": ["undo"]}
    tools: dict[str, Any] = {"edit": done, "undo": done, "show": show}
    tape = {
        "edit": {"{}": [edit]},
        "undo": {"{}": [edit, {**edit, "before": ["edit {}"]}]},
        "show": {'{"of":"it"}': [edited, plain]},
    }
    world = World.from_json(
        {"format": "1", "tools": tools, "tape": tape, "tables": {"text": table}}
    )
    session = world.session()
    session.call("edit", {})
    assert session.fork().call("show", {"of": "it"}).content == "new"
    assert session.call("undo", {}).source == RECORDED
    assert session.call("show", {"of": "it"}).source == UNKNOWN

    untouched = world.session()
    untouched.call("undo", {})
    assert untouched.call("show", {"of": "it"}).content == "old"


def _session(show: dict[str, Any], shown: list[dict[str, Any]], rows: dict[str, Any]) -> Session:
    done = {"kind": "write", "outcomes": {outcome_of("done", {}): "success"}}
    entry = {"before": [], "content": "done", "from": "e1", "n": 1}
    any_time = [entry, {**entry, "before": ["edit {}"]}, {**entry, "before": ["other {}"]}]
    reads = {"table": "text", "key": [["arg", "of"]]}
    tools: dict[str, Any] = {"edit": done, "other": done, "calm": done, "undo": done}
    tools["show"] = {"kind": "read", "reads": reads, **show}
    tape: dict[str, Any] = {name: {"{}": any_time} for name in ("edit", "other", "calm")}
    tape["show"] = {'{"of":"it"}': shown}
    table = {"key": ["of"], "rows": rows, "seen": {"show": list(rows)}}
    document = {"format": "1", "tools": tools, "tape": tape, "tables": {"text": table}}
    return World.from_json(document).session()


def test_an_empty_answer_is_not_told_after_what_may_have_made_something() -> None:
    """Nothing was found, in the record or on tape; after a tool that changes what others show somebody may be there."""
    show = {"untried": ["other", "calm"], "makers": ["other"]}
    on_tape = [{"before": [], "content": "{}", "from": "e1", "n": 1}]
    for rows, shown in (({'["it"]': {}}, []), ({}, on_tape)):
        session = _session(show, shown, rows)
        assert session.call("show", '{"of": "it"}').content == "{}"
        session.call("calm", {})
        assert session.call("show", '{"of": "it"}').content == "{}"
        session.call("other", {})
        assert session.call("show", '{"of": "it"}').source == UNKNOWN
    full = _session(show, [], {'["it"]': {"a.md": 1}})
    full.call("other", {})
    assert full.call("show", '{"of": "it"}').content == '{"a.md": 1}'


def test_what_nobody_knows_about_a_call_without_arguments_may_be_that_it_undid_the_edit() -> None:
    """Its tool was tried often, with nothing to undo: only an answer would say what it took back."""
    shown = [
        {"before": ["edit {}"], "content": "new", "from": "e1", "n": 1},
        {"before": [], "content": "old", "from": "e2", "n": 1},
    ]
    session = _session({"heeds": ["edit"]}, shown, {})
    untouched = session.fork()
    session.call("edit", {})
    session.observe("calm", {}, "done")
    assert session.fork().call("show", {"of": "it"}).content == "new"
    aimed = session.fork()
    assert aimed.call("other", {"of": "else"}).source == UNKNOWN
    assert aimed.call("show", {"of": "it"}).content == "new"
    assert session.call("undo", {}).source == UNKNOWN
    assert session.call("show", {"of": "it"}).source == UNKNOWN
    assert untouched.call("undo", {}).source == UNKNOWN
    assert untouched.call("show", {"of": "it"}).content == "old"


def test_a_call_without_arguments_is_known_where_the_reader_ignores_its_tool() -> None:
    """A tool that was seen to leave these answers alone undoes nothing of theirs."""
    shown = [{"before": ["edit {}"], "content": "new", "from": "e1", "n": 1}]
    session = _session({"heeds": ["edit"], "ignores": ["undo"]}, shown, {})
    session.call("edit", {})
    assert session.call("undo", {}).source == UNKNOWN
    assert session.call("show", {"of": "it"}).content == "new"


def test_a_constant_answer_is_not_told_again_where_answers_hang_on_the_tools_own_calls() -> None:
    """The first label is new; whether the same label is new a second time nobody saw."""
    mark = {"kind": "act", "outcomes": {outcome_of("true", {}): "success"}, "claims": True}
    for heeds in ([], ["mark"]):
        tool = {**mark, "answer": ["const", True], "heeds": heeds}
        session = World.from_json({"format": "1", "tools": {"mark": tool}}).session()
        assert session.call("mark", {"name": "good"}).content == "true"
        assert session.call("mark", {"name": "fast"}).content == "true"
        again = session.call("mark", {"name": "good"})
        assert again.source == (UNKNOWN if heeds else DERIVED)
