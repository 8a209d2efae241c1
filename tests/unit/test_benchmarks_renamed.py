"""Other people in the place of those of a published package, with the truth about them."""

from __future__ import annotations

import random

from benchmarks.testbeds.people.renamed import Renamed, mails_of, named_by_mails

TEXT = "Ilvy Tarkvist (ilvy.tarkvist@mail.example) owes 4417-2209. Ilvy wrote to desk@mail.example."


def test_people_are_read_off_their_addresses_and_stand_nowhere_afterwards() -> None:
    """A name, its first word alone, an address and a number become others of the same form, the same everywhere."""
    people = named_by_mails(TEXT)
    assert people == {("Ilvy", "Tarkvist")}
    dice = random.Random(1)  # noqa: S311 - invented data
    world = Renamed(dice, people, {"4417-2209": "direct"}, ("Ilvy", "Tarkvist"))
    world.know_mails(mails_of(TEXT, people), ())
    told = world.text(TEXT)
    assert not any(word in told for word in ("Ilvy", "ilvy", "arkvist", "4417"))
    assert all(spelt[0] in told for spelt in world.truth.values())
    assert "desk@mail.example" in told
    assert world.json({"Ilvy": [TEXT, 3]}) == {world.first["Ilvy"]: [told, 3]}
    assert sorted(label.partition("/")[0] for label in world.truth) == ["direct", "name", "third-direct"]  # fmt: skip
