"""A season of the example desk whose tool results all come in another form: only the form then says which calls failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from benchmarks.testbeds.desk.conversations import Shop, Talk
from benchmarks.testbeds.invented.attempts import Made
from benchmarks.testbeds.result_forms import FORMS, LITERAL, MIXED, NOISE, REFUSED, Form
from redact.records.clean_episode import CleanStep

PLAIN: Final = "as it is"
SAYS_NOTHING: Final = "as it is, nothing says error"
ALL: Final[Mapping[str, Form | None]] = (
    {PLAIN: None, SAYS_NOTHING: None} | FORMS | MIXED | REFUSED | LITERAL
)


def rewritten(shop: Shop, name: str, *, well: bool) -> Shop:
    """A season in one form; with `well` its source says of every call that it did not fail."""
    if name == PLAIN:
        return shop
    NOISE.seed(name)
    form, flag = ALL[name], False if well else None

    def one(talk: Talk) -> Talk:
        steps = (_step(s, form, flag) if s.role == "tool" else s for s in talk.episode.steps)
        return replace(talk, episode=replace(talk.episode, steps=tuple(steps)))

    return replace(shop, talks=tuple(map(one, shop.talks)))


def _step(step: CleanStep, form: Form | None, flag: bool | None) -> CleanStep:  # noqa: FBT001 - what a source says
    content, name = step.content or "", step.tool_name or ""
    made = Made(name=name, arguments={}, content=content, is_error=bool(step.is_error))
    return replace(step, content=form(made) if form else content, is_error=flag)
