"""What redaction does in a quicker way gives what the plain way gives."""

import json
import re
import string
from dataclasses import asdict

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.records.episode import Step
from redact import fold
from redact.apply.matcher import Match, resolve
from redact.kinds import KINDS
from redact.lists.lexicon import load_lexicon
from redact.names import abbreviations as abbreviated
from redact.names import misspellings as misspelt
from redact.readers import base64_runs as encoded
from redact.readers.documents import Documents, FoundValue, Unexplained
from redact.records.clean_episode import CleanStep, CleanToolCall
from redact.records.clean_steps import CleanTexts, clean_step
from redact.values import free_ids, shapes

RUNS = st.one_of(
    st.text(string.ascii_letters + "+/_-=09", min_size=12, max_size=24),
    st.text("aZ9+/=_- \n.\u00e9", max_size=9),
)
MARKED = st.text("aB\u00c9\u0130\u2018\u2019\u201c\u201d\u2013\u2014 \u2026\\n%4", max_size=12)
WORDED = st.lists(
    st.one_of(
        st.text(string.ascii_letters, max_size=7).map(str.title),
        st.sampled_from(
            [" ", ".", "@", "-", " a.", "Smith", "9", "\u2019s ", "\u2014", "\u2026", "\u2010"]
        ),
    ),
    max_size=9,
).map("".join)


@given(st.lists(RUNS, max_size=5).map("".join))
@settings(max_examples=400, deadline=None)
def test_long_runs_are_found_as_the_pattern_finds_them(text: str) -> None:
    """Jumping from run to run over bytes finds the places that trying the pattern at every word finds."""
    runs = re.finditer(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}", text)
    assert encoded.long_runs(text) == [run.span() for run in runs]


@given(MARKED)
@settings(max_examples=400, deadline=None)
def test_marks_of_typesetting_fold_as_piece_by_piece(text: str) -> None:
    """Quotes and dashes that are replaced at once are folded as one by one."""
    assert fold.fold(text) == fold.fold_pieces(text)


@given(WORDED, st.sets(st.sampled_from(string.ascii_uppercase), max_size=4))
@settings(max_examples=400, deadline=None)
def test_words_of_some_letters_are_those_among_all(text: str, letters: set[str]) -> None:
    """Looking for the words that begin with some letters finds them as looking for all does, in the same order."""
    text = text.encode("ascii", "ignore").decode()
    every = misspelt.capitals(text)
    some = [pair for pair in every if pair[0][0] in letters]
    assert list(dict.fromkeys(misspelt.beginning_with(frozenset(letters), text))) == some


@given(
    st.lists(
        st.one_of(
            st.text("aZ1_\u0661\u00e9 -", max_size=9), st.text("ab", min_size=20, max_size=27)
        ),
        max_size=6,
    ).map("".join)
)
@settings(max_examples=400, deadline=None)
def test_words_with_a_number_are_found_as_the_pattern_finds_them(text: str) -> None:
    """Going from digit to digit finds the words that trying the pattern at every letter finds, in the same order."""
    every = re.findall(r"(?<![^\W_])[A-Za-z]{5,24}\d{1,6}(?![^\W_])", text)
    assert abbreviated.numbered_words(text) == tuple(dict.fromkeys(every))


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "12",
                "7b",
                ",",
                " ",
                ". ",
                "$",
                "St",
                "Elm",
                "Hauptweg",
                "A",
                "x",
                "\n",
                "\u0662",
                "\u00c9t\u00e9",
            ]
        ),
        st.text("1aB ,.-", max_size=4),
    ),
    max_size=12,
).map("".join)


@given(LINES)
@settings(max_examples=600, deadline=None)
def test_address_lines_are_found_as_the_pattern_finds_them(text: str) -> None:
    """Going from digit to digit finds the lines that trying the pattern at every character finds."""
    plain = [line[0] for line in shapes.ADDRESS_LINE.finditer(text)]
    assert [line[0] for line in shapes.address_lines(text)] == plain


@given(
    st.lists(st.one_of(WORDED, st.just("Long " * 200 + "Anna \u00e9")), max_size=5),
    st.sets(st.sampled_from("abcs\u00e9"), max_size=4),
)
@settings(max_examples=300, deadline=None)
def test_words_of_several_texts_are_those_of_each(texts: list[str], letters: set[str]) -> None:
    """Looking through several texts at once finds the words of each by their first letters, in the same order."""
    each = [pair for text in texts for pair in misspelt.capitals(text) if pair[1][0] in letters]
    together = misspelt.words_of(texts, frozenset(letters))
    assert list(dict.fromkeys(together)) == list(dict.fromkeys(each))


WINDOWS = st.lists(
    st.one_of(
        st.sampled_from(["$", "12", ".", ",", " ", "-", "51.50735", "10:20:30", "#", "(", ")"]),
        st.text("0159aB.:/-+ \u00b2\u0661", max_size=6),
    ),
    max_size=8,
).map("".join)


