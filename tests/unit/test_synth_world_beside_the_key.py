"""In a living backend: a look refused for what stands beside the key does not say that the record is gone."""

import json

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

LIVING = WorldSettings(risk=0, continuity="living")
HOUR = 3_600 * 10**9
ORDERS = {f"OR-{n:04}": f"OW-{100 + n}" for n in range(12)}
REFUSED = "Error: this order is somebody else's"


def _season(*, strangers: bool) -> list[CleanEpisode]:
    """Each order is looked at again and again, now and then by somebody whose order it is not."""
    out = []
    for number in range(120):
        order, owner = list(ORDERS.items())[number % len(ORDERS)]
        asked = [owner, owner]
        if strangers and number % 3 == 0:
            asked.insert(0, "OW-999")
        steps: list[CleanStep] = []
        start = (number * 3 + 1) * HOUR
        for at, name in enumerate(asked):
            arguments = json.dumps({"order": order, "owner": name})
            record = json.dumps({"order": order, "owner": name, "total": 10 + int(order[-2:])})
            content = record if name == owner else REFUSED
            call = CleanToolCall(call_id=f"c{at}", name="get_order", arguments=arguments)
            steps.append(CleanStep(role="assistant", tool_calls=(call,), at=start + at))
            steps.append(CleanStep(role="tool", call_id=f"c{at}", content=content, at=start + at))
        episode = CleanEpisode(
            app="shop", episode_id=f"e{number:03}", started_at=start, steps=tuple(steps)
        )
        out.append(episode)
    return out


def test_an_order_that_a_stranger_was_refused_is_still_there() -> None:
    """The owner is told of it as long as without the stranger."""
    for strangers in (False, True):
        learnt = learn_world(_season(strangers=strangers), LIVING)
        session = World.from_json(learnt.document.to_json()).session(started_at=420 * HOUR)
        answer = session.call("get_order", {"order": "OR-0003", "owner": "OW-103"})
        assert answer.source != UNKNOWN, strangers
