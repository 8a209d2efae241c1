"""Whether a recorded conversation of the example desk holds every value that its request needs.

In: a shop and a failed conversation. Out: whether its customer said in it what the same customer tells the good agent: every
wish, and every answer, correction and protest that the good agent hears (who they are aside: the telemetry says so). A
request of which something was never said can be solved by nobody from the recording alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from benchmarks.testbeds.desk.conversations import Shop, Talk
from examples.support_desk.customers import TYPOS
from examples.support_desk.request import Request

GOOD: Final = "good"
TRIES: Final = 4
"""Conversations of the good agent, which now and then fails by bad luck with a name."""
WORD: Final = re.compile(r"[\w'@-]+")
RIGHT: Final = {typed: meant for meant, typed in TYPOS.items()}


def holds_every_value(shop: Shop, talk: Talk, number: int) -> bool:
    """Whether everything that the good agent is told about the request was said here; `number` tells the dice apart."""
    tries = (shop.fresh(talk, GOOD, TRIES * number + n, at=talk) for n in range(TRIES))
    good = next((held for held in tries if held.resolved), None)
    if good is None:
        return False
    heard, said = _words_of(good), _words_of(talk)
    return all(text in said for text in map(_plain, _texts(talk.request)) if text in heard)


def _texts(request: Request) -> Iterator[str]:
    """Everything that the customer can say about what they want; the number of an order named at once is not said twice."""
    for wish in request.wishes:
        named = any(order_id in wish.opening for order_id in wish.order_ids)
        yield wish.opening
        for slot, answers in wish.answers.items():
            yield from () if slot == "order" and named else answers
        if wish.revision is not None:
            yield wish.revision.text
        if wish.refused_reply is not None:
            yield wish.refused_reply


def _words_of(talk: Talk) -> str:
    said: list[str] = [s.content or "" for s in talk.episode.steps if s.role == "user"]
    return " | ".join(map(_plain, said))


def _plain(text: str) -> str:
    """A text without the style that it is spoken in."""
    words: list[str] = WORD.findall(text.casefold())
    return " ".join(RIGHT.get(word, word) for word in words)
