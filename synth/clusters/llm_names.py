"""Names for failure clusters by an LLM, where one is configured: better prose under the same rules.

The model sees tools, counts and facets without values; what it answers is used only if it says nothing that fewer
than k users said. Any trouble keeps the template's name. Not here: the endpoint (`llm`), the template's name (`clusters.names`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field

from synth.clusters.clustering import Cluster, Naming
from synth.clusters.names import said_by
from synth.failures.detection import Failure
from synth.llm import Complete, LlmError, LlmSettings, ask

_PROMPT: Final = Path(__file__).with_name("cluster_name.txt")
_SAMPLES: Final = 10


class ClusterName(BaseModel):
    """What the model is asked for."""

    name: str = Field(min_length=3, max_length=80)
    """At most eight words."""


def llm_naming(settings: LlmSettings, *, k: int, complete: Complete | None = None) -> Naming:
    """A naming for `cluster` that asks the model, and keeps the template's name when the answer cannot be used."""

    def naming(one: Cluster, members: Sequence[Failure]) -> str | None:
        try:
            reply = ask(prompt_for(one, members), ClusterName, settings=settings, complete=complete)
        except LlmError:
            return None
        return reply.name.strip() if may_be_said(reply.name, members, k=k) else None

    return naming


def prompt_for(one: Cluster, members: Sequence[Failure]) -> str:
    """The question: what is known of the cluster, and what some of its users wanted."""
    facets = dict.fromkeys(member.facet for member in members if member.facet)
    return _PROMPT.read_text(encoding="utf-8").format(
        name=one.name,
        cause=one.cause,
        tools=", ".join(one.focus) or "none",
        error=one.error or "none",
        failures=one.failures,
        samples="\n".join(f"- {facet}" for facet in list(facets)[:_SAMPLES]),
    )


def may_be_said(name: str, members: Sequence[Failure], *, k: int) -> bool:
    """Whether every word that comes from the users' words is a tool's word or was said by k of them."""
    if re.search(r"[\d@_<>{}]", name) or len(name.split()) > 12:
        return False
    said = said_by(members)
    known = {word for member in members for word in member.vocabulary}
    heard = {word for member in members for word in re.findall(r"[^\W\d_]{3,}", member.facet)}
    words = set(re.findall(r"[^\W\d_]{3,}", name.lower()))
    return all(word in known or said.terms[word] >= k for word in words & heard)
