"""What the world file never holds."""

from __future__ import annotations

import json
import pickle

from environments.runtime.document.records import RowVersion
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.notice import WITHHELD as MARKER
from environments.runtime.world.world import World
from redact.records.clean_episode import WITHHELD, CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import calls_in, episode


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
    session = World(learn_world(episodes, WorldSettings(risk=0)).document).session()

    whole = session.call("show_parcel", {"code": "PK-003"})
    part = session.call("show_parcel", {"code": "PK-004"})

    assert whole.source != UNKNOWN
    assert part.source == UNKNOWN
    assert WITHHELD not in part.content


def test_an_answer_with_a_withheld_part_is_unknown_though_every_recording_has_it() -> None:
    """Where redaction withheld the same part each time, the marker still is nothing that a tool says."""
    episodes = [
        episode(
            number,
            [(name, args, _withheld(name, said)) for name, args, said in calls_in(number, 9)],
        )
        for number in range(60)
    ]
    session = World(learn_world(episodes, WorldSettings(risk=0)).document).session()

    noted = session.call("write_log", {"text": "seen BK-4000"})
    opened = session.call("open_job", {"bike": "BK-4000", "work": "wheel"})

    assert {noted.source, opened.source} == {UNKNOWN}
    assert session.call("settings_of", {}).source != UNKNOWN
    assert MARKER == WITHHELD


def _withheld(tool: str, content: str) -> str:
    """What redaction leaves of who did it."""
    if tool == "write_log":
        return f"{content} by {WITHHELD}"
    return json.dumps({**json.loads(content), "by": WITHHELD}) if tool == "open_job" else content


def test_a_row_that_nobody_knows_stays_unknown_in_a_worker_process() -> None:
    """Worlds travel to other processes; a gap that arrived as a value would be told."""
    assert not pickle.loads(pickle.dumps(RowVersion(3))).is_known  # noqa: S301 - made here
