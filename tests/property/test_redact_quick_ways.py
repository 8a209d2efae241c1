"""What redaction does in a quicker way gives what the plain way gives."""

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from redact import fold
from redact.lists.lexicon import load_lexicon
from redact.readers.documents import Documents, FoundValue, Unexplained
from redact.values import free_ids

MARKED = st.text("aB\u00c9\u0130\u2018\u2019\u201c\u201d\u2013\u2014 \u2026\\n%4", max_size=12)


@given(MARKED)
@settings(max_examples=400, deadline=None)
def test_marks_of_typesetting_fold_as_piece_by_piece(text: str) -> None:
    """Quotes and dashes that are replaced at once are folded as one by one."""
    assert fold.fold(text) == fold.fold_pieces(text)


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
