"""Arguments in which a record has several names: what makes them one, and what keeps them apart."""

from __future__ import annotations

import json
import random
import uuid
from functools import lru_cache
from typing import Any

import pytest

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.backend import Backend, Call, Step, Style, ToolError
from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.views.argument_spelling import Spelling
from environments.runtime.views.view import CallInFlight
from environments.runtime.world.world import World
from synth.recordings.attempt import record
from synth.worlds import WorldSettings, learn_world

CODES = [f"CR-{n:02d}" for n in range(1, 9)]
IDS = {code: str(uuid.UUID(int=(n + 7) ** 30 % 2**128)) for n, code in enumerate(CODES)}
PORTS = dict(
    zip(CODES, ["Oran", "Bari", "Cork", "Kiel", "Faro", "Riga", "Lyon", "Turku"], strict=True)
)
NAMES = {**{i: c for c, i in IDS.items()}, **{c: c for c in CODES}}


class Cranes(Backend):
    """A crane hire whose cranes have an id and a code; each stands in a port of its own, which names it nowhere."""

    def __init__(self) -> None:
        self.hours: dict[str, int] = dict.fromkeys(CODES, 0)

    def get_crane(self, ref: str) -> Any:  # noqa: ANN401 - JSON
        """Show a crane."""
        return self._shown(self._known(ref))

    def add_hours(self, ref: str, hours: int) -> Any:  # noqa: ANN401 - JSON
        """Log hours."""
        self.hours[self._known(ref)] += hours
        return self._shown(self._known(ref))

    def print_label(self, crane: str) -> Any:  # noqa: ANN401 - JSON
        """A label with what was sent."""
        return {"label": f"<{crane}>", "port": PORTS[self._known(crane)]}

    def price(self, key: str) -> Any:  # noqa: ANN401 - JSON
        """A price that hangs on the words of the key."""
        self._known(key)
        return {"cents": sum(map(ord, key))}

    def weather(self, port: str) -> Any:  # noqa: ANN401 - JSON
        """The wind in a port; a crane's code is none."""
        if port not in PORTS.values():
            raise ToolError("no such port")
        return {"port": port, "wind": len(port)}

    def _shown(self, code: str) -> Any:  # noqa: ANN401 - JSON
        here = {"id": IDS[code], "code": code, "port": PORTS[code], "hours": self.hours[code]}
        return {"crane": here}

    @staticmethod
    def _known(ref: str) -> str:
        if ref not in NAMES:
            raise ToolError(f"no crane {ref}")
        return NAMES[ref]


def _script(rng: random.Random) -> list[Step]:
    code = rng.choice(CODES)
    either: Any = rng.choice([lambda c: c, lambda c: c, IDS.get])
    ref = either(code)
    look: Step = ("get_crane", {"ref": ref})
    more: Step = ("add_hours", {"ref": ref, "hours": rng.choice([1, 2])})
    return rng.choice(
        [
            [look, ("get_crane", {"ref": code})],
            [look, more, look],
            [("print_label", {"crane": ref}), look],
            [("price", {"key": ref}), ("price", {"key": code})],
            [("weather", {"port": rng.choice([PORTS[code], PORTS[code], code])}), look],
        ]
    )


CRANES = Style(name="cranes", make=Cranes, script=_script)


@lru_cache
def _document() -> dict[str, Any]:
    kept = [episode(CRANES, one) for one in attempts(CRANES, 5)]
    return dict(learn_world(kept, WorldSettings(risk=0)).document.to_json())


def _told(*calls: Call) -> list[ToolResult]:
    session = World.from_json(_document()).session()
    return [session.call(tool, arguments) for tool, arguments in calls]


@pytest.mark.parametrize("code", CODES)
def test_a_record_is_the_same_one_by_each_of_its_names(code: str) -> None:
    """What was done under its code is shown under its id, and the other way round."""
    ways = [(code, code), (code, IDS[code]), (IDS[code], code), (IDS[code], IDS[code])]
    told = [
        [
            t.content
            for t in _told(("add_hours", {"ref": one, "hours": 2}), ("get_crane", {"ref": other}))
        ]
        for one, other in ways
    ]
    assert told == [told[0]] * len(ways)
    (look,) = _told(("get_crane", {"ref": IDS[code]}))
    assert look.source != UNKNOWN
    assert json.loads(look.content) == json.loads(Cranes().call("get_crane", {"ref": code}).content)


def test_the_world_file_says_which_fields_name_one_record_and_where() -> None:
    """A port is one to one with its crane and was sent where codes were, but it names no crane."""
    document = _document()
    (fields,) = document["names"]
    assert fields == "id code"
    assert document["names"][fields] == {IDS[code]: code for code in CODES}
    takes = {
        (t, n)
        for t, forms in document["spelling"].items()
        for n, f in forms.items()
        if "names" in f
    }
    assert takes == {("get_crane", "ref"), ("add_hours", "ref")}


@pytest.mark.parametrize(("tool", "name"), [("print_label", "crane"), ("price", "key")])
def test_answers_that_hang_on_the_name_stay_apart(tool: str, name: str) -> None:
    """A label repeats what was sent, a price differs with it: the answer to one name is none to the other."""
    for code in CODES:
        for ref in (code, IDS[code]):
            (told,) = _told((tool, {name: ref}))
            right = Cranes().call(tool, {name: ref}).content
            assert told.source == UNKNOWN or json.loads(told.content) == json.loads(right)


def test_graders_see_one_name_in_runs_and_in_recordings() -> None:
    """The call of a run, and the recorded one, mean the same write whichever name was sent."""
    world = World.from_json(_document())
    meant = set()
    for ref in (CODES[2], IDS[CODES[2]]):
        arguments: dict[str, Any] = {"ref": ref, "hours": 1}
        made = world.session().call_with_meaning("add_hours", arguments).meant
        meant.add(canonical_arguments(arguments if made is None else made.arguments))
        calls: list[Any] = [
            {"id": "c1", "function": {"name": "add_hours", "arguments": json.dumps(arguments)}}
        ]
        talk: list[Any] = [
            {"role": "user", "content": "One more hour."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c1", "content": "{}"},
        ]
        line = to_episode({"episode_id": "e1", "messages": talk})
        (recorded,) = record(line, world.dispatched).attempt.calls
        meant.add(canonical_arguments(recorded.arguments))
    assert len(meant) == 1


def test_a_call_that_has_the_usual_name_passes_as_it_is() -> None:
    """Inwards a usual name stays what it is, any other becomes usual, and one that nobody saw is left alone."""
    world = World.from_json(_document())
    (view,) = (v for v in world.views if isinstance(v, Spelling))
    for sent, usual in [(CODES[0], CODES[0]), (IDS[CODES[0]], CODES[0]), ("CR-99", "CR-99")]:
        asked = CallInFlight("get_crane", {"ref": sent})
        view.inward(asked)
        assert asked.arguments == {"ref": usual}
        again = CallInFlight("get_crane", asked.arguments)
        view.inward(again)
        assert again.arguments == asked.arguments
