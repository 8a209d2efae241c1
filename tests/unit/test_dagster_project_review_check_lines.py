"""The list of checks on the page: alike ones are one line that says what differs and how many pass."""

from dagster_project.review.editing.check_lines import (
    DONE,
    KEPT,
    PREDICTED,
    WEIGHED,
    lines_of,
    parts_of,
)
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.task.verdict import CheckResult


def told(number: int, value: float | str, role: str = "reward", **more: object) -> Check:
    """A fact to tell."""
    args = {"value": value, "among": number, **more}
    return Check(check_id=f"told_{number}", fn="told", args=args, role=role, required=True)  # type: ignore[arg-type]


def result(check: Check, score: float | None) -> CheckResult:
    """What an attempt got."""
    return CheckResult(check_id=check.check_id, score=score, evidence="because")


def test_alike_checks_are_one_line_where_the_first_stands() -> None:
    """What they share is said once, what differs is listed, and one that fails marks the line."""
    cap = Check(check_id="cap", fn="calls_at_most", args={"most": 9}, positive=False)
    facts = [told(1, 305), told(2, 17.5), told(3, 305, role="both"), told(4, "bella")]
    rubric = Rubric(task_id="t", checks=(facts[0], cap, *facts[1:]))
    results = [result(facts[0], 1.0), result(facts[1], 0.0), result(facts[2], None)]
    lines = lines_of(rubric, results, written=(), form={})
    assert [(line.says, len(line.checks), line.mark) for line in lines] == [
        ("The agent tells the user 305; 17.5; bella.", 4, "no"),
        ("The agent makes at most 9 calls.", 1, ""),
    ]
    assert [one.number for one in lines[0].checks] == [1, 3, 4, 5]
    assert [lines[0].count(mark) for mark in ("yes", "no", "open")] == [1, 1, 1]


def test_a_hundred_facts_are_one_line_that_can_be_read() -> None:
    """Six are named, the rest is counted."""
    rubric = Rubric(task_id="t", checks=tuple(told(n, n * 1000) for n in range(1, 101)))
    (line,) = lines_of(rubric, [], written=(), form={})
    assert line.says == ("The agent tells the user 1000; 2000; 3000; 4000; 5000; 6000 and 94 more.")


def test_checks_of_other_force_are_lines_of_their_own() -> None:
    """A check that only gates, or one that is not required, is not hidden among required ones."""
    one = told(1, 305)
    gate = Check(check_id="g", fn="told", args={"value": 1}, required=True, positive=False)
    free = Check(check_id="f", fn="told", args={"value": 2})
    part = Check(check_id="s", fn="told", args={"value": 3}, role="share")
    lines = lines_of(Rubric(task_id="t", checks=(one, gate, free, part)), [], written=(), form={})
    assert [len(line.checks) for line in lines] == [1, 1, 1, 1]


def test_checks_of_a_kind_that_nobody_described_say_themselves() -> None:
    """Their own sentences are compared; without common words the kind stands before them."""
    checks = tuple(
        Check(check_id=f"c{n}", fn="is_polite", says=says, required=True)
        for n, says in enumerate(("Thanks once.", "Says please."))
    )
    (line,) = lines_of(Rubric(task_id="t", checks=checks), [], written=("c0",), form={})
    assert line.says == "is polite: Thanks once; Says please."
    assert [one.written for one in line.checks] == ["Thanks once.", ""]


def test_what_was_typed_keeps_its_line_open() -> None:
    """A field that holds something else than the check is not folded away."""
    rubric = Rubric(task_id="t", checks=(told(1, 305), told(2, 17)))
    form = {
        "shown-1": "1",
        "weight-1": "1.0",
        "required-1": "1",
        "arg-1-value": "306",
        "says-1": "",
    }
    (line,) = lines_of(rubric, [], written=(), form=form)
    assert [one.typed for one in line.checks] == [True, False]
    same = {**form, "arg-1-value": "305", "arg-1-among": "1"}
    assert not lines_of(rubric, [], written=(), form=same)[0].typed


def test_a_rule_of_the_instructions_stands_beside_what_is_checked() -> None:
    """An expert sees which sentence a function stands for; other checks of the share have none."""
    says = "The instructions say: “Never call drop.”"
    rule = Check(
        check_id="rule_1", fn="never_called", args={"tools": ["drop"]}, role="share", says=says
    )
    change = Check(
        check_id="wrote_1", fn="wrote", args={"tool": "pay"}, role="share", says="pay with 7."
    )
    lines = lines_of(Rubric(task_id="t", checks=(rule, change)), [], written=(), form={})
    assert [line.checks[0].rule for line in lines] == [says, ""]


def test_checks_are_listed_by_what_they_are_for() -> None:
    """What is asked comes first, then limits, then what is weighed; what pays nothing comes last and is folded."""
    asked, guess = told(1, 305), told(2, 305, role="agreement")
    cap = Check(check_id="cap", fn="calls_at_most", args={"most": 9}, positive=False, required=True)
    part = Check(check_id="s", fn="told", args={"value": 3}, role="share")
    checks = (guess, part, cap, asked)
    lines = lines_of(Rubric(task_id="t", checks=checks), [], written=(), form={})
    parts = parts_of(lines)
    assert [(part.title, part.total, part.folded) for part in parts] == [
        (DONE, 1, False),
        (KEPT, 1, False),
        (WEIGHED, 1, False),
        (PREDICTED, 1, True),
    ]
    assert parts[0].lines[0].checks[0].number == 4
    form = {"shown-1": "1", "arg-1-value": "306"}
    typed = parts_of(lines_of(Rubric(task_id="t", checks=checks), [], written=(), form=form))
    assert not typed[-1].folded


def test_what_differs_is_cut_behind_a_word() -> None:
    """No word, and no quotation, is torn where alike checks differ at length."""
    calls = ('{"at":"2024-05-17 10:00"}', '{"at":"2024-05-17 10:00","note":"LONG"}')
    checks = tuple(
        Check(
            check_id=f"w{n}",
            fn="wrote",
            args={"tool": f"book_{n}", "arguments": text.replace("LONG", "and so on " * 9)},
            role="share",
        )
        for n, text in enumerate(calls)
    )
    (line,) = lines_of(Rubric(task_id="t", checks=checks), [], written=(), form={})
    assert line.says == (
        "The agent succeeds in calling book_0 with at “2024-05-17 10:00”; "
        "book_1 with at “2024-05-17 10:00”, note “and so on and so on and so on and so…”."
    )


def test_a_cut_at_the_end_is_the_end() -> None:
    """No full stop behind the dots."""
    words: list[Json] = [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
    ]
    checks = tuple(
        Check(
            check_id=f"t{n}",
            fn="text_holds",
            args={"tool": f"note_{n}", "argument": "text", "words": words[::n], "least": 1},
            required=True,
        )
        for n in (1, -1)
    )
    (line,) = lines_of(Rubric(task_id="t", checks=checks), [], written=(), form={})
    assert line.says.startswith(
        "The agent gives note_1, as “text”, a text with at least 1 of these"
    )
    assert line.says.endswith("…")
