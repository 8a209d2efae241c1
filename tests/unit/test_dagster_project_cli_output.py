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


def test_a_table_that_is_too_wide_is_told_row_by_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names and figures stay whole on a small terminal; on a wide one it is a table."""
    headings = ("app", "what fails", *(f"figure {n}" for n in range(6)))
    row = ("customer-support-desk", "Stops before it is done (renew)", *[0.9375] * 6)
    monkeypatch.setenv("COLUMNS", "80")
    print_table("Failures", headings, [row, row])
    narrow = capsys.readouterr().out.splitlines()
    assert narrow.count("app         customer-support-desk".ljust(len(narrow[1]))) == 2
    assert sum(line.startswith("figure 5") and "0.9375" in line for line in narrow) == 2
    monkeypatch.setenv("COLUMNS", "120")
    print_table("Failures", headings, [row, row])
    assert len(capsys.readouterr().out.splitlines()) < len(narrow)


def test_a_count_has_its_noun() -> None:
    """One app, two apps, no app days."""
    assert [how_many(n, "app") for n in (0, 1, 2, 1200)] == [
        "0 apps",
        "1 app",
        "2 apps",
        "1,200 apps",
    ]
