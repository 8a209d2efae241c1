"""Checks on the calls themselves: acts such as a hand-over, reads an answer needs, order, things never done.

In: a check's arguments and the view of one attempt; out: a score and one sentence. Not here: what the calls changed
(`end_state`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from ..task.attempt import Attempt, Call, Json
from ..task.verdict import count_text
from ..values.consent import agrees, asks_consent, assents, offers, refuses, wants_a_value
from ..values.literals import parse_arguments
from ..values.mentions import leaves, names_in
from ..values.normal import as_list, as_names, as_object
from .view import Key, NormalCall, View, readings_in, telling_parts, text_of, whole_of, words_in

LONGEST_SMALL_WORD: Final = 4
"""Characters of a word that stands in any question."""


def acted(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether one of the named acts was made: a tool, or a tool with the arguments that matter (the right queue)."""
    done = sorted(as_names(args.get("tools")) & view.tools_called)
    wanted = _pairs(args.get("any_of"))
    done += sorted(key[0] for key in wanted if _was_made(key, args, view))
    return (1.0, f"{done[0]} was called") if done else (0.0, "none of the expected acts was made")


def read(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether one of these reads was made, or another call showed what they ask for by name: who answers must have looked."""
    wanted = _pairs(args.get("any_of"))
    if any(_was_made(key, args, view) for key in wanted):
        return 1.0, "the record was read"
    asked = [names for _, text in wanted if (names := names_in(parse_arguments(text) or {}))]
    shown = [c.result.content.casefold() for c in view.own_calls if not c.result.is_error]
    if any(all(name in text for name in names) for names in asked for text in shown):
        return 1.0, "the record was shown"
    return 0.0, "the record that the answer rests on was never read"


def never_called(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """That no call of these tools that the policy made succeeded."""
    done = sorted(as_names(args.get("tools")) & view.tools_called)
    return (0.0, f"{done[0]} was called") if done else (1.0, "none was called")


def before(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """That the policy called some tool of the first group before any of the second.

    Where none of the second was, it is not graded; with `never` `"pass"` it passes, as what is done another way breaks nothing. With
    `of_this`, a call of the first group counts only where it asked for something that the conversation names or a resolved attempt asked for
    (`asked`): another user may name it in the first message. That a world cannot answer it is not the policy's fault.
    """
    first, then = as_names(args.get("first")), as_names(args.get("then"))
    calls = [c for c in view.own_calls if not c.result.is_error]
    later = next((i for i, call in enumerate(calls) if call.name in then), None)
    if later is None:
        return (1.0 if args.get("never") == "pass" else None), "nothing to come after it"
    strict, asked = args.get("of_this") is True, as_names(args.get("asked"))
    done = any(
        call.name in first and not (strict and _is_of_another(call, view, asked))
        for call in calls[:later]
    )
    return (1.0 if done else 0.0), "in order" if done else f"{calls[later].name} came first"


def _is_of_another(call: Call, view: View, known: frozenset[str]) -> bool:
    """Whether a call shares no word and no number with what the policy had read before it, or with what is known beside that."""
    asked = parts_asked(call)
    return bool(asked) and all(map(asked.isdisjoint, (*view.parts_read[: call.message], known)))


def parts_asked(call: Call) -> frozenset[str]:
    """The words and numbers that a call asks for."""
    return telling_parts(" ".join(map(str, leaves(dict(call.arguments)))))


def wrote(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether one particular write was made; unknown where the world could not answer it.

    With `end`, a check of the end that ran before: where that passes, another route to the same state is as good.
    """
    if view.scores.get(str(args.get("end"))) == 1.0:
        return 1.0, "the end holds this change"
    same = _equal_calls((str(args.get("tool")), str(args.get("arguments"))), args, view)
    if any(not call.failed and not call.unknown for call in same):
        return 1.0, "this change was made"
    if any(call.unknown for call in same):
        return None, "nobody knows whether this change was made"
    return 0.0, "this change was not made"


def confirmed(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """That the user was asked, and did not refuse, before each change that was made; with `named`, that they heard what it is about."""
    tools = as_names(args.get("tools"))
    writes = [c for c in view.own_calls if c.name in tools and not c.result.is_error]
    if not writes:
        return 1.0, "nothing to confirm"
    since, asked, strict = 0, False, args.get("named") is True
    for call in writes:
        heard = any(m.get("role") == "user" for m in view.attempt.messages[since : call.message])
        # Changes one after another, without a word of the user between them, are what one yes was given for.
        if heard:
            named = _named_by(call)
            asked = agreed_between(view.attempt, since, call.message, named=named)
            asked &= not strict or _is_said(call, named, view)
        if not asked:
            return 0.0, f"{call.name} was called before the user agreed"
        since = call.message
    return 1.0, "the user agreed before each change"


def agreed_between(attempt: Attempt, first: int, position: int, *, named: frozenset[str]) -> bool:
    """Whether the policy asked for consent there, and the user's answer did not refuse it.

    A proposal in other words counts where a later answer assents: any question that a yes may answer, and any message that names some of
    `named`, which the change was made with, and does not end by asking for something else.
    """
    proposed = False
    for asked, said in _answered_messages(attempt, first, position - 1):
        names = not (named.isdisjoint(words_in(asked)) or wants_a_value(asked))
        proposed |= offers(asked) or names
        asks_back = "?" in said and not agrees(said)
        if asks_consent(asked) and not (refuses(said) or asks_back):
            return True
        if proposed and assents(said):
            return True
    return False


def _is_said(call: Call, named: frozenset[str], view: View) -> bool:
    """Whether the policy told its user something of what a change is about: a word of its arguments, or a fact of them or of their record."""
    earlier = view.attempt.messages[: call.message]
    said = [text_of(m) for m in earlier if m.get("role") == "assistant"]
    if not named or any(map(named.intersection, map(words_in, said))):
        return True
    shown = [c.result.content for c in view.attempt.calls if c.message < call.message]
    records = [text for text in shown if not named.isdisjoint(words_in(text))]
    about = readings_in([json.dumps(dict(call.arguments)), *records])
    return not about.isdisjoint(readings_in(said))


def _named_by(call: Call) -> frozenset[str]:
    """The words in a call's arguments that say which change it is: those with a digit, and longer ones."""
    words = words_in(" ".join(map(str, leaves(dict(call.arguments)))))
    return frozenset(w for w in words if len(w) > LONGEST_SMALL_WORD or any(map(str.isdigit, w)))


def user_declines(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether the user was asked to agree, in a message that names what it is about, and did not."""
    names = {name.casefold() for name in as_names(args.get("names"))}
    if any(names.intersection(words_in(asked)) for asked in declined_questions(view.attempt)):
        return 1.0, "the user was asked, and did not agree"
    return 0.0, "the user was never asked to agree to what they then declined"


def declined_questions(attempt: Attempt) -> list[str]:
    """The policy's messages that asked for consent and got none, in generic English, while the user had more to say."""
    # The last turn says goodbye: a no to "Can I help you with anything else?" declines nothing.
    last = max((i for i, m in enumerate(attempt.messages) if m.get("role") == "user"), default=0)
    answered = _answered_messages(attempt, attempt.opening, last - 1)
    return [asked for asked, said in answered if asks_consent(asked) and refuses(said)]


def _answered_messages(attempt: Attempt, first: int, end: int) -> Iterator[tuple[str, str]]:
    """What the policy said and what the user answered at once."""
    for said, answer in pairwise(attempt.messages[first : end + 1]):
        if said.get("role") == "assistant" and answer.get("role") == "user":
            yield text_of(said), text_of(answer)


def called(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether anything was done at all: so many calls that answered."""
    least = whole_of(args, "least")
    count = len(view.answered)
    enough = count >= (1 if least is None else least)
    return (1.0 if enough else 0.0), f"{count_text(count, 'call')} answered"


def _was_made(key: Key, args: Mapping[str, Json], view: View) -> bool:
    """Whether the policy made a call, and was not refused."""
    return any(not (call.failed or call.by_user) for call in _equal_calls(key, args, view))


def _equal_calls(key: Key, args: Mapping[str, Json], view: View) -> Sequence[NormalCall]:
    """The attempt's calls of this tool with these canonical arguments."""
    ignore = args.get("ignore")
    return view.calls_by_key(as_object(ignore)).get(key, ())


def _pairs(value: Json) -> set[tuple[str, str]]:
    """`[[tool, canonical arguments], ...]`."""
    rows = [row for row in as_list(value) if isinstance(row, list)]
    return {(str(row[0]), str(row[1])) for row in rows if len(row) > 1}
