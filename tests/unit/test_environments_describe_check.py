"""The sentence of a check is made from its arguments: it says what the check asks, whatever somebody wrote beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.describe_check import MOST, PLACE, SECTION, WORDS, describe, describe_arguments
from environments.runtime.checks.judge import EVIDENCE
from environments.runtime.checks.kinds import KINDS
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check

CANCEL: Json = ["cancel_order", '{"order_id":"o1","reason":"no longer needed"}', 1]


@pytest.mark.parametrize(
    ("fn", "args", "says"),
    [
        ("end_state", {"ends": [{"writes": []}]}, "The agent changes nothing."),
        (
            "end_state",
            {"ends": [{"writes": [CANCEL]}]},
            (
                "The agent changes exactly one thing, by calling cancel_order with order_id o1, "
                "reason “no longer needed”."
            ),
        ),
        (
            "end_state",
            {"ends": [{"writes": []}, {"writes": [["a", "{}", 2], CANCEL]}]},
            (
                "The agent ends in one of 2 right ways: (1) it changes nothing; (2) it changes exactly "
                "2 things, by calling a 2 times; cancel_order with order_id o1, reason “no longer needed”."
            ),
        ),
        (
            "end_state",
            {"ends": [{"effects": [["order", '["o1"]', "status", '"cancelled"']]}]},
            "The agent changes exactly one thing, as follows: order o1: status becomes cancelled.",
        ),
        (
            "end_state",
            {"ends": [], "bad": [{"writes": []}]},
            "Nobody knows what the agent has to change; 1 way is known to be wrong.",
        ),
        (
            "wrote",
            {"tool": "pay", "arguments": '{"items":[{"id":7,"n":2}]}'},
            "The agent succeeds in calling pay with items (id 7, n 2).",
        ),
        (
            "wrote",
            {"tool": "pay", "arguments": '{"id":7}', "end": "end"},
            "The agent succeeds in calling pay with id 7. Another way to the same end counts as well.",
        ),
        ("told", {"value": 261.18}, "The agent tells the user 261.18."),
        (
            "told",
            {"value": "bella", "among": 4, "on_missing": "null"},
            (
                "The agent tells the user bella, in a message with at most 4 other facts. Where that fails, "
                "the attempt is not graded: outcomes do not tell whether it matters."
            ),
        ),
        (
            "said",
            {"words": ["refund", "days"], "least": 1},
            "The agent says in one message at least 1 of these words: refund, days.",
        ),
        ("said", {"words": [], "declines": True}, "The agent says that it cannot be done."),
        ("spoke", {}, "The agent answers the user in at least 1 message."),
        (
            "words_told",
            {"per_message": 1500, "total": 8274},
            "The agent says at most 1,500 characters in one message and at most 8,274 characters in all.",
        ),
        ("acted", {"any_of": [["hand_over", "{}"]]}, "The agent calls hand_over."),
        (
            "read",
            {"any_of": [["look", '{"id":1}'], ["look", '{"id":2}'], ["find", '{"id":1}']]},
            "The agent looks up what its answer rests on: it calls look with id 1 or with id 2 or find with id 1.",
        ),
        (
            "before",
            {"first": ["look"], "then": ["change", "cancel"]},
            "The agent calls look before it calls change or cancel.",
        ),
        (
            "confirmed",
            {"tools": ["pay"]},
            "The agent asks before each call of pay, and the user does not say no.",
        ),
        (
            "told_some",
            {"facts": [{"value": "room 3"}], "least": 1, "only": True},
            "The agent tells the user room 3, and nothing else in its place.",
        ),
        (
            "user_declines",
            {"names": ["w-1", "54.04"]},
            "The agent asks whether to go on, naming w-1 or 54.04, and the user says no.",
        ),
        (
            "told_some",
            {"facts": [{"value": "$54.04"}, {"value": "may 15"}], "least": 1},
            "The agent tells the user at least 1 fact that it had to find out; good attempts told $54.04, may 15.",
        ),
        (
            "grounded",
            {"kinds": ["number", "email"], "known": "4 5", "writes": []},
            (
                "Every amount or e-mail address that the agent tells was shown by a tool or said by the user "
                "or the instructions, or follows from those by simple arithmetic."
            ),
        ),
        (
            "text_grounded",
            {"texts": {"mail": ["body", "subject"], "note": ["text"]}, "kinds": ["date", "id"]},
            (
                "Every date or id that the agent writes was shown by a tool or said by the user or the instructions, "
                "or follows from those by simple arithmetic. That goes for the “body” or “subject” of mail, "
                "the “text” of note."
            ),
        ),
        (
            "text_holds",
            {"tool": "note", "argument": "text", "words": ["pack", "bags"], "least": 2},
            "The agent gives note, as “text”, a text with all of these words: pack, bags.",
        ),
        (
            "text_holds",
            {"tool": "note", "argument": "text", "words": ["license"], "least": 1},
            "The agent gives note, as “text”, a text with the word “license”.",
        ),
        (
            "end_state",
            {"ends": [{"writes": [], "maybe": [[["draw", '{"k":1}', 1], ["ping", "{}", 1]], []]}]},
            (
                "The agent changes nothing. Of some calls nobody knows whether they change anything; it makes these "
                "and no others of them, or is not graded: draw with k 1; ping, or else none."
            ),
        ),
        (
            "end_state",
            {
                "ends": [
                    {
                        "writes": [
                            ["book", '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}', 1]
                        ]
                    }
                ]
            },
            (
                "The agent changes exactly one thing, by calling book with "
                "a 1, b 2, c 3, d 4, e 5, f 6, g 7, h 8, i 9."
            ),
        ),
        (
            "confirmed",
            {"tools": []},
            "The agent asks before it changes anything, and the user does not say no.",
        ),
        (
            "quoted_at_most",
            {"most": 200},
            "The agent copies at most 200 characters of tools' answers and of its instructions word for word.",
        ),
        (
            "spoke",
            {"after_calls": True, "unless": ["transfer"]},
            "The agent answers the user in at least 1 message after its last call, unless that is transfer.",
        ),
        ("never_called", {"tools": ["pay", "drop"]}, "The agent never calls pay or drop."),
        ("called", {"least": 2}, "The agent makes at least 2 calls that a tool answers."),
        ("calls_at_most", {"most": 20}, "The agent makes at most 20 calls."),
        ("repeats_at_most", {"most": 1}, "The agent makes the same call at most 1 time."),
        (
            "judge",
            {"prompt": "Was the reason given?", "scale": [1, 5], "evidence": "messages"},
            "A judge reads all messages and the instructions and scores from 1 to 5: “Was the reason given?”",
        ),
    ],
)
def test_arguments_become_a_sentence(fn: str, args: dict[str, Json], says: str) -> None:
    """Each kind of check says what it asks."""
    assert describe_arguments(fn, args) == says


def test_what_a_judge_reads_is_always_named() -> None:
    """Each kind of evidence that a judge can be shown has words of its own."""
    said = {describe_arguments("judge", {"prompt": "Is it?", "evidence": one}) for one in EVIDENCE}
    assert len(said) == len(EVIDENCE)


def test_a_written_sentence_does_not_hide_what_is_asked() -> None:
    """Whoever writes “The moon is full.” still finds the check's own sentence."""
    check = Check(check_id="c", fn="told", args={"value": 305}, says="The moon is full.")
    assert describe(check) == "The agent tells the user 305."


