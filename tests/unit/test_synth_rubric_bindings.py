"""Arguments bound by what users say: only texts are a word's meaning."""

from __future__ import annotations

from environments.runtime.attempt import Json
from synth.rubric.bindings import Example, bind, sources_of
from synth.rubric.known import Known


def example(said: str, value: Json) -> Example:
    """A resolved call's argument after one turn of the user."""
    known = Known(said=(said,), subject=None, started_at=0, records=())
    return Example(known=known, value=value, others=())


def test_a_list_is_no_words_meaning() -> None:
    """Words that go with a list only must not be looked up among the texts."""
    examples = [example("send it by plain post", "post")] * 4
    examples += [example("send it by fast courier", "courier")] * 4
    examples += [example("the two green ones", ["2216662955"])] * 4
    sources = sources_of(examples)
    assert bind(sources, example("the two green ones", None).known, ()) is None
    assert bind(sources, example("by plain post please", None).known, ()) == "post"