@given(WINDOWS)
@settings(max_examples=800, deadline=None)
def test_windows_without_a_letter_hold_the_ids_that_all_searches_find(window: str) -> None:
    """An amount that is told at a look holds no identifier that any of the searches would find."""
    digits = sum(map(str.isdigit, window))
    plain = free_ids._CLOCK.sub(r"\1", window) if "." in window and ":" in window else window
    every = free_ids._ids_among(plain) if digits > 2 else []
    assert free_ids._ids_in(window) == tuple(dict.fromkeys(every))


@given(
    st.lists(
        st.builds(
            lambda start, size, kind: Match(start, start + size, "v", kind, True),
            st.integers(0, 12),
            st.integers(1, 6),
            st.sampled_from(["email", "full_name", "first_name", "opaque_id", "named_id"]),
        ),
        max_size=7,
    )
)
@settings(max_examples=400, deadline=None)
def test_matches_are_resolved_in_the_order_of_place_length_and_rank(matches: list[Match]) -> None:
    """What is sorted with its order written beside it is sorted as a function for each would."""

    def order(match: Match) -> tuple[int, int, int]:
        return (match.start, -match.end, KINDS[match.kind].rank)

    kept: list[Match] = []
    for match in sorted(matches, key=order):
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
        elif (
            match.kind == "named_id" and kept[-1].kind == "opaque_id" and match.end <= kept[-1].end
        ):
            kept[-1] = kept[-1]._replace(kind="named_id")
    assert resolve(matches) == kept


DATED = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "1961",
                "2024",
                "2019",
                "3rd",
                " of ",
                "March",
                "wrze\u015bnia",
                "-",
                "/",
                ", ",
                ".",
                " ",
                "05",
                "12",
                "x" * 45,
            ]
        ),
        st.text("0129 -/,", max_size=5),
    ),
    max_size=14,
).map("".join)


@given(DATED)
@settings(max_examples=600, deadline=None)
def test_days_are_found_as_the_pattern_finds_them(text: str) -> None:
    """Looking for days around years finds what trying the pattern at every word finds, where a year is long past."""
    every = [day[0] for day in free_ids.DAY.finditer(text)]
    assert list(free_ids.free_days(text)) == (every if re.search(r"19\d\d|20[01]\d", text) else [])


WORD = st.none() | st.text(max_size=2)
NUMBER = st.none() | st.integers(0, 3)


@given(st.lists(WORD, min_size=4, max_size=4), NUMBER, NUMBER, NUMBER, st.none() | st.booleans())
def test_a_clean_step_is_what_its_constructor_makes(
    words: list[str | None],
    at: int | None,
    read: int | None,
    wrote: int | None,
    failed: bool | None,
) -> None:
    """A step whose slots are set one by one is equal to one that was constructed."""
    call = CleanToolCall(call_id="1", name="find", arguments="{}")
    texts: CleanTexts = {
        "content": words[0], "tool_calls": (call,), "call_id": words[1], "tool_name": words[2],
        "at": at, "agent": words[3], "parent": words[0],
    }  # fmt: skip
    step = Step(role="tool", is_error=failed, input_tokens=read, output_tokens=wrote)
    whole = CleanStep(role="tool", is_error=failed, input_tokens=read, output_tokens=wrote, **texts)
    made = clean_step(step, texts)
    assert made == whole
    assert asdict(made) == asdict(whole)


KEYS = st.sampled_from(
    ["id", "name", "price", "order", "user", "items", "card_4421", "6777246137", "9612497925", "ann@x.org", "k" * 70]
)  # fmt: skip
LEAVES = st.sampled_from(
    ["Anna Meier", "KD-44213", "kd|a|b|c", 44213987, 7, 1.5, True, None, "a; b; c; d, 12 Elm St", '{"id": "X99"}', 'W/"5f2a"', "one\ntwo: 3"]
)  # fmt: skip
RECORDS = st.dictionaries(
    KEYS,
    st.recursive(
        LEAVES, lambda of: st.dictionaries(KEYS, of, max_size=3) | st.lists(of, max_size=3)
    ),
    min_size=1,
    max_size=4,
)


@given(st.lists(RECORDS, min_size=1, max_size=4))
@settings(max_examples=400, deadline=None)
def test_documents_are_read_as_if_each_were_the_first(records: list[dict[str, object]]) -> None:
    """What is remembered of keys, shapes and leaves of other documents changes nothing."""
    lexicon = load_lexicon()
    one = Documents(lexicon)
    for record in (*records, *records):
        assert read(one, record) == read(Documents(lexicon), record)


def test_a_key_that_is_data_tells_what_keys_below_it_are() -> None:
    """Objects under keys that are data are read alike only where no key in them is data too."""
    found, _ = read(Documents(load_lexicon()), {"user_4421": {"6777246137": {}}})
    assert found == [FoundValue("person_id", "6777246137", "user_4421")]


def read(documents: Documents, record: object) -> tuple[list[FoundValue], list[Unexplained]]:
    """Return what a reader finds in one document."""
    found: list[FoundValue] = []
    unexplained: list[Unexplained] = []
    documents.read(json.dumps(record), "find", found, unexplained)
    return found, unexplained
