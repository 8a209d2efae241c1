"""What a build computes once for many uses is what it would compute each time."""

import json

from hypothesis import given
from hypothesis import strategies as st

from dagster_project.privacy.leak_search import IN_TEXT, TaughtPlaces
from environments.runtime.answers.outcome import outcome_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.task import Task
from environments.runtime.views.multiplexed import Dispatched
from environments.verification.material import OtherTasks, by_meaning, planned_calls
from environments.verification.probe import calls
from ingest.records.episode import Episode, Step, ToolCall
from redact.apply.learn import learn
from redact.audit.leaks import Leak
from redact.decisions.judgement import Judgement, judge
from redact.evidence.app_values import Learnt
from redact.policy import Policy
from synth.world.model import outcome_class
from synth.world.observation import Observation

_WORDS = st.sampled_from(["order", "A1", "not", "found", "7", "B-22", '{"ok": false}', "true"])
_VALUES = st.one_of(_WORDS, st.integers(), st.none(), st.lists(_WORDS, max_size=2))


def seen_as(content: str, arguments: dict[str, Json]) -> Observation:
    """One call as it was answered."""
    return Observation(
        tool="t", arguments=arguments, content=content, episode=0, position=0, at=0, caller=""
    )


@given(
    states=st.lists(
        st.tuples(
            st.lists(_WORDS, max_size=4).map(" ".join),
            st.dictionaries(st.sampled_from(["id", "name"]), _VALUES, max_size=2),
        ),
        min_size=1,
        max_size=5,
    ),
    in_place=st.booleans(),
)
def test_a_result_has_the_class_of_what_it_is_now(
    states: list[tuple[str, dict[str, Json]]], *, in_place: bool
) -> None:
    """Steps of learning change contents and arguments, some of them in place: no class of before is told."""
    seen = seen_as(*states[0])
    for content, arguments in states:
        seen.content = content
        if in_place:
            seen.arguments.clear()
            seen.arguments.update(arguments)
        else:
            seen.arguments = dict(arguments)
        assert outcome_class(seen) == outcome_of(content, arguments)
        assert outcome_class(seen) == outcome_of(content, arguments)


def a_part(action: str) -> dict[str, Json]:
    """One of several tools that `desk` is."""
    names: dict[str, Json] = {"id": ["top", "id"]}
    return {"when": {"action": action}, "names": names, "schema": {}}


def candidate(number: int, action: str, several: dict[str, Json]) -> Candidate:
    """A task solved by one call of `desk`."""
    name = f"t{number}"
    task = Task(task_id=name, app="a", opening=(), tools=(), world="a", dispatched=several)
    call = calls("desk", json.dumps({"action": action, "id": number}))
    return Candidate(task=task, rubric=Rubric(task_id=name, checks=()), solution=(call,))


def test_each_candidate_is_among_the_others_of_all_but_itself_by_what_its_calls_mean() -> None:
    """Tasks whose tools mean other things come in one app: what was read for one of them is not told to another."""
    rules: list[dict[str, Json]] = [
        {"desk": {"by": ["action"], "parts": {f"desk[{name}={a}]": a_part(a) for a in "ab"}}}
        for name in ("action", "does")
    ]
    everybody = [candidate(n, "ab"[n % 2], rules[n // 2 % 2]) for n in range(6)]
    read = OtherTasks(everybody)
    for one in [*everybody, *everybody]:
        known = Dispatched.from_json(one.task.dispatched)
        others = [by_meaning(other, known) for other in everybody if other is not one]
        found = read.others_for(one, known)
        assert [other.task_id for other in found] == [other.task.task_id for other in others]
        assert [other.solution for other in found] == [other.solution for other in others]
        assert [other.planned for other in found] == [planned_calls(o.solution) for o in others]
        assert all(call.name != "desk" for other in found for call in other.planned)


def an_episode(number: int, tool: str, arguments: dict[str, Json]) -> Episode:
    """A conversation with one call."""
    call = ToolCall(call_id="c", name=tool, arguments=json.dumps(arguments))
    steps = (Step(role="assistant", tool_calls=(call,)),)
    return Episode(
        app="a",
        episode_id=f"e{number}",
        conversation_id=None,
        source="chat",
        started_at=0,
        steps=steps,
    )


def test_the_key_that_holds_the_value_itself_goes_before_those_that_hold_it_among_others() -> None:
    """However often a value stands elsewhere; of keys that hold the same, the one that holds it most often teaches it."""
    taught = TaughtPlaces(
        [
            *(an_episode(n, "note", {"text": "Ask for Ada Quill today"}) for n in range(9)),
            *(an_episode(n, "find", {"who": "Ada Quill"}) for n in range(2)),
            an_episode(20, "book", {"guest": "ADA QUILL"}),
            an_episode(21, "part", {"first": "Bo"}),
        ]
    )

    def by(text: str, value: str) -> str:
        at = text.index(value)
        leak = Leak(
            kind="full_name",
            where="t",
            offset=at,
            length=len(value),
            encoding="plain",
            direct=True,
        )
        return taught.source_of(leak, text)

    assert by("Hello ada quill!", "ada quill") == "find.who"
    assert by("Hello ask for ada!", "ask for ada") == "note.text"
    assert by("Hello bo lark!", "bo lark") == "part.first"
    assert by("Hello nobody!", "nobody") == IN_TEXT


def test_an_app_is_judged_by_what_is_known_of_it_now_however_often_it_was_judged_before() -> None:
    """A record that grew, and one asked with another number of people, have judgements of their own."""
    told = [an_episode(n, "find", {"desk": f"Ada Quill {n % 3}", "n": n % 2}) for n in range(12)]
    records = [learn(told[:size], (), policy=Policy()) for size in (2, 12)]

    def judged(known: Learnt) -> list[Judgement]:
        return [judge(known.app("a"), k=k) for k in (5, 2, 5)]

    anew = [judged(Learnt.from_bytes(known.to_bytes())) for known in records]
    assert [judged(known) for known in records] == anew
    assert [judged(known) for known in records] == anew
    (few, _, _), (many, of_two, _) = anew
    assert few != many != of_two
