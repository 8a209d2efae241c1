"""Mutations of an attempt: each takes actions and gives others, or nothing where it does not apply.

In: actions, what they may be made of, chance. Out: new actions. What a mutation destroys is not assumed: the oracle reads the
attempt that comes of it. Not here: which mutations are composed (`hunt`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action
from environments.search.oracle import split
from environments.search.stock import Stock
from environments.verification.material import PlannedCall, planned_calls
from environments.verification.mutants import FIGURE, replaced, without_call
from environments.verification.probe import calls, says

Actions = tuple[Action, ...]
Change = Callable[[Actions, Stock, random.Random], "Actions | None"]

OTHER_DIGITS: Final = 8
"""Ways to replace a digit by another one that is no zero."""
MOST_BORROWED: Final = 3
CANDIDATES: Final = 3
LONGEST: Final = 4000
"""Characters of copied results."""


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of mutation."""

    says: str
    """What it does, as a sentence without a subject."""
    change: Change


def other_figures(text: str, shift: int) -> str:
    """The text with every digit of every figure another one, no zero; `shift` is 1 to 8. E-mail addresses become others."""

    def digit(char: str) -> str:
        value = int(char)
        return str(shift if value == 0 else 1 + (value - 1 + shift) % 9)

    def figure(found: str) -> str:
        changed = "".join(digit(c) if c.isdecimal() else c for c in found)
        return f"zq{shift}.{found}" if changed == found else changed

    return FIGURE.sub(lambda match: figure(match[0]), text)


def _spoken_indexes(actions: Actions) -> list[int]:
    return [i for i, a in enumerate(actions) if isinstance(a.get("content"), str) and a["content"]]


def _text(action: Action) -> str:
    return str(action.get("content") or "")


def _with_text(actions: Actions, index: int, text: str) -> Actions:
    return (*actions[:index], {**actions[index], "content": text}, *actions[index + 1 :])


def _before_the_end(actions: Actions, stock: Stock, more: Sequence[Action]) -> Actions:
    """More actions before a call that ends the conversation, else at the end."""
    ends = (c.action for c in planned_calls(actions) if c.name in stock.ending)
    at = next(ends, len(actions))
    return (*actions[:at], *more, *actions[at:])


def _each_text(change: Callable[[str, random.Random], str]) -> Change:
    def all_of_them(actions: Actions, _: Stock, chance: random.Random) -> Actions | None:
        made = actions
        for index in _spoken_indexes(actions):
            made = _with_text(made, index, change(_text(actions[index]), chance))
        return made

    return all_of_them


def _one_text(change: Callable[[str, random.Random], str]) -> Change:
    def one_of_them(actions: Actions, _: Stock, chance: random.Random) -> Actions | None:
        if not (said := _spoken_indexes(actions)):
            return None
        index = chance.choice(said)
        return _with_text(actions, index, change(_text(actions[index]), chance))

    return one_of_them


def _false(text: str, chance: random.Random) -> str:
    return other_figures(text, chance.randint(1, OTHER_DIGITS))


def _true_then_false(text: str, chance: random.Random) -> str:
    return f"{text}\n{_false(text, chance)}"


def _candidates(text: str, chance: random.Random) -> str:
    shifts = chance.sample(range(1, OTHER_DIGITS + 1), CANDIDATES)
    return "\n".join([text, *(other_figures(text, shift) for shift in shifts)])


def _first_sentence(text: str, _: random.Random) -> str:
    return next(iter(split(text)), text)


def _last_sentence(text: str, _: random.Random) -> str:
    return (split(text) or [text])[-1]


def _one_sentence_less(text: str, chance: random.Random) -> str:
    parts = split(text)
    if len(parts) > 1:
        parts.pop(chance.randrange(len(parts)))
    return "\n".join(parts)


def _drop_text(actions: Actions, _: Stock, chance: random.Random) -> Actions | None:
    said = [i for i in _spoken_indexes(actions) if not actions[i].get("tool_calls")]
    if not said:
        return None
    index = chance.choice(said)
    return (*actions[:index], *actions[index + 1 :])


