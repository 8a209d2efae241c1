"""The final answer against a reference: which wordings give it, and which only look as if."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from environments.runtime.checks.answer import answered
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Attempt, Call, Json, ToolResult
from environments.runtime.values.facts import DATE, facts_in
from synth.rubric.references import Reference, answer_check

QUESTION = "Which is it?"


def talk(*said: str, question: str = QUESTION, then: Sequence[str] = ()) -> Attempt:
    """An attempt that says these messages, the user's further turns between them."""
    messages: list[dict[str, Json]] = [{"role": "user", "content": question}]
    turns = list(then)
    for text in said:
        messages.append({"role": "assistant", "content": text})
        if turns:
            messages.append({"role": "user", "content": turns.pop(0)})
    return Attempt(messages=tuple(messages), opening=1)


def wanted(*answers: str, language: str = "en", tools: Sequence[str] = ()) -> dict[str, Json]:
    """The arguments of the check that these answers make."""
    reference = Reference(answers=answers, by="reviewer", outcome_ids=("o",), confidence=0.98)
    check = answer_check(reference, language=language, tools=tools)
    assert check.fn == "answered"
    return dict(check.args)


def score(
    reference: str | Sequence[str], *said: str, question: str = QUESTION, language: str = "en"
) -> float | None:
    """What the check gives for a talk."""
    answers = (reference,) if isinstance(reference, str) else tuple(reference)
    args = wanted(*answers, language=language)
    return answered(args, View(talk(*said, question=question)), "answered")[0]


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("1234.5", "1,234.50"),
        ("1234.5", "It costs $1,234.50."),
        ("$55", "You save 55 dollars."),
        ("$55", "FINAL ANSWER: 55"),
        ("3080000", "The highest price was $3.08 million."),
        ("30", "The likelihood is 30%."),
        ("30 %", "30"),
        ("17", "There are seventeen of them."),
        ("-5", "The change is −5 degrees."),  # noqa: RUF001 - a minus
        ("-$1,200", "That is a loss: -$1,200.00"),
        ("1", "There is only one."),
        ("17", "Thinking about 12 and 40 of them, I get this.\n\\boxed{17}"),
        ("42", "We add 20 and 22.\n#### 42"),
        (
            "8",
            "The even ones face west. There are 4 in Oak Street and 4 in Elm Road. So 8 clients are affected.",
        ),
        ("8", "8 of the 20 clients are affected."),
        ("1148 sqft", "It has 1,148 square feet."),
        ("1954", "It was first found on May 4, 1954."),
        ("19/02/2009", "The picture was added on February 19, 2009."),
        ("2009-02-19", "on 19.02.2009"),
        ("2009-02-19", "于2009年2月19日添加"),
        ("Nosferatu the Vampyre", "The film is **Nosferatu the Vampyre** (1979)."),
        ("Nosferatu the Vampyre", "nosferatu: the vampyre"),
        ("McDonald's", "It is the McDonalds in New London."),
        ("Ronald D. Sugar", "That is Ronald D. Sugar."),
        ("The Beatles", "FINAL ANSWER: beatles"),
        ("Smith & Sons", "smith and sons"),
        ("Yes", "Yes, I would say that."),
        ("Yes", "It is plain.\n\nANSWER: yes"),
        ("B", "(B) the second one"),
        ("B", "**B**"),
        ("A", "Let us see.\nAnswer: A"),
        ("Santa Clara, Boston", "The cities are Boston and Santa Clara."),
        ("132, 133, 134, 197, 245", "132, 133, 134, 197, 245"),
        ("132, 133, 134, 197, 245", "Pages 245, 197, 134, 133 and 132."),
        ("a pot; two pans", "- two pans\n- a pot"),
        ("Yosemite Falls\nBridalveil Fall", "Bridalveil Fall, Yosemite Falls"),
        ('{"sender": "USPS", "price (usd)": "41.75"}', "USPS is the cheapest, at $41.75."),
        ("北京", "答案是北京。"),
        ("北京大学", "我认为它是北京大学的图书馆。"),
        ("東京", "正解は東京です。"),
        ("القاهرة", "الإجابة هي القاهرة"),
        ("ירושלים", "התשובה: ירושלים."),
        ("กรุงเทพ", "คำตอบคือกรุงเทพ"),
        ("56000", "About ٥٦٠٠٠ people live there."),
        ("3/4,1/4,1/2", "3/4, 1/4, 1/2"),
        ("Wojciech", "<answer>Wojciech</answer>"),
        ("Yes", "Yes.\nThanks!"),
        ("Yes", "Yes, no problem."),
        ("Yes", "Yes. No further action is needed."),
        ("Yes", "I think yes."),
        ("Yes", "No worries, yes."),
        ("No", "No, that is not true."),
        ("No", "Yes? No, that is not possible."),
        ("No", "No refund is possible."),
        ("No", "No, no se puede."),
        ("B", "B\nThanks"),
        ("B", "B) Paris\nThanks"),
        ("B", "It is B."),
        ("B", "B because it is cheaper"),
        ("B", "B, e.g. Paris"),
        ("B", "A. Rome\nB. Paris\nC. Madrid\n\nB"),
        ("A", "A"),
        ("A", "Option A sounds right."),
        ("D", "C? I would say D"),
        ("C", "B. No, wait: C"),
        ("A, C", "The right ones are A and C."),
        ("是", "是，可以"),  # noqa: RUF001 - a Chinese comma
        ("Madrid", "Not Paris: Madrid"),
        ("Who is afraid?", "The title is Who is Afraid?"),
    ],
)
def test_an_answer_that_gives_the_reference_is_paid(reference: str, said: str) -> None:
    """Wording, order, unit, number format, date format, case, articles and script make no difference."""
    assert score(reference, said) == 1.0


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("1234.5", "1,234.60"),
        ("45", "45.3"),
        ("8", "I am not sure about that."),
        ("-5", "The change is 5 degrees."),
        ("5", "The change is -5 degrees."),
        ("1", "I am the one who can help you with this, and no one else."),
        ("3", "她住在三亚，不知道有多少人住在那里。"),  # noqa: RUF001 - Chinese marks
        ("8", "It may be 7, 8."),
        ("8", "It is 7 or 8."),
        ("8", "8. No wait, it is 9."),
        ("8", "FINAL ANSWER: 8\nActually it is 9."),
        ("8", "1 2 3 4 5 6 7 8 9 10"),
        ("8", "FINAL ANSWER: 7, 8, 9"),
        ("3", "Stanza 13"),
        ("30", "300%"),
        ("2009-02-19", "February 19, 2010"),
        ("2009-02-19", "February 18, 2009"),
        ("Boston", "It is not Boston."),
        ("Boston", "Boston or Chicago"),
        ("Boston", "Boston, Chicago, Denver, Miami, Dallas, Austin, Reno"),
        ("Boston", "- Boston\n- Chicago\n- Denver\n- Miami\n- Dallas\n- Austin\n- Reno"),
        ("Boston", "word " * 500 + "Boston"),
        ("Boston", "FINAL ANSWER: Chicago"),
        ("stare", "He started it."),
        ("Yes", "No. Yes would be wrong."),
        ("Yes", "Yes or no?"),
        ("No", "There is no doubt that it is so."),
        ("B", "A and B and C and D"),
        ("A", "It is a hard question."),
        ("Santa Clara, Boston", "Santa Clara"),
        ("red, blue", "FINAL ANSWER: red, blue, green, white, black, pink"),
        ("132, 133", ", ".join(map(str, range(120, 150)))),
        ("北京", "上海"),
        ("是", "不是"),
        ("B", "B, C, D"),
        ("B", "B and C"),
        ("B", "B, C and D are correct."),
        ("D", "B\nC\nD"),
        ("C", "C? I would say D"),
        ("A", "A good choice is D"),
        ("I", "I think it is B"),
        ("A, C", "C"),
        ("B, D", "A, B, C, D"),
        ("No", "No worries, it is allowed."),
        ("No", "No problem! Yes, it is possible."),
        ("No", "No. Actually yes, you can."),
        ("Yes", "Yes? No, that is not possible."),
        ("Yes", "Yes — sorry, I mean no."),
        ("Madrid", "Madrid? No, Rome."),
    ],
)
def test_an_answer_that_gives_another_or_many_is_not_paid(reference: str, said: str) -> None:
    """Another value, a choice of several, a negation, a change of mind and a flood are no answer."""
    assert score(reference, said) == 0.0