def test_a_function_without_an_entry_says_itself() -> None:
    """A new function reads as its checks say, else as its name and arguments."""
    check = Check(check_id="c", fn="is_polite", args={"least": 2, "words": ["please"]})
    assert describe(check) == "The attempt passes “is polite” with least 2; words please."
    own = Check(check_id="c", fn="is_polite", args={}, says="The agent  is polite.")
    assert describe(own) == "The agent is polite."


def test_different_values_make_different_sentences() -> None:
    """Who reads the sentence knows which fact is asked."""
    values: list[Json] = [1, 10, 1.5, "one", "", True, ["one", "two"], {"one": 1}]
    assert len({describe_arguments("told", {"value": value}) for value in values}) == len(values)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
NAMES = ("ends", "bad", "tool", "arguments", "any_of", "tools", "words", "least", "most", "value")
MORE = ("among", "first", "then", "prompt", "scale", "evidence", "per_message", "total", "writes")


@given(
    st.sampled_from([*sorted(KINDS), "unknown"]),
    st.dictionaries(st.sampled_from(NAMES + MORE), JSON, max_size=5),
)
def test_any_arguments_make_one_line(fn: str, args: dict[str, Json]) -> None:
    """Odd arguments, deep ones and none make a bounded sentence, never an error."""
    says = describe_arguments(fn, args)
    assert 0 < len(says) <= MOST
    assert "\n" not in says


def test_deep_and_huge_arguments_are_cut() -> None:
    """What nobody would read is cut or named, and costs no error."""
    deep: Json = "x"
    for _ in range(5000):
        deep = [deep]
    assert "nested too deep" in describe_arguments("told", {"value": deep})
    assert len(describe_arguments("said", {"words": ["w" * 500] * 1000})) <= MOST


def test_every_place_of_a_sentence_has_words_that_some_sentence_needs() -> None:
    """No words stand for a place that no kind has, and no sentence has a place left unfilled."""
    places = {place[0] for kind in KINDS.values() for place in PLACE.findall(kind.sentence)}
    assert set(WORDS) <= places
    for kind in KINDS.values():
        assert not set("[]{}") & set(PLACE.sub("", _without_sections(kind.sentence)))


def _without_sections(sentence: str) -> str:
    shorter = SECTION.sub("", sentence)
    return sentence if shorter == sentence else _without_sections(shorter)