def _drop_texts(actions: Actions, _: Stock, __: random.Random) -> Actions | None:
    made = tuple({**a, "content": None} for a in actions if a.get("tool_calls"))
    return made or None


def _unsure_once(actions: Actions, stock: Stock, chance: random.Random) -> Actions | None:
    said = _spoken_indexes(actions)
    return _with_text(actions, chance.choice(said), stock.unsure) if said else None


def _unsure_always(actions: Actions, stock: Stock, _: random.Random) -> Actions | None:
    made = actions
    for index in _spoken_indexes(actions):
        made = _with_text(made, index, stock.unsure)
    return made


def _permute_texts(actions: Actions, _: Stock, chance: random.Random) -> Actions | None:
    said = _spoken_indexes(actions)
    if len(said) < 2:
        return None
    texts = [_text(actions[index]) for index in said]
    chance.shuffle(texts)
    made = actions
    for index, text in zip(said, texts, strict=True):
        made = _with_text(made, index, text)
    return made


def _contradict(actions: Actions, stock: Stock, chance: random.Random) -> Actions | None:
    texts = [_text(actions[index]) for index in _spoken_indexes(actions)]
    if not texts:
        return None
    return _before_the_end(actions, stock, [says(_false("\n".join(texts), chance))])


def _others_texts(actions: Actions, stock: Stock, chance: random.Random) -> Actions | None:
    if not stock.words:
        return None
    made = tuple({**a, "content": None} for a in actions if a.get("tool_calls"))
    return _before_the_end(made, stock, [says(text) for text in chance.choice(stock.words)])


def _one_text_of_another(actions: Actions, stock: Stock, chance: random.Random) -> Actions | None:
    said = _spoken_indexes(actions)
    if not said or not stock.words:
        return None
    return _with_text(actions, chance.choice(said), chance.choice(chance.choice(stock.words)))


def _texts_first(actions: Actions, _: Stock, __: random.Random) -> Actions | None:
    said = [a for a in actions if not a.get("tool_calls")]
    return (*said, *(a for a in actions if a.get("tool_calls")))


def _copy_results(actions: Actions, stock: Stock, _: random.Random) -> Actions | None:
    if not stock.results:
        return None
    return _before_the_end(actions, stock, [says("\n".join(stock.results)[:LONGEST])])


def _drop_call(actions: Actions, _: Stock, chance: random.Random) -> Actions | None:
    made = planned_calls(actions)
    return without_call(actions, chance.choice(made)) if made else None


def _drop_calls(actions: Actions, _: Stock, __: random.Random) -> Actions | None:
    return tuple(says(_text(a)) for a in actions if _text(a)) or None


def _double_call(actions: Actions, _: Stock, chance: random.Random) -> Actions | None:
    called = [i for i, a in enumerate(actions) if a.get("tool_calls")]
    if not called:
        return None
    index = chance.choice(called)
    return (*actions[: index + 1], actions[index], *actions[index + 1 :])


def _swap_calls(actions: Actions, _: Stock, chance: random.Random) -> Actions | None:
    called = [i for i, a in enumerate(actions) if a.get("tool_calls")]
    if len(called) < 2:
        return None
    one, other = chance.sample(called, 2)
    made = list(actions)
    made[one], made[other] = made[other], made[one]
    return tuple(made)


def _change_argument(actions: Actions, stock: Stock, chance: random.Random) -> Actions | None:
    """One argument becomes what another task's call of the tool has there, or has other figures."""
    made = [c for c in planned_calls(actions) if c.parsed]
    if not made:
        return None
    call = chance.choice(made)
    name = chance.choice(sorted(call.parsed))
    known = [c.parsed[name] for c in stock.calls.get(call.name, ()) if name in c.parsed]
    values = [value for value in known if value != call.parsed[name]]
    text = json.dumps([call.parsed[name]], ensure_ascii=False)
    false = json.loads(_false(text, chance))[0]
    value: Json = chance.choice([false, *values])
    return replaced(actions, call, json.dumps({**call.parsed, name: value}, ensure_ascii=False))


