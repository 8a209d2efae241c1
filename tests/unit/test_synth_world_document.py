"""What the world file never holds."""

from __future__ import annotations

import json

from environments.runtime.attempt import UNKNOWN
from environments.runtime.world import World
from redact.clean_episode import WITHHELD, CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world


def looked_up(number: int, note: str) -> CleanEpisode:
    """A conversation that looks one parcel up."""
    code = f"PK-{number % 9:03}"
    call = CleanToolCall(call_id="c", name="show_parcel", arguments=json.dumps({"code": code}))
    shown = {"code": code, "weight": number % 9, "note": note if number % 9 == 4 else "none"}
    return CleanEpisode(
        app="post",
        episode_id=f"e{number}",
        started_at=number,
        steps=(
            CleanStep(role="user", content="my parcel?"),
            CleanStep(role="assistant", tool_calls=(call,)),
            CleanStep(role="tool", call_id="c", content=json.dumps(shown)),
        ),
    )


def test_a_record_with_a_withheld_part_is_unknown() -> None:
    """The marker of a leaf that redaction withheld is no answer that a tool would give."""
    episodes = [looked_up(n, WITHHELD) for n in range(40)]
    session = World.from_json(learn_world(episodes, WorldSettings()).document).session()

    whole = session.call("show_parcel", {"code": "PK-003"})
    part = session.call("show_parcel", {"code": "PK-004"})

    assert whole.source != UNKNOWN
    assert part.source == UNKNOWN
    assert WITHHELD not in part.content
