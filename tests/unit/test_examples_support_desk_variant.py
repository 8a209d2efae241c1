"""The example shop's variants: everything is renamed, nothing plain leaks, the same number is the same variant."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from examples.support_desk import lexicon
from examples.support_desk.backend.errors import ToolRefusalError
from examples.support_desk.backend.tools import TOOLS, definitions
from examples.support_desk.random_calls import sample_calls
from examples.support_desk.season import Plan, reset_season
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.truth import RealBackend
from examples.support_desk.variant import Json, make_variant

VARIANTS = range(1, 13)


def _keys(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            if not {"color", "size", "material"} & set(item if isinstance(item, dict) else ()):
                yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def test_alternatives_never_collide_with_plain_names_or_with_each_other() -> None:
    """Whatever a variant picks, no name is plain and no two things share one."""
    for table in (lexicon.TOOLS, lexicon.FIELDS, lexicon.VALUES):
        others = [name for names in table.values() for name in names]
        assert not set(others) & set(table)
        assert len(set(others)) == len(others)


def test_every_refusal_is_worded_and_every_name_is_listed() -> None:
    """All codes have at least one wording beside the plain one, and all tools and arguments are renamed."""
    assert all(len(wordings) > 1 for wordings in lexicon.ERRORS.values())
    assert {tool.name for tool in TOOLS} == set(lexicon.TOOLS)
    assert {p.name for tool in TOOLS for p in tool.parameters} <= set(lexicon.FIELDS)


@pytest.mark.parametrize("number", VARIANTS)
def test_no_plain_name_leaks_into_calls_and_results(number: int) -> None:
    """Tools, arguments, result fields and statuses of random calls are all the variant's own."""
    backend = RealBackend(variant=number, seed=1)
    for sample in sample_calls(backend, seed=number, length=150):
        assert sample.name not in lexicon.TOOLS
        assert not set(sample.arguments) & set(lexicon.FIELDS)
        if sample.is_error or sample.plain.name == "calculator":
            continue
        result = json.loads(sample.content)
        options = {"brightness", "height", "filling", "firmness", "handle", "length", "lid"}
        assert not (set(_keys(result)) - options) & set(lexicon.FIELDS)
        shown = backend.variant.inward(result)
        assert backend.variant.outward(shown) == result
        assert not _status_words(shown, result) & set(lexicon.VALUES)


def _status_words(plain: Json, shown: Json) -> set[str]:
    """The variant's words in fields that hold statuses and kinds."""
    if isinstance(plain, dict) and isinstance(shown, dict):
        words: set[str] = set()
        for (key, item), other in zip(plain.items(), shown.values(), strict=True):
            if key in lexicon.VALUE_FIELDS and isinstance(other, str):
                words.add(other)
            words |= _status_words(item, other)
        return words
    if isinstance(plain, list) and isinstance(shown, list):
        return set().union(*map(_status_words, plain, shown), set())
    return set()


@pytest.mark.parametrize("number", VARIANTS)
def test_tool_definitions_and_policy_use_the_variants_words(number: int) -> None:
    """What the agent is told names no plain tool, argument or status."""
    variant = make_variant(number)
    for tool in definitions(variant):
        function: Any = tool["function"]
        assert function["name"] not in lexicon.TOOLS
        assert not set(function["parameters"]["properties"]) & set(lexicon.FIELDS)
        for schema in function["parameters"]["properties"].values():
            assert not set(schema.get("enum", ())) & set(lexicon.VALUES)
        assert "{" not in function["description"]


def test_refusals_are_worded_differently() -> None:
    """No refusal of a variant reads like the plain one."""
    plain = make_variant(0)
    values: dict[str, Any] = {
        "tool": "t", "field": "order_id", "choices": ("late",), "id": "7", "status": "pending",
        "left": "1", "needed": "2", "value": "v", "country": "US",
    }  # fmt: skip
    for number in VARIANTS:
        variant = make_variant(number)
        for code in lexicon.ERRORS:
            refusal = ToolRefusalError(code, **values)
            text = variant.refusal(refusal)
            assert text != plain.refusal(refusal)
            assert variant.is_refusal(text)
            assert not variant.is_refusal('{"order": 1}')


def test_variants_are_deterministic_and_differ() -> None:
    """A number always gives the same variant; twelve numbers give twelve."""
    assert make_variant(7) == make_variant(7)
    assert len({str(make_variant(n).tools) + str(make_variant(n).fields) for n in VARIANTS}) == 12


def test_ids_follow_the_variants_format() -> None:
    """Every id format occurs among the first variants, and order ids can be found in a sentence."""
    for number in range(8):
        backend = RealBackend(variant=number, seed=2)

        ids = [row["id"] for row in backend.db.execute("SELECT id FROM orders")]
        text = f"It is {ids[0]}."
        assert re.findall(backend.variant.order_pattern, text) == [ids[0]]
        assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("number", [1, 2, 3, 6])
def test_the_good_agent_serves_every_variant(number: int) -> None:
    """The same agent code resolves at least 95 % of the requests under other names."""
    plan = Plan(
        app="shop", variant=make_variant(number), seed=4, conversations=80, policies=("good",)
    )
    held = list(reset_season(plan, Telemetry()))
    assert sum(one.judgement.resolved for one in held) >= 0.95 * len(held)
    called = {made.call.name for one in held for made in one.talk.calls}
    assert not called & set(lexicon.TOOLS)