def _borrow(first: bool) -> Change:  # noqa: FBT001 - where they are put, named by the two operators below
    def change(actions: Actions, stock: Stock, chance: random.Random) -> Actions | None:
        pool: list[PlannedCall] = [
            c for tool, found in stock.calls.items() if tool not in stock.ending for c in found
        ]
        if not pool:
            return None
        chosen = chance.sample(pool, min(len(pool), chance.randint(1, MOST_BORROWED)))
        more = [calls(c.name, c.arguments, number=800 + i) for i, c in enumerate(chosen)]
        return (*more, *actions) if first else _before_the_end(actions, stock, more)

    return change


def _stop_early(actions: Actions, _: Stock, chance: random.Random) -> Actions | None:
    return actions[: chance.randrange(1, len(actions))] if len(actions) > 1 else None


def _honest_start(actions: Actions, stock: Stock, chance: random.Random) -> Actions | None:
    cut = chance.randrange(len(stock.honest) + 1)
    return (*stock.honest[:cut], *actions[cut:])


def _honest_end(actions: Actions, stock: Stock, chance: random.Random) -> Actions | None:
    cut = chance.randrange(len(stock.honest) + 1)
    return (*actions[:cut], *stock.honest[cut:])


OPERATORS: Final[Mapping[str, Operator]] = {
    "all_false": Operator("gives every figure in the messages as another one", _each_text(_false)),
    "one_false": Operator("gives every figure in one message as another one", _one_text(_false)),
    "true_then_false": Operator(
        "says each message again with other figures", _each_text(_true_then_false)
    ),
    "one_true_then_false": Operator(
        "says one message again with other figures", _one_text(_true_then_false)
    ),
    "candidates": Operator(
        "lists several other figures behind each true one", _each_text(_candidates)
    ),
    "contradicts": Operator("contradicts everything at the end", _contradict),
    "no_words": Operator("leaves all messages out", _drop_texts),
    "one_message_less": Operator("leaves one message out", _drop_text),
    "first_sentences": Operator(
        "keeps the first sentence of each message", _each_text(_first_sentence)
    ),
    "last_sentences": Operator(
        "keeps the last sentence of each message", _each_text(_last_sentence)
    ),
    "one_sentence_less": Operator("leaves one sentence out", _one_text(_one_sentence_less)),
    "unsure": Operator("says only that it is not sure", _unsure_always),
    "unsure_once": Operator("says once that it is not sure instead of a message", _unsure_once),
    "other_order_of_words": Operator("says the messages in another order", _permute_texts),
    "words_first": Operator("says everything before the first call", _texts_first),
    "others_words": Operator("says what another task's solution says", _others_texts),
    "one_of_others_words": Operator("says one message of another task", _one_text_of_another),
    "copies_results": Operator("copies the tools' results into a message", _copy_results),
    "no_calls": Operator("makes no call", _drop_calls),
    "one_call_less": Operator("leaves one call out", _drop_call),
    "one_call_twice": Operator("makes one call twice", _double_call),
    "other_order_of_calls": Operator("makes two calls in the other order", _swap_calls),
    "other_argument": Operator("changes one argument of a call", _change_argument),
    "others_calls_first": Operator("makes calls of other tasks first", _borrow(first=True)),
    "others_calls": Operator("makes calls of other tasks besides", _borrow(first=False)),
    "stops_early": Operator("stops before the end", _stop_early),
}
"""Mutations that take something away from an attempt, or add to it, by name."""
BACK: Final[Mapping[str, Operator]] = {
    "honest_start": Operator("begins as the honest attempt", _honest_start),
    "honest_end": Operator("ends as the honest attempt", _honest_end),
}
"""Mutations that lead back to the honest attempt: how a cheat that earns little climbs."""
