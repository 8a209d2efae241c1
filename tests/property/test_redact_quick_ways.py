"""What redaction does in a quicker way gives what the plain way gives."""

import re
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from redact import abbreviated, encoded, fold, misspelt

RUNS = st.one_of(
    st.text(string.ascii_letters + "+/_-=09", min_size=12, max_size=24),
    st.text("aZ9+/=_- \n.\u00e9", max_size=9),
)
MARKED = st.text("aB\u00c9\u0130\u2018\u2019\u201c\u201d\u2013\u2014 \u2026\\n%4", max_size=12)
WORDED = st.lists(
    st.one_of(
        st.text(string.ascii_letters, max_size=7).map(str.title),
        st.sampled_from([" ", ".", "@", "-", " a.", "Smith", "9", "\u2019s "]),
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
