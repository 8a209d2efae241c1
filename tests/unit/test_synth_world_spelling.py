"""Arguments that a tool takes in several spellings: what makes them one, and what keeps them apart."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from typing import Any

import pytest

from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.backend import Backend, Call, Step, Style, ToolError
from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world

PRICES = {f"SKU{n}": 3.5 * n + 1 for n in range(1, 9)}


class Counter(Backend):
    """A shop's counter: item numbers in any casing and with spaces, baskets in any order, words that are told apart."""

    def __init__(self) -> None:
        self.held: dict[str, int] = dict.fromkeys(PRICES, 0)

    def get_item(self, sku: str) -> Any:  # noqa: ANN401 - JSON
        """Show an item."""
        return {"sku": self._known(sku), "price": PRICES[self._known(sku)]}

    def hold(self, sku: str) -> Any:  # noqa: ANN401 - JSON
        """Put one aside."""
        self.held[self._known(sku)] += 1
        return {"sku": self._known(sku), "held": self.held[self._known(sku)]}

    def drop(self, sku: str) -> Any:  # noqa: ANN401 - JSON
        """Put one back; as it must be written."""
        if not self.held[sku]:
            raise ToolError(f"{sku} is not held")
        self.held[sku] -= 1
        return {"sku": sku, "held": self.held[sku]}

    def basket(self, skus: list[str]) -> Any:  # noqa: ANN401 - JSON
        """What a basket costs."""
        return {"total": round(sum(PRICES[s] for s in skus), 2), "items": sorted(skus)}

    def queue(self, skus: list[str]) -> Any:  # noqa: ANN401 - JSON
        """Who is first."""
        return {"first": skus[0], "all": " > ".join(skus)}

    def code(self, word: str) -> Any:  # noqa: ANN401 - JSON
        """A number for a word, whose casing matters."""
        return {"code": sum(ord(c) * (i + 3) for i, c in enumerate(word))}

    @staticmethod
    def _known(sku: str) -> str:
        if sku.strip().upper() not in PRICES:
            raise ToolError(f"no item {sku}")
        return sku.strip().upper()


def _script(rng: random.Random) -> list[Step]:
    sku = rng.choice(sorted(PRICES))
    other: Any = rng.choice([str, str, str.lower, " {}".format])
    few = rng.sample(["SKU1", "SKU2", "SKU3"], 2)
    look: Step = ("get_item", {"sku": other(sku)})
    plain: list[Step] = [("hold", {"sku": sku}), ("drop", {"sku": sku}), ("get_item", {"sku": sku})]
    words: Step = ("code", {"word": rng.choice(["Abc", "abc", "ABC", "Cat", "cat"])})
    return rng.choice(
        [
            [look, ("get_item", {"sku": sku})],
            [look, ("hold", {"sku": other(sku)}), look],
            [look, *plain],
            [("basket", {"skus": few}), ("basket", {"skus": few[::-1]}), look],
            [("queue", {"skus": few}), words],
        ]
    )


COUNTER = Style(name="counter", make=Counter, script=_script)


@lru_cache
def _document() -> dict[str, Any]:
    kept = [episode(COUNTER, one) for one in attempts(COUNTER, 5)]
    return dict(learn_world(kept, WorldSettings(risk=0)).document.to_json())


def _told(*calls: Call) -> list[ToolResult]:
    session = World.from_json(_document()).session()
    return [session.call(tool, arguments) for tool, arguments in calls]


@pytest.mark.parametrize("sku", ["SKU3", "sku3", " SKU3", "sKu3 ", "\tsku3"])
def test_spellings_that_a_tool_takes_for_one_get_one_answer(sku: str) -> None:
    """Casing and spaces were seen to mean nothing: spellings that nobody sent are answered too."""
    (told,) = _told(("get_item", {"sku": sku}))
    assert told.source != UNKNOWN
    assert json.loads(told.content) == {"sku": "SKU3", "price": PRICES["SKU3"]}


def test_the_world_file_says_which_spellings_are_one_and_why() -> None:
    """Kinds and support stand beside the argument; what differs by order or casing has none."""
    known = _document()["spelling"]
    assert known["get_item"]["sku"]["kinds"] == ["case", "trim"]
    assert known["get_item"]["sku"]["support"] >= 2
    assert known["basket"]["skus"]["kinds"] == ["order"]
    assert not {"queue", "code"} & known.keys()


def test_a_list_in_another_order_is_the_same_only_where_it_was_seen_to_be() -> None:
    """A basket's order means nothing, a queue's everything."""
    one, other = _told(
        ("basket", {"skus": ["SKU1", "SKU2"]}), ("basket", {"skus": ["SKU2", "SKU1"]})
    )
    assert one.source != UNKNOWN
    assert one.content == other.content
    backend = Counter()
    for skus in (["SKU1", "SKU2"], ["SKU2", "SKU1"], ["SKU3", "SKU2"]):
        (told,) = _told(("queue", {"skus": skus}))
        assert (
            told.source == UNKNOWN or told.content == backend.call("queue", {"skus": skus}).content
        )


@pytest.mark.parametrize("word", ["abc", "Abc", "ABC", "aBc", " abc", "CAT"])
def test_words_whose_casing_matters_stay_apart(word: str) -> None:
    """Equal calls but for the casing were answered otherwise: each spelling has its own answer, or none."""
    (told,) = _told(("code", {"word": word}))
    assert told.source == UNKNOWN or told.content == Counter().call("code", {"word": word}).content


def test_another_tool_that_never_took_another_spelling_is_not_told_to() -> None:
    """`drop` was called in one spelling only: of another nobody knows, and what it names is touched by it."""
    drop = ("drop", {"sku": "sku3"})
    assert _told(("hold", {"sku": "SKU3"}), drop)[1].source == UNKNOWN
    held = _told(("hold", {"sku": "SKU3"}), drop, ("hold", {"sku": "SKU3"}))[2]
    assert held.source == UNKNOWN


def test_a_refusal_that_repeats_what_was_sent_is_not_told_in_another_spelling() -> None:
    """`no item sku99` has the argument as it was sent."""
    for sku in ("sku99", " SKU99", "SKU1x", "sku1X"):
        (told,) = _told(("get_item", {"sku": sku}))
        assert (
            told.source == UNKNOWN
            or told.content == Counter().call("get_item", {"sku": sku}).content
        )