def test_one_of_several_right_answers_is_enough() -> None:
    """Where people name several answers, each of them is right."""
    assert score(["Myanmar", "Burma"], "It is Burma.") == 1.0
    assert score(["Myanmar", "Burma"], "It is Laos.") == 0.0


def test_the_last_turn_decides() -> None:
    """What was guessed before the user spoke again does not count; a farewell after the answer does no harm."""
    args = wanted("305")
    guessed = talk("305.", "No, it is 255.", then=["Are you sure?"])
    assert answered(args, View(guessed), "answered")[0] == 0.0
    farewell = talk("It is 305.", "You are welcome!", then=["Thank you."])
    assert answered(args, View(farewell), "answered")[0] == 1.0


def test_words_beside_a_call_are_no_answer() -> None:
    """The user never sees the text of a message that calls a tool."""
    messages: tuple[dict[str, Json], ...] = (
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "Boston", "tool_calls": [{"id": "1"}]},
    )
    found = answered(wanted("Boston"), View(Attempt(messages=messages, opening=1)), "answered")
    assert found == (0.0, "nothing was answered")


def test_a_call_that_ends_the_conversation_may_carry_the_answer() -> None:
    """Some agents hand their answer in by a tool."""
    call = Call(
        name="submit",
        arguments={"answer": "Boston"},
        result=ToolResult(content="ok", source="recorded"),
        message=1,
    )
    messages: tuple[dict[str, Json], ...] = (
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
    )
    view = View(Attempt(messages=messages, opening=1, calls=(call,)))
    assert answered(wanted("Boston", tools=["submit"]), view, "answered")[0] == 1.0
    assert answered(wanted("Boston"), view, "answered")[0] == 0.0


