"""The kinds of checks, one row each: the function that grades it, what it asks in words, and the arguments that people edit.

Everything that knows kinds follows from these rows: grading (`table`), the sentence of a check (`environments.describe_check`), the forms of
the review page (`dagster_project.review.editing`). Not here: how an argument reads in a sentence or is edited, whichever kind takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..task.attempt import Json
from .answer import answered
from .calls import acted, before, called, confirmed, never_called, read, user_declines, wrote
from .caps import calls_at_most, numbers_told, quoted_at_most, repeats_at_most, words_told
from .closing import closing_facts, closing_words, denies_nothing
from .ends.end_state import end_state
from .ground import grounded
from .judge import judge
from .texts import text_grounded, text_holds
from .told_values import said, small_numbers_told, spoke, told, told_some
from .view import View

CheckFunction = Callable[[Mapping[str, Json], View, str], tuple[float | None, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckKind:
    """One kind of check."""

    function: CheckFunction
    """Its score and what it rests on, from its arguments, the view of an attempt and its id."""
    about: str
    """What it asks, for a list of kinds."""
    sentence: str
    """What a check of it asks. `{most|call,calls}` is an argument in words: a list joined by the word behind the bar, or a number with what it
    counts (and what it is where it is not given). `[most: …]` stands where an argument is given, `[!most: …]` where it is not."""
    needs: tuple[str, ...] = ()
    """Arguments without which a person cannot add one."""
    takes: tuple[str, ...] = ()
    """Others that a person may give it; derivation may give it more."""
    example: Mapping[str, str] = field(default_factory=dict)
    """What a person could type, by argument."""


def _not_graded(_args: Mapping[str, Json], _view: View, _check_id: str) -> tuple[float | None, str]:
    return None, "unknown kind of check"


UNKNOWN: Final = CheckKind(function=_not_graded, about="", sentence="")
"""The kind of a check whose name is in no row."""
_TOOLS: Final = {"tools": "cancel_order\nrefund_order"}
_FACTS: Final = {"facts": "305.50\n2024-05-15"}
KINDS: Final[Mapping[str, CheckKind]] = {
    "told": CheckKind(
        function=told,
        about="The agent tells the user a fact",
        sentence="The agent tells the user {value}[among:, in a message with at most {among}].",
        needs=("value",),
        takes=("among", "on_missing"),
        example={"value": "305.50"},
    ),
    "told_some": CheckKind(
        function=told_some,
        about="The agent tells the user enough of some facts",
        sentence=(
            "The agent tells the user [only:{facts|or}, and nothing else in its place]"
            "[!only:at least {least|fact,facts,1} that it had to find out[facts:; good attempts told {facts}]]."
        ),
        needs=("facts",),
        takes=("least", "among"),
        example={**_FACTS, "least": "1"},
    ),
    "closing_facts": CheckKind(
        function=closing_facts,
        about="The agent's last messages tell no other fact in the place of these",
        sentence="In its answers the agent tells nothing else in the place of {facts}.",
        needs=("facts",),
        example=_FACTS,
    ),
    "closing_words": CheckKind(
        function=closing_words,
        about="The agent's last messages name no other person, product or code in the place of these",
        sentence="In its answers the agent does not name {others} in the place of {right}.",
        needs=("right", "others"),
        example={"right": "Brandt", "others": "Adler\nSommer"},
    ),
    "denies_nothing": CheckKind(
        function=denies_nothing,
        about="The agent's last messages do not deny what these words tell",
        sentence="In its answers the agent does not deny what good attempts tell.",
        needs=("words",),
        example={"words": "booking\ncancelled"},
    ),
    "grounded": CheckKind(
        function=grounded,
        about="The agent tells nothing that nothing shows",
        sentence=(
            "[kinds:Every {kinds} that the agent tells {ground}[loose:; at most {loose} of all facts that the agent tells lack such a ground]]"
            "[!kinds:[loose:Of what the agent tells, all but {loose} at most][!loose:Every fact that the agent tells] {ground}]."
            "[measures: A number has no other unit and sign than resolved attempts give it.]"
            "[counted: Of a thing that resolved attempts count it tells their number, or one that a tool shows.]"
            "[shown: Where the world could not answer a tool, what the tool showed resolved attempts counts as shown.]"
        ),
        needs=("kinds",),
        takes=("writes",),
        example={"kinds": "number\ndate\ntime\nid\nemail"},
    ),
    "quoted_at_most": CheckKind(
        function=quoted_at_most,
        about="The agent copies no tool's answer",
        sentence=(
            "The agent copies at most {most|character,characters} of tools' answers and of its instructions word for word"
            "[fields:, and {fields|name,names} of their fields]."
        ),
        needs=("most",),
        example={"most": "200"},
    ),
    "answered": CheckKind(
        function=answered,
        about="The final answer is one of these",
        sentence="The agent's final answer is {answers|or}, in any form, and no other.",
        needs=("answers",),
        takes=("tools",),
        example={"answers": "Boston\n42"},
    ),
    "text_holds": CheckKind(
        function=text_holds,
        about="A text that a call writes holds facts and words, however it is worded",
        sentence="The agent gives {tool}, as “{argument}”, a text with {held}.",
        needs=("tool", "argument"),
        takes=("facts", "words", "least", "among", "ignore"),
        example={
            "tool": "send_message",
            "argument": "body",
            "words": "refund\nfriday",
            "least": "1",
        },
    ),
    "text_grounded": CheckKind(
        function=text_grounded,
        about="The agent writes nothing that nothing shows",
        sentence="Every {kinds} that the agent writes {ground}.[texts: That goes for {texts}.]",
        needs=("texts",),
        takes=("kinds",),
        example={"texts": "send_message: body", "kinds": "number\ndate"},
    ),
    "said": CheckKind(
        function=said,
        about="The agent says enough of some words",
        sentence=(
            "The agent says [words:in one message {some_words}.[declines: A refusal in other words counts as well.]]"
            "[!words:[declines:that it cannot be done.][!declines:something.]]"
        ),
        needs=("words",),
        takes=("least", "declines", "on_missing"),
        example={"words": "refund\nfive days", "least": "1"},
    ),
    "end_state": CheckKind(
        function=end_state,
        about="The agent changes these things and nothing else",
        sentence="{ends}.{possible_changes}",
        needs=("ends",),
        takes=("writes", "maybe", "ignore"),
        example={"ends": "cancel_order\norder_id: W123\nreason: no longer needed"},
    ),
    "wrote": CheckKind(
        function=wrote,
        about="The agent makes one change",
        sentence="The agent succeeds in calling {call}.[end: Another way to the same end counts as well.]",
        needs=("tool",),
        takes=("arguments", "ignore", "end"),
        example={"tool": "cancel_order", "arguments": "order_id: W123"},
    ),
    "acted": CheckKind(
        function=acted,
        about="The agent calls one of these tools",
        sentence="The agent calls {any_of}.",
        needs=("tools",),
        takes=("any_of", "ignore"),
        example=_TOOLS,
    ),
    "read": CheckKind(
        function=read,
        about="The agent looks one of these records up",
        sentence="The agent looks up what its answer rests on: it calls {any_of}.",
        needs=("any_of",),
        takes=("ignore",),
        example={"any_of": "get_order\norder_id: W123"},
    ),
    "before": CheckKind(
        function=before,
        about="The agent calls one tool before another",
        sentence="The agent calls {first|or}[of_this: for something that the conversation names] before it calls {then|or}.",
        needs=("first", "then"),
        example={"first": "get_order", "then": "cancel_order"},
    ),
    "confirmed": CheckKind(
        function=confirmed,
        about="The user is asked before each change",
        sentence=(
            "The agent asks before [tools:each call of {tools}][!tools:it changes anything],"
            "[named: says what it is about,] and the user does not say no."
        ),
        needs=("tools",),
        example=_TOOLS,
    ),
    "user_declines": CheckKind(
        function=user_declines,
        about="The user is asked to agree, in a message with one of these codes, and says no",
        sentence="The agent asks whether to go on[names:, naming {names|or}], and the user says no.",
        needs=("names",),
        example={"names": "W123\n88.55"},
    ),
    "never_called": CheckKind(
        function=never_called,
        about="The agent never calls these tools",
        sentence="The agent never calls {tools}.",
        needs=("tools",),
        example=_TOOLS,
    ),
    "judge": CheckKind(
        function=judge,
        about="A judge answers a question about the attempt",
        sentence="A judge reads {evidence} and scores from {scale}: “{prompt}”",
        needs=("prompt",),
        takes=("scale", "evidence", "tool", "argument"),
        example={"prompt": "Does the agent give the reason for the refusal?", "scale": "0 to 1"},
    ),
    "spoke": CheckKind(
        function=spoke,
        about="The agent answers the user",
        sentence=(
            "The agent answers the user in at least {messages|message,messages,1}"
            "[after_calls: after its last call[unless:, unless that is {unless|or}]]."
        ),
        takes=("messages",),
        example={"messages": "1"},
    ),
    "called": CheckKind(
        function=called,
        about="The agent does anything",
        sentence="The agent makes at least {least|call,calls,1} that a tool answers.",
        takes=("least",),
        example={"least": "1"},
    ),
    "calls_at_most": CheckKind(
        function=calls_at_most,
        about="The agent makes not more calls than this",
        sentence="The agent makes at most {most|call,calls}.",
        needs=("most",),
        example={"most": "20"},
    ),
    "repeats_at_most": CheckKind(
        function=repeats_at_most,
        about="The agent repeats no call more often than this",
        sentence="The agent makes the same call at most {most|time,times}.",
        needs=("most",),
        example={"most": "2"},
    ),
    "numbers_told": CheckKind(
        function=numbers_told,
        about="The agent tells not more new numbers than this",
        sentence="The agent tells {caps|new numbers}[choices:, and {choices}].",
        takes=("per_message", "total"),
        example={"per_message": "6", "total": "20"},
    ),
    "small_numbers_told": CheckKind(
        function=small_numbers_told,
        about="The agent tells these small numbers and hardly any other",
        sentence="The agent tells the user {values}[most:, and at most {most|small number,small numbers} in all].",
        needs=("values",),
        takes=("most",),
        example={"values": "1/6\n3", "most": "2"},
    ),
    "words_told": CheckKind(
        function=words_told,
        about="The agent says not more than so many characters",
        sentence="The agent says {caps|characters}.",
        takes=("per_message", "total"),
        example={"per_message": "1500", "total": "5000"},
    ),
}
"""Everything a check can be, what people add most often first."""
