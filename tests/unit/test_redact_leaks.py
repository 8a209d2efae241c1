"""The leak check finds every encoding of what was learnt, by code of its own."""

import ast
import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.audit.leaks import LeakSearch
from redact.evidence.app_values import AppLearnt, Learnt
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.leak_hits import leaks_in
from tests.syntax import syntax
from tests.unit.raw_conversations import PROFILE, SECRET, episode, profile_episode, says

RAW = profile_episode(says("user", "I am Tamsin Okafor"))
LEARNT = learn([RAW], (), policy=Policy())
MAIL = str(PROFILE["email"])


@pytest.mark.parametrize(
    "text",
    [
        f"write to {MAIL.upper()}",
        quote(f"mail={MAIL}", safe=""),
        base64.b64encode(f"user {MAIL}!".encode()).decode(),
        json.dumps(json.dumps({"m": MAIL})),
        "tamsin_okafor_4417",
        "Tamsin&nbsp;Okafor",
        "T\u00e0msin O\u200bkafor",
        "\\u0054amsin Okafor",
        "12 LARKSPUR  LANE",
        "x/credit_card_7719203.json",
    ],
)
def test_direct_identifiers_are_found_in_every_encoding(text: str) -> None:
    """A survivor anywhere in an export is found, and its text is not told."""
    leaks = leaks_in([("file", text)], learnt=LEARNT)
    assert any(leak.direct for leak in leaks)
    assert all("amsin" not in repr(leak) for leak in leaks)


@pytest.mark.parametrize(
    "text", ["nothing here", "Larkspur", "Suite 12", "4417 and 8812", "norwich"]
)
def test_single_words_are_nobodys_outside_their_episode(text: str) -> None:
    """App-wide, only what names one person by itself counts."""
    assert leaks_in([("file", text)], learnt=LEARNT) == []


def test_single_words_count_in_what_derives_from_their_episode() -> None:
    """The caller says which raw episode a text comes from."""
    leaks = leaks_in([("t", "Thanks Tamsin")], learnt=LEARNT, episodes={"t": RAW.episode_id})
    assert [leak.kind for leak in leaks] == ["first_name"]
    assert not leaks[0].direct


def test_what_passed_the_gate_has_no_leak() -> None:
    """The scrubber and the check agree, though they share no code."""
    done = next(scrub([RAW], learnt=LEARNT, vault=Vault(None, SECRET), policy=Policy()))
    named = [(str(place), step.content or "") for place, step in enumerate(done.clean.steps)]
    origins = {name: RAW.episode_id for name, _ in named}
    assert leaks_in(named, learnt=LEARNT, episodes=origins) == []


