"""Choices that many had under keys of one name, sorts of one thing, and what stays of both where few saw it."""

from __future__ import annotations

from redact.decisions.choices import are_sorts, shown_alike
from redact.decisions.profile import App, Profile
from redact.decisions.rules import decide_alone
from redact.decisions.verdicts import KEEP
from redact.evidence.app_values import AppLearnt
from redact.evidence.catalogues import NO_LISTS
from redact.readers.place import Place
from tests.unit.raw_conversations import calls, episode, texts_past_the_gate

SHOWN = "result|?|f|read_card.card_kind"
ASKED = "argument|?|n|order.cardKind"
OTHER = "result|?|f|read_bill.paid_with"
PEOPLE = [f"name{row}" for row in "abcdefghijkl"]


def _kept(evidence: dict[str, dict[str, list[int]]], *words: str) -> set[str]:
    """The places of words that are found to be choices; `words` are a person's in one episode."""
    profiles = {
        key: Profile(place=Place.from_key(key), seen=seen, public=frozenset(), latest=0, k=3)
        for key, seen in evidence.items()
    }
    app = App(
        learnt=AppLearnt(evidence=evidence, local={"one": dict.fromkeys(words, "last_name")}),
        places={key: one.place for key, one in profiles.items()},
        profiles=profiles,
        people={},
        catalogues=NO_LISTS,
        public=frozenset(),
        language=frozenset(),
        dictionary=frozenset(),
        k=3,
    )
    worded = {key: one for key, one in profiles.items() if one.place.free}
    return set(shown_alike(app, worded, lambda one: decide_alone(one).action == KEEP))


def test_keys_of_one_name_are_counted_together() -> None:
    """What one person saw under `card_kind` is a choice where three chose it as `cardKind`, however it is spelt."""
    chosen = {"late_fee": [1, 2, 3], "never_sent": [2, 3, 4], "wrong_sum": [1, 3, 5]}
    seen = {"Late Fee": [1], "Never Sent": [2], "Wrong Sum": [3]}
    assert _kept({SHOWN: seen, ASKED: chosen}) == {SHOWN}
    assert _kept({SHOWN: seen}) == set()


def test_towns_and_words_of_people_are_not_counted_together() -> None:
    """A town that many share goes with the addresses of its people: staying at one place it would read in two ways."""
    towns = {"Orvalla": [1, 2, 3], "Quistrel": [2, 3, 4], "Benmorro": [3, 4, 5]}
    evidence = {SHOWN: {town: [row] for row, town in enumerate(towns)}, ASKED: towns}
    assert _kept(evidence) == {SHOWN}
    assert _kept(evidence, "orvalla", "quistrel") == set()


def test_sorts_of_one_thing_end_in_one_word() -> None:
    """The words before it come again; accounts that are called after their owners hold words of the app's people."""
    sorts = ["Lynx Rewards Card", "Otter Rewards Card", "Otter Travel Card", "Lynx Travel Card"]
    owned = [f"{name} {kind} Account" for name in ("Okonjora", "Ybarrith") for kind in ("A", "B")]
    assert are_sorts({sort: [row] for row, sort in enumerate(sorts)}, PEOPLE, (), k=5)
    seen = {name: [row, row + 1] for row, name in enumerate(owned)}
    assert not are_sorts(seen, [*PEOPLE, "okonjora", "ybarrith"], (), k=5)


def test_words_before_an_end_are_nobodys_only_where_people_are_known() -> None:
    """Where nobody's name is known, an account's word may be its owner's, though two conversations show it."""
    owned = [f"{name} {kind} Account" for name in ("Okonjora", "Ybarrith") for kind in ("A", "B")]
    assert not are_sorts({name: [row] for row, name in enumerate(owned)}, (), (), k=5)
    listed = {f"{name} Account": [1, 2] for name in ("Ingrid", "Zsofia", "Dimitri")}
    assert _kept({SHOWN: listed}) == set()


def test_what_is_a_sort_at_one_place_is_one_where_few_saw_it() -> None:
    """One person's two cards are known from the list of all."""
    sorts = ["Lynx Green Card", "Lynx Blue Card", "Lynx Silver Card", "Lynx Gold Card"]
    few = {"Lynx Green Card": [1], "Lynx Blue Card": [1], "N/A": [2]}
    seen = {sort: [row, row + 1, row + 2] for row, sort in enumerate(sorts)}
    assert _kept({SHOWN: seen, OTHER: few}) == {SHOWN, OTHER}


def test_product_names_in_text_of_unknown_form_stay() -> None:
    """Cards that few people have are products in the record and in what is said of them; their holders go."""
    kinds = ["Green", "Blue", "Silver", "Gold", "Purple", "Cash", "Business", "Diamond"]
    holders = ["Oluwaremi Tarkvist", "Ybarrith Quenlo", "Zemkou Ardvale", "Thandrix Bolmeer"]
    raw = []
    for row, kind in enumerate(kinds * 2):
        holder = holders[row % 4]
        told = f"Card record {row}\nholder_name: {holder}\nemail: h{row % 4}@mail.example\ncard_kind: {kind} Rewards Card\n"
        raw.append(episode(f"e{row}", *calls("read_card", {"row": row}, told)))
    texts = texts_past_the_gate(raw)
    assert all(f"{kind} Rewards Card" in text for kind, text in zip(kinds * 2, texts, strict=True))
    assert not any(word in text for text in texts for name in holders for word in name.split())
