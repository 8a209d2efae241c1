"""Tool definitions of many requests to the episode's one list.

Comes in: OpenAI definitions as canonical JSON text, in the order in which they were sent. Goes out: one a name: the
last one that says what the tool takes, because a name alone (OpenTelemetry's default) says less.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson


def merge_tools(definitions: Iterable[str]) -> tuple[str, ...]:
    """One definition for each tool name, in the order of their first appearance."""
    by_name: dict[str, str] = {}
    seen: set[str] = set()
    for text in definitions:
        if text in seen:
            continue
        seen.add(text)
        function = orjson.loads(text)["function"]
        known = by_name.get(function["name"])
        if known is None or "parameters" in function or "parameters" not in known:
            by_name[function["name"]] = text
    return tuple(by_name.values())


def with_schemas(offered: tuple[str, ...], told: tuple[str, ...]) -> tuple[str, ...]:
    """What was offered, with what another span of the conversation tells of a tool that is a bare name there."""
    named, known = (
        {orjson.loads(text)["function"]["name"]: text for text in one} for one in (offered, told)
    )
    return tuple(merge_tools((text, known.get(name, text)))[0] for name, text in named.items())
