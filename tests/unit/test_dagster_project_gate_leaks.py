"""What the leak check finds is taken out of the text that holds it, and of nothing else."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.privacy.export_check import _texts
from dagster_project.privacy.gate_leaks import mark_phrases
from environments.runtime.values import canonical
from redact.records.clean_episode import WITHHELD
from tests.unit.raw_conversations import calls, episode, says
from tests.whole_way import past_the_gate


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("ask Zoë Brandão, please", f"ask {WITHHELD}, please"),
        ("ask ZOE BRANDAO; and Zoe Brandaos", f"ask {WITHHELD}; and Zoe Brandaos"),
        ("<b>zoe&nbsp;brandao</b> zoe%20brandao", f"<b>{WITHHELD}</b> {WITHHELD}"),
        ('{"who": "Zoe Brandao"}', f'{{"who": "{WITHHELD}"}}'),
        ("我是zoe brandao", f"我是{WITHHELD}"),
    ],
)
def test_words_are_taken_out_however_they_are_written(text: str, left: str) -> None:
    """With marks, capitals, on a page, in an address or in JSON; longer words stay."""
    assert mark_phrases(text, ["zoe brandao"]) == left


def test_a_number_that_is_no_text_stays_since_json_would_break() -> None:
    """The caller holds the episode back: half a document is no answer of a tool."""
    assert mark_phrases('{"pin": 4417}', ["4417"]) == '{"pin": 4417}'


@given(st.text(), st.text(alphabet="abc ", max_size=6))
def test_json_stays_json_and_what_holds_no_phrase_stays_as_it_is(text: str, phrase: str) -> None:
    """Whatever the text is."""
    json.loads(mark_phrases(json.dumps({"said": text}), [phrase.strip()]))
    assert mark_phrases(text, ["zoebrandao"]) == text


def test_tracegyms_own_code_in_an_export_is_nobodys(tmp_path: Path) -> None:
    """A customer may have the number that our code has: the file is ours, byte for byte."""
    shutil.copy(canonical.__file__, tmp_path / "canonical.py")
    (tmp_path / "other.py").write_text("# 999999999\n", encoding="utf-8")
    assert [(place, text) for place, text, _ in _texts(tmp_path) if "\n" in text] == [
        ("other.py", "# 999999999\n")
    ]


def test_an_example_in_a_definition_costs_the_example_and_no_conversation() -> None:
    """A real tenant's key in a tool's definition stands in every episode: the tool is the same without it."""
    people = [("Chen", "Li"), ("Dora", "Vass"), ("Emil", "Roth"), ("Hana", "Kim"), ("Ivo", "Marek")]
    about = {"type": "string", "description": "Tenant key, e.g. chen.li"}
    tool = {
        "name": "get_tenant",
        "description": "Details of a tenant.",
        "parameters": {"type": "object", "properties": {"tenant": about}},
    }
    raw = []
    for first, last in people:
        key = f"{first}.{last}".casefold()
        record = {"tenant": key, "name": f"{first} {last}", "phone": "0171-2207"}
        one = episode(
            f"e-{key}",
            says("user", f"Who is {key}?"),
            *calls("get_tenant", {"tenant": key}, record),
        )
        definition = json.dumps({"type": "function", "function": tool})
        raw.append(replace(one, tools=(definition,)))
    found, _, _ = past_the_gate(raw, ())
    assert len(found) == len(raw)
    assert "chen" not in repr(found)
    assert all("Tenant key, e.g." in one.tools[0] for one in found)


def test_a_persons_name_in_an_agents_name_costs_the_name_and_no_conversation() -> None:
    """A voice agent may be called as a caller is: every conversation of the app bears its name."""
    people = [("Nora", "Li"), ("Dora", "Vass"), ("Emil", "Roth"), ("Hana", "Kim"), ("Ivo", "Marek")]
    raw = []
    for number, (first, last) in enumerate(people):
        record = {"guest": f"G{number}", "first_name": first, "last_name": last}
        one = episode(
            f"e-{number}",
            says("user", f"This is {first} {last}, is my table free?"),
            *calls("get_guest", {"guest": f"G{number}"}, record),
        )
        raw.append(replace(one, agent="Nora - Dora Vass House"))
    found, _, _ = past_the_gate(raw, ())
    assert len(found) == len(raw)
    assert "Vass" not in repr(found)