def test_repeating_the_question_chooses_nothing() -> None:
    """Where the question names the right answer, only a line of one's own gives it."""
    question = "Was it Alfonso Visconti or Matteo Ricci who consecrated the cardinal in the year of the comet?"
    assert score("Alfonso Visconti", question, question=question) == 0.0
    assert score("Alfonso Visconti", "It was Alfonso Visconti.", question=question) == 1.0


@pytest.mark.parametrize(
    "said", ["", " \n ", "\u200f", "x" * 1_000_000, "9 8 " * 250_000, "\\boxed{" * 9_000]
)
def test_odd_answers_get_a_verdict(said: str) -> None:
    """Nothing, a megabyte and broken marks are wrong answers, no errors."""
    assert score("8", said) == 0.0
    assert score("Boston", said) == 0.0


def test_numbers_in_words_of_the_language_are_read() -> None:
    """The forms of the users' language are written into the check."""
    assert score("17", "Es sind siebzehn.", language="de") == 1.0
    assert score("17", "Es sind achtzehn.", language="de") == 0.0


@given(st.text(max_size=80), st.text(max_size=400))
def test_no_text_breaks_the_check(reference: str, said: str) -> None:
    """Any reference and any answer end in a verdict."""
    made = Reference(answers=(reference,), by="reviewer", outcome_ids=(), confidence=0.9)
    check = answer_check(made)
    if check.fn == "answered":
        assert answered(check.args, View(talk(said)), "answered")[0] in {0.0, 1.0}


@given(st.integers(min_value=0, max_value=10**9))
def test_a_number_gives_itself_and_no_other(number: int) -> None:
    """With and without thousands separators; the next number never does. Eight digits that are a day (`20280701`) are one."""
    assume(all(fact.kind != DATE for fact in facts_in(f"{number} {number + 1}")))
    assert score(str(number), f"The answer is {number:,}.") == 1.0
    assert score(str(number), f"The answer is {number + 1:,}.") == 0.0


def test_an_explanation_is_asked_of_a_judge() -> None:
    """A long reference becomes a question with the reference beside it."""
    text = (
        "The refund was late because the bank needed a form. It has to be filed by the branch, and "
        * 3
    )
    made = Reference(answers=(text,), by="reviewer", outcome_ids=(), confidence=0.9)
    check = answer_check(made)
    assert check.fn == "judge"
    assert text in str(check.args["prompt"])


def test_a_check_without_answers_abstains() -> None:
    """Nothing is wrong where nothing is asked for."""
    assert answered({"answers": []}, View(talk("Boston")), "answered")[0] is None


def test_a_person_may_type_the_answers_as_texts() -> None:
    """What a reviewer writes is read like a reference, without the words of numbers."""
    args: dict[str, Json] = {"answers": ["42", "Boston"]}
    assert answered(args, View(talk("That makes 42.0 in all.")), "answered")[0] == 1.0
    assert answered(args, View(talk("In Boston.")), "answered")[0] == 1.0
    assert answered(args, View(talk("In Chicago, 41.")), "answered")[0] == 0.0


_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
_ROWS = st.dictionaries(
    st.sampled_from(["kind", "value", "readings", "forms", "items", "negative", "odd"]),
    _VALUES
    | st.sampled_from(["number", "date", "list", "choice", "phrase"])
    | st.lists(_VALUES | st.dictionaries(st.sampled_from(["kind", "value"]), _VALUES), max_size=3),
)


@given(st.lists(_ROWS | _VALUES, max_size=3), st.text(max_size=60))
def test_broken_arguments_never_raise(answers: list[Json], said: str) -> None:
    """A rubric that somebody edited by hand gives a verdict, whatever stands in it."""
    args: dict[str, Json] = {"answers": answers, "tools": "x", "number_words": ["one", 3]}
    assert answered(args, View(talk(said, "It is 5, in May 2024.")), "answered")[0] in {
        0.0,
        1.0,
        None,
    }


@pytest.mark.parametrize("items", [None, [], ["Boston"]])
def test_a_list_that_names_nothing_is_no_answer(items: Json) -> None:
    """Nobody is graded by it."""
    args: dict[str, Json] = {"answers": [{"kind": "list", "items": items}]}
    found = answered(args, View(talk("It is 5.")), "answered")
    assert found == (None, "the check names no answer")
