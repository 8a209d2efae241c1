"""Every benchmark runs by its name, keeps its figures, and says what differs from figures that were kept."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.__main__ import main, measures
from benchmarks.figures import Row, differences, printed, read, write
from benchmarks.suites import SUITES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_can_be_run_and_says_what_it_measures(name: str) -> None:
    """A listed module has the two functions of a suite, and its row in the README is true."""
    module = import_module(SUITES[name].module)
    assert callable(module.options)
    assert callable(module.rows)
    said = measures(SUITES[name].module)
    assert said
    readme = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert f"| `{name}` | {said} | {SUITES[name].costs} |" in readme


def test_no_page_names_a_benchmark_that_is_gone() -> None:
    """History is in `docs/log`; every other page can be followed."""
    pages = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs/decisions").glob("*"),
    ]
    for page in pages:
        words = page.read_text(encoding="utf-8").split("python -m benchmarks ")[1:]
        named = {part.split()[0].strip("`").rstrip("`:,.;)") for part in words if part.strip()}
        assert {one for one in named if one.isidentifier() and one.islower()} <= set(SUITES), (
            page.name
        )
        assert "python -m benchmarks." not in page.read_text(encoding="utf-8"), page.name


def test_a_run_is_kept_and_the_next_one_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figures of a case that changed are told with both values."""
    kept = tmp_path / "kept.json"
    assert main(["names_in_prose", "--json", str(kept)]) == 0
    assert main(["names_in_prose", "--against", str(kept)]) == 0
    assert "nothing differs" in capsys.readouterr().out
    known = json.loads(kept.read_text())
    known["rows"][0]["figures"]["found"] += 1
    kept.write_text(json.dumps(known))
    assert main(["names_in_prose", "--against", str(kept)]) == 0
    assert f"{known['rows'][0]['case']}: found" in capsys.readouterr().out


def test_figures_of_another_suite_are_refused(tmp_path: Path) -> None:
    """Rows say which benchmark wrote them."""
    write(tmp_path / "a.json", "worlds", [])
    with pytest.raises(ValueError, match="rows of `worlds`, not of `yield`"):
        read(tmp_path / "a.json", "yield")
    (tmp_path / "b.json").write_text("[]")
    with pytest.raises(ValueError, match="no rows that a benchmark wrote"):
        read(tmp_path / "b.json", "yield")


def test_cases_that_came_or_went_are_told() -> None:
    """Neither is silently left out of a comparison."""
    before = [Row(case="a", figures={"n": 1}), Row(case="b", figures={"n": 2.5})]
    after = [Row(case="b", figures={"n": 3.5}), Row(case="c", figures={"n": None})]
    assert list(differences(before, after)) == ["b: n 2.5 -> 3.5 (+1)", "c: new", "a: gone"]


def test_a_new_head_stands_where_figures_have_other_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A table never has a cell under a wrong name."""
    rows = [Row(case="a", figures={"n": 1}), Row(case="b", figures={"m": "x"})]
    assert list(printed(rows)) == rows
    assert capsys.readouterr().out.count("| case |") == 2


def test_an_unknown_name_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, with the exit code of a wrong call."""
    assert main(["nothing"]) == 2
    assert "names_in_prose" in capsys.readouterr().err
    assert main([]) == 0
