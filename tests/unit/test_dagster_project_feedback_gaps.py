"""Who never says how it went: agents, intents and users, counted and never named."""

from __future__ import annotations

from dagster_project.report.feedback_gaps import LEAST_USERS, SMALL, feedback_gaps
from environments.runtime.document.tools import ToolPart
from environments.runtime.document.world_file import WorldDocument
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label


def episode(number: int, *, user: int, tool: str = "", agent: str = "a") -> CleanEpisode:
    """One conversation."""
    call = CleanToolCall(call_id="c", name=tool, arguments="{}") if tool else None
    step = CleanStep(role="assistant", content="Hi.", tool_calls=(call,) if call else ())
    return CleanEpisode(
        app="desk",
        episode_id=f"e{number}",
        started_at=number,
        agent=agent,
        subject=f"user-{user}",
        steps=(step,),
        redaction="off",
    )


def gaps(episodes: list[CleanEpisode], spoken: set[int]) -> dict[str, tuple[int, int, str]]:
    """Rows by group: episodes, labelled, unit."""
    labels = {f"e{n}": Label(resolved=True, confidence=0.9) for n in spoken}
    found = feedback_gaps("desk", episodes, labels, {"cancel", "refund"})
    return {row.group: (row.episodes, row.labelled, row.unit) for row in found}


def test_the_silent_intent_stands_out() -> None:
    """Ten refunds nobody spoke about, ten cancellations of which eight were judged."""
    refunds = [episode(n, user=n, tool="refund") for n in range(10)]
    cancelled = [episode(10 + n, user=n, tool="cancel") for n in range(10)]
    found = gaps([*refunds, *cancelled], set(range(10, 18)))
    assert found["all"] == (20, 8, "episodes")
    assert found["refund"] == (10, 0, "episodes")
    assert found["cancel"] == (10, 8, "episodes")
    assert found["users"] == (10, 8, "users")
    assert list(found).index("refund") < list(found).index("cancel")


def test_users_are_counted_and_never_named() -> None:
    """No row holds a user's surrogate."""
    rows = gaps([episode(n, user=n % 6, agent=f"bot{n % 2}") for n in range(12)], {0})
    assert rows["users"] == (6, 1, "users")
    assert not any("user-" in name for name in rows)


def test_groups_of_few_users_are_counted_together() -> None:
    """Fewer than five users behind an intent could tell who they are."""
    many = [episode(n, user=n, tool="cancel") for n in range(LEAST_USERS)]
    few = [episode(50 + n, user=99, tool="refund") for n in range(8)]
    found = gaps([*many, *few], set())
    assert "refund" not in found
    assert found[SMALL] == (8, 0, "episodes")


def test_few_users_in_all_are_not_counted_apart() -> None:
    """Below five there is no row of users."""
    assert "users" not in gaps([episode(n, user=n) for n in range(LEAST_USERS - 1)], set())


def test_nobody_said_anything() -> None:
    """An app without outcomes is all gap, not an error."""
    assert gaps([episode(n, user=n) for n in range(6)], set())["all"] == (6, 0, "episodes")
    assert gaps([], set())["all"] == (0, 0, "episodes")


def test_changing_tools_come_from_the_world() -> None:
    """Only what was learnt to write counts as an intent."""
    tools = {"cancel": ToolPart(kind="write"), "get": ToolPart(kind="read")}
    assert WorldDocument(tools=tools).writers == {"cancel"}
    assert WorldDocument().writers == frozenset()
