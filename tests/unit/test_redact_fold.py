"""Folding and leaves: every way to write a value, and every place where one can stand."""

import pytest

from redact.fold import fold, fold_value
from redact.lists.lexicon import load_lexicon
from redact.readers.base64_runs import hidden_texts
from redact.readers.documents import Documents, FoundValue, Unexplained


@pytest.mark.parametrize(
    "text",
    [
        "JOS\u00c9",
        "Jose\u0301",
        "jo\u200bse",
        "J\\u004fs\\u00e9",
        "%4Aos%C3%A9",
        "j\u043es\u00e9",
        "\uff2a\uff2f\uff33\uff25",
    ],
)
def test_spellings_fold_to_one(text: str) -> None:
    """Case, accents, invisible characters, escapes, look-alikes and wide forms are one spelling."""
    assert fold(text).text == "jose"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("\u0130stanbul'da Anna", "Anna"),
        ("caf\\u00e9 Anna!", "Anna"),
        ("100%25 Anna", "Anna"),
        ("\ufb01ne Anna", "Anna"),
        ("x\u200b\u200b Anna", "Anna"),
        ("a\\nAnna", "Anna"),
    ],
)
def test_positions_lead_back_to_the_original(text: str, word: str) -> None:
    """Where folding changes the length, spans still name the original's characters."""
    folded = fold(text)
    start = folded.text.index(word.lower())
    begin, end = folded.span(start, start + len(word))
    assert text[begin:end] == word


def test_an_escaped_line_break_is_not_a_letter() -> None:
    r"""An escape before a name must not hide the name behind the letter n."""
    assert "nanna" not in fold("hello\\nAnna").text


def test_values_collapse_spaces() -> None:
    """Values are compared with single spaces."""
    assert fold_value("  Anna \t Berg ") == "anna berg"


@pytest.mark.parametrize(
    "text",
    [
        '{"user": {"mail": "a@b.example"}}',
        '"{\\"user\\": {\\"mail\\": \\"a@b.example\\"}}"',
        '{"body": "{\\"user\\": {\\"mail\\": \\"a@b.example\\"}}"}',
        'result = {"user": {"mail": "a@b.example"}} done',
        "{'user': {'mail': 'a@b.example'}}",
        '# var_3 = "x"\n[{"user": {"mail": "a@b.example"}}]',
    ],
)
def test_leaves_are_found_wherever_json_stands(text: str) -> None:
    """JSON, JSON in strings, JSON after a prefix and Python literals all have leaves."""
    found: list[FoundValue] = []
    Documents(load_lexicon()).read(text, "get_user", found, [])
    assert [(item.key, item.value) for item in found] == [("mail", "a@b.example")]


def test_deep_nesting_and_broken_json_are_text() -> None:
    """Hostile input has no leaves and raises nothing."""
    for text in ("[" * 100_000, '{"a": ' * 500 + '"x"' + "}" * 500, "{" * 2000 + "'"):
        found: list[FoundValue] = []
        unexplained: list[Unexplained] = []
        Documents(load_lexicon()).read(text, "", found, unexplained)
        assert (found, unexplained) == ([], [])


def test_base64_is_read_and_written_in_its_own_alphabet() -> None:
    """A run is decoded when it is text; it is written back with its padding and alphabet."""
    runs = list(hidden_texts("id=QW5uYSBCZXJnLCBCZXJsaW4= call_oIHazX6yQrB8hUwl4cRilFKj"))
    assert [run.text for run in runs] == ["Anna Berg, Berlin"]
    assert runs[0].encode("Anna Berg, Berlin") == "QW5uYSBCZXJnLCBCZXJsaW4="


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("K\u0131l\u0131\u00e7arslan", "kilicarslan"),
        ("\u0141ukasz", "lukasz"),
        ("S\u00f8ren", "soren"),
        ("\u0110or\u0111e", "dorde"),
        ("\u00c6sa", "aesa"),
        ("\u00deor", "thor"),
    ],
)
def test_letters_that_lose_no_mark_fold_to_what_people_type(written: str, typed: str) -> None:
    """A dotless i or a crossed l is typed plainly in addresses, user names and file names."""
    assert fold_value(written) == typed
    assert fold_value(written.upper()) == typed
