"""What is learnt today re-opens the old days that contain it, and no other."""

from pathlib import Path

import pytest

from dagster_project.home.layout import Home, open_home
from dagster_project.lake.freshness import store, work
from dagster_project.lake.rows import constant_column, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES
from dagster_project.privacy.gate import gate_ingredients, learn_days, vault_of
from ingest.records.episode import Episode
from redact.operators.vault import Vault
from tests.unit.raw_conversations import SECRET, calls, episode, says


class Days:
    """A lake that is given raw days one after the other, as builds do."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.lake = Lake(home.private / "lake")
        self.vault: Vault = vault_of(home, SECRET)

    def bring(self, day: str, *episodes: Episode) -> None:
        """Store a day's episodes and learn from them."""
        todo = work(self.lake, "episodes", {("app", day): day})
        rows = to_table(episodes, EPISODES.schema, day=constant_column(day))
        store(self.lake, EPISODES, rows, todo, keys=[("app", day)])
        learn_days(self.home, self.lake, self.vault, {"app": [day]})

    def made_of(self) -> dict[str, str]:
        """What each clean day is made of now."""
        made = gate_ingredients(self.home, self.lake, self.vault, "app")
        return {day: text for (_, day), text in made.items()}


@pytest.fixture
def days(tmp_path: Path) -> Days:
    """A new home with two days: one mentions a reference and a name, one does not."""
    found = Days(open_home(tmp_path / "home", create=True))
    found.bring("2026-01-01", episode("a", says("user", "please look at QX-8A")))
    found.bring("2026-01-02", episode("b", says("user", "where is my parcel?")))
    found.bring("2026-01-03", episode("c", says("user", "wren abara told me to write")))
    return found


def record(key: str, value: str, *, of: str) -> Episode:
    """A customer's record with one more field."""
    return episode(of, *calls("read_record", {}, {"email": f"{of}@mail.example", key: value}))


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """The old days that are made of something else now."""
    return {day for day in before if before[day] != after[day]}


def test_an_identifier_found_by_judging_an_unknown_key_reopens_its_day_only(days: Days) -> None:
    """The reference stood in a message of the first day before anybody knew that it is somebody's."""
    before = days.made_of()
    days.bring(
        "2026-01-04",
        record("xref", "QX-8A", of="p1"),
        record("xref", "QX-7B", of="p2"),
        record("xref", "QX-1Z", of="p3"),
    )

    assert changed(before, days.made_of()) == {"2026-01-01"}


def test_a_name_learnt_under_a_known_key_reopens_its_day_only(days: Days) -> None:
    """A full name that a tool returns today was said on the third day."""
    before = days.made_of()
    days.bring("2026-01-04", episode("d", *calls("get", {}, {"customer_name": "Wren Abara"})))

    assert changed(before, days.made_of()) == {"2026-01-03"}


def test_a_day_that_teaches_nothing_reopens_nothing(days: Days) -> None:
    """Chat without a value of anybody's costs its own day only."""
    before = days.made_of()
    days.bring("2026-01-04", episode("d", says("user", "thank you, good night")))

    assert changed(before, days.made_of()) == set()


def test_a_changed_verdict_reopens_the_days_with_values_under_its_key(days: Days) -> None:
    """One person's remark says nothing yet; when others' differ, the first day's remark is judged again."""
    days.bring("2026-01-04", record("bemerkung", "Rex and Tilda come along", of="p1"))
    days.bring("2026-01-05", record("stage", "open", of="p1"))
    before = days.made_of()
    days.bring(
        "2026-01-06",
        *(
            record("bemerkung", text, of=f"q{number}")
            for number, text in enumerate(
                ("afraid of the dentist, since a fall", "Nico", "Pavla", "Imke")
            )
        ),
    )

    assert changed(before, days.made_of()) == {"2026-01-04"}


def test_a_value_hidden_in_base64_is_in_the_index(days: Days) -> None:
    """An old day that holds the reference only encoded is re-opened as well."""
    hidden = "eyJ4IjogIlFYLThBIiwgInkiOiAxfQ=="  # {"x": "QX-8A", "y": 1}
    days.bring("2026-01-04", episode("h", says("user", f"token {hidden}")))
    before = days.made_of()
    days.bring("2026-01-05", *(record("xref", f"QX-{n}A", of=f"p{n}") for n in range(6, 10)))

    assert changed(before, days.made_of()) == {"2026-01-01", "2026-01-04"}


def test_a_code_of_short_pieces_reopens_only_days_in_which_they_follow_one_another(
    days: Days,
) -> None:
    """Every day has a `q`, an `x`, a 5 and a 3 somewhere; that is no `QX 5-3`, however that is written."""
    days.bring("2026-01-04", episode("e", says("user", "5 parcels, qx line, 3 o'clock, gate a 5")))
    days.bring("2026-01-05", episode("f", says("user", "it is about qx5/3, please")))
    before = days.made_of()
    days.bring("2026-01-06", *(record("xref", f"QX-5-{n}", of=f"p{n}") for n in range(3, 7)))

    assert changed(before, days.made_of()) == {"2026-01-05"}