def _imports(path: Path) -> set[str]:
    tree = syntax(path)
    return {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


def test_the_check_shares_no_matching_code_with_the_scrubber() -> None:
    """An error in folding, matching or encoding cannot hide itself."""
    root = Path(__file__).parents[2]
    forbidden = {
        "redact.apply.matcher",
        "redact.fold",
        "redact.readers.base64_runs",
        "redact.apply.scrub",
        "redact.apply.context",
    }
    assert not _imports(root / "redact" / "audit" / "leaks.py") & forbidden


def test_only_the_gate_constructs_clean_records() -> None:
    """Past the gate there are other types, and only `redact` makes them from raw data."""
    root = Path(__file__).parents[2]
    names = {"CleanEpisode", "CleanStep", "CleanToolCall", "CleanOutcome"}
    allowed = {root / "redact" / name for name in ("apply/scrub.py", "records/clean_rows.py")}
    makers = {
        path
        for folder in ("ingest", "redact", "synth", "environments", "dagster_project")
        for path in (root / folder).rglob("*.py")
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    }
    assert makers <= allowed


def test_a_public_word_counts_only_beside_another_word_of_its_subject() -> None:
    """Alone it is told with its waiver; next to another word it is a leak."""
    search = LeakSearch(LEARNT, is_public=lambda word: word == "tamsin")
    alone = search.find("t", "the Tamsin sofa", episodes=[RAW.episode_id])
    assert [(leak.kind, leak.waiver) for leak in alone] == [("first_name", "public")]
    beside = search.find("t", "for Tamsin from Okafor", episodes=[RAW.episode_id])
    assert [leak.waiver for leak in beside] == ["public", ""]
    whole = search.find("t", "Tamsin Okafor", episodes=[RAW.episode_id])
    assert {leak.waiver for leak in whole} == {""}


def test_a_text_found_clear_is_searched_again_for_its_own_episode() -> None:
    """The memory of clear texts is the whole app's; each episode's words are its own."""
    search = LeakSearch(LEARNT)
    assert search.find("t", "Thanks Tamsin") == []
    assert len(search.find("t", "Thanks Tamsin", episodes=[RAW.episode_id])) == 1


def test_an_example_in_a_definition_that_everybody_has_is_about_nobody() -> None:
    """A customer called like the example in a tool's description blocks nothing; the same words elsewhere do."""
    definition = '{"description":"The first name, such as \'Tamsin\'.","type":"string"}'
    search = LeakSearch(LEARNT, shared=[definition])
    inside = search.find("t", f'{{"tools":[{definition}]}}', episodes=[RAW.episode_id])
    assert [leak.waiver for leak in inside] == ["public"]
    escaped = definition.replace('"', '\\"')
    assert {leak.waiver for leak in search.find("t", escaped, episodes=[RAW.episode_id])} == {
        "public"
    }
    elsewhere = search.find("t", "the name is Tamsin, she says", episodes=[RAW.episode_id])
    assert [leak.waiver for leak in elsewhere] == [""]
    bare = search.find("t", "Tamsin", episodes=[RAW.episode_id])
    assert [leak.waiver for leak in bare] == [""]


def test_a_direct_identifier_is_a_leak_wherever_it_stands() -> None:
    """No shared passage excuses what names one person by itself."""
    definition = "such as Tamsin Okafor in the order desk"
    search = LeakSearch(LEARNT, shared=[definition])
    assert "" in {leak.waiver for leak in search.find("t", definition, episodes=[RAW.episode_id])}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"settled":{"read":2,"user":0}}', 0),
        ('["user", 0]', 0),
        ('{"user": "user-0"}', 1),
        ("user 0 and user_0", 2),
        (r"{\"id\": \"user-0\"}", 1),
    ],
)
def test_an_id_is_not_torn_over_a_key_and_its_value(text: str, found: int) -> None:
    """A short id of a word and a digit must not block an app over JSON that happens to hold both."""
    known = Learnt({"app": AppLearnt(values={"user-0": "person_id"})})
    assert len(leaks_in([("there", text)], learnt=known)) == found


def test_a_name_spread_over_a_list_is_a_leak() -> None:
    """Both halves side by side still name the person."""
    known = Learnt({"app": AppLearnt(values={"mara quill": "full_name"})})
    assert len(leaks_in([("there", '["Mara","Quill"]')], learnt=known)) == 1


def test_a_text_that_is_searched_again_holds_what_it_held_for_each_episode() -> None:
    """The gate searches a text, and again what was stored of it: a text that is clear for one episode is not clear for another."""
    other = episode("two", says("user", "I am Jasper Whitlock"))
    known = learn([RAW, other], (), policy=Policy())
    texts = ("Thanks Jasper", "nothing here", f"write to {MAIL}", "Thanks Tamsin")
    derived = ((), (other.episode_id,), (RAW.episode_id, other.episode_id))
    asked = [(text, episodes) for text in texts for episodes in derived]

    def found(search: LeakSearch, text: str, episodes: tuple[str, ...]) -> list[tuple[str, int]]:
        return [(leak.kind, leak.offset) for leak in search.find("t", text, episodes=episodes)]

    each = [found(LeakSearch(known), *one) for one in asked]
    search = LeakSearch(known)
    assert [found(search, *one) for one in asked] == each
    assert [found(search, *one) for one in asked] == each
    assert [len(one) > 0 for one in each[:6]] == [False, True, True, False, False, False]
    assert [len(one) > 0 for one in each[9:]] == [False, False, True]
