"""Ends that differ because users said more, and things that users describe beside one they have."""

from __future__ import annotations

from environments.runtime.task.attempt import Json
from synth.recordings.known_values import Example, KnownValues, Record
from synth.solutions.bindings import bind, sources_of
from synth.solutions.fillers.described_things import DescribedThing
from synth.solutions.plans import Step, given_ids
from synth.solutions.which_end import Wordings


def known(*said: str, records: tuple[Record, ...] = (), subject: str | None = None) -> KnownValues:
    """An episode by its user's turns."""
    return KnownValues(said=said, subject=subject, started_at=0, records=records)


PLAIN = [known("please water the ferns", "that is all") for _ in range(6)]
MORE = [known("please water the ferns", "and trim the hedge too", "that is all") for _ in range(6)]


def test_a_user_who_was_heard_out_wanted_no_more() -> None:
    """Who closed like others were asked for everything; the others' later wish tells them apart."""
    wordings = Wordings([*PLAIN, *MORE])
    telling = wordings.telling(PLAIN, MORE)
    assert wordings.explains(telling, known("please water the ferns", "That is all!"), MORE[0])


def test_a_user_who_was_cut_short_may_have_wanted_more() -> None:
    """Without a closing like that of resolved ones, nothing is ruled out."""
    wordings = Wordings([*PLAIN, *MORE])
    telling = wordings.telling(PLAIN, MORE)
    assert not wordings.explains(telling, known("please water the ferns", "hello?"), MORE[0])


def test_who_said_the_same_is_not_told_apart() -> None:
    """The other's wish is this one's as well."""
    wordings = Wordings([*PLAIN, *MORE])
    telling = wordings.telling(PLAIN, MORE)
    mine = known("please water the ferns", "and trim the hedge too", "that is all")
    assert not wordings.explains(telling, mine, MORE[0])


def test_words_that_only_users_of_one_end_say_claim_it() -> None:
    """Who asked for the hedge as well belongs to those who did, whatever else may still come; who did not may yet."""
    wordings = Wordings([*PLAIN, *MORE])
    both = known("please water the ferns", "and trim the hedge too", "hello?")
    assert wordings.claims(both, MORE, PLAIN)
    assert not wordings.claims(known("please water the ferns", "hello?"), MORE, PLAIN)
    assert not wordings.claims(both, PLAIN, MORE)


def pots(number: int) -> tuple[Record, ...]:
    """A delivery with one pot, and the kinds that pots come in."""
    kinds: list[Json] = [
        {"kind": f"K-{number}{i}", "look": {"glaze": glaze, "size": size}}
        for i, (glaze, size) in enumerate(
            [("blue", "small"), ("blue", "large"), ("green", "small"), ("green", "large")]
        )
    ]
    line: Json = {
        "line": f"L-{number}00",
        "ware": f"W-{number}00",
        "look": {"glaze": "blue", "size": "large"},
    }
    return (
        Record("delivery", {"no": f"D-{number}00"}, {"no": f"D-{number}00", "lines": [line]}),
        Record("ware", {"ware": f"W-{number}00"}, {"ware": f"W-{number}00", "kinds": kinds}),
    )


def test_what_should_differ_names_the_alternative_and_the_rest_stays() -> None:
    """A green one, otherwise as large as the one at hand."""
    examples = [
        Example(known("the green one please", records=pots(n)), f"K-{n}3", (f"L-{n}00",))
        for n in range(1, 5)
    ]
    sources = sources_of(examples)
    assert any(isinstance(source, DescribedThing) for source in sources)
    fresh = known("make it small instead", records=pots(7))
    assert bind(sources, fresh, ("L-700",)) == "K-70"
    assert bind(sources, known("a better one", records=pots(7)), ("L-700",)) is None


def test_calls_of_one_kind_take_as_many_ids_as_were_named() -> None:
    """Two changes were shown: three named ids are not bound to them."""
    shown = [Step(tool="stop", arguments={"id": f"P-{n}00", "why": "x"}) for n in (1, 2)]
    assert given_ids(shown, known("stop P-500 and P-600")) == ({"id": "P-500"}, {"id": "P-600"})
    assert given_ids(shown, known("stop P-500, P-600 and P-700")) == ()


def test_the_first_named_record_says_what_a_request_is_about() -> None:
    """A record named later, for another question, does not blur it."""
    records = (
        Record("parcel", {"no": "P-100"}, {"state": "open", "sent": "2026-01-02T00:00:00Z"}),
        Record("parcel", {"no": "P-200"}, {"state": "gone", "sent": "2026-01-03T00:00:00Z"}),
    )
    features = known("stop P-100", "and what of P-200?", records=records).features
    assert features["parcel:state"] == "open"


def test_days_between_two_dates_of_a_record_are_a_field() -> None:
    """How long something took decides as much as when it was."""
    dates: Json = {"sent": "2026-01-02T00:00:00Z", "came": "2026-01-12T00:00:00Z"}
    records = (Record("parcel", {"no": "P-100"}, dates),)
    assert known("P-100 is late", records=records).features["parcel:sent..parcel:came"] == 10.0
