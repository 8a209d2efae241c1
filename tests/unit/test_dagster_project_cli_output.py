"""What commands print for people: titles and ids that can be copied."""

import pytest

from dagster_project.cli.output import how_many, print_pairs, print_table


def test_a_path_in_a_title_stays_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """A table's title is one line, however narrow the table below it is."""
    print_pairs("home /a/folder/with/a/long/name/of/a/home", {"tracegym": "1"})
    assert capsys.readouterr().out.startswith("home /a/folder/with/a/long/name/of/a/home\n")


def test_an_id_beside_a_long_text_stays_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """The sentence is broken over lines, the id is not: it is there to be copied."""
    name = "2e17a398bf85f8f9c6420905c47efc57"
    says = " ".join(["An outcome says that the user did not get what they came for."] * 4)
    print_table("Breaks off", ("episode", "status", "what shows it"), [(name, "confirmed", says)])
    printed = capsys.readouterr().out
    assert name in printed
    assert len(printed.splitlines()) > 3


def test_a_count_has_its_noun() -> None:
    """One app, two apps, no app days."""
    assert [how_many(n, "app") for n in (0, 1, 2, 1200)] == [
        "0 apps",
        "1 app",
        "2 apps",
        "1,200 apps",
    ]
