"""Conversations that are one text in a model's template, as training writes its rollouts: invented ones in several templates."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.formats.records.transcripts import turns_of
from tests.unit.exported_lines import decoded_below
from tests.unit.ingest_emitters import APP
from tests.unit.test_ingest_harnesses import Record, only, told

TOOL = {"type": "function", "function": {"name": "find_boat", "description": "Find.", "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}}}}  # fmt: skip
PROMPT = (
    f'You rent boats.\n<tools>\n{json.dumps(TOOL)}\n</tools>\nCall them so:\n{{"name": <name>}}'
)
CALL = '<tool_call>\n{"name": "find_boat", "arguments": {"id": 7}}\n</tool_call>'
RESULT = "<tool_response>\nfree\n</tool_response>"
TURNS = (
    ("system", PROMPT),
    ("user", "Is boat 7 free?"),
    ("assistant", f"I look.\n{CALL}"),
    ("user", RESULT),
    ("assistant", "It is free."),
)
TEMPLATES = {
    "chatml": "<|im_start|>{0}\n{1}<|im_end|>\n",
    "headers": "<|start_header_id|>{0}<|end_header_id|>\n\n{1}<|eot_id|>",
    "named": "<|{0}|>\n{1}<|end|>\n",
    "bare": "{0}\n{1}\n",
}
STEPS = [
    ("system", PROMPT, []),
    ("user", "Is boat 7 free?", []),
    ("assistant", "I look.", [("find_boat", {"id": 7})]),
    ("tool", "free", []),
    ("assistant", "It is free.", []),
]


WHOLE: Record = {"text": "".join(TEMPLATES["chatml"].format(*turn) for turn in TURNS), "score": 1}
PARTED: Record = {"prompt": [{"role": "user", "content": "Is boat 7 free?"}], "response": "Yes.<|im_end|>\n<|im_start|>user\nThanks.<|im_end|>\n", "info": {"own_tools": [TOOL]}}  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_prompt_goes_on_in_what_the_model_wrote(tmp_path: Path, template: str) -> None:
    """Whatever the two fields are called; the last mark of the prompt opens the model's turn; the tools are those of the prompt."""
    turns = [TEMPLATES[template].format(*turn) for turn in TURNS]
    begun = TEMPLATES[template].partition("{1}")[0].format("assistant")
    prompt, wrote = "".join(turns[:2]) + begun, "".join(turns[2:]).removeprefix(begun)
    for names in (("input", "output"), ("input_prompt", "output_response"), ("prompt", "completion")):  # fmt: skip
        beside = {"gts": "free", "score": 1.0, "step": 3}
        chat = only(tmp_path, [dict(zip(names, (prompt, wrote), strict=True)) | beside], "3.jsonl")
        assert told(chat.episode.steps) == STEPS
        assert [one.value for one in chat.outcomes] == [1.0]
        assert [json.loads(one)["function"]["name"] for one in chat.episode.tools] == ["find_boat"]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_whole_conversation_is_one_text(tmp_path: Path, template: str) -> None:
    """As data sets for fine-tuning keep it, in one field."""
    text = "".join(TEMPLATES[template].format(*turn) for turn in TURNS)
    chat = only(tmp_path, [{"text": text, "reward": 0}], "kept.jsonl")
    assert told(chat.episode.steps) == STEPS


def test_a_text_that_only_holds_a_mark_is_none(tmp_path: Path) -> None:
    """An answer that talks about a template stays what it is."""
    lines = [
        {
            "prompt": "What begins a turn?",
            "response": "A line with\nuser\nin it, or <|im_start|>user\n.",
        }
    ]
    chat = only(tmp_path, lines, "asked.jsonl")
    assert [role for role, *_ in told(chat.episode.steps)] == ["user", "assistant"]


@pytest.mark.parametrize("template", ["chatml", "headers"])
def test_an_answer_of_several_turns_goes_on_from_messages(tmp_path: Path, template: str) -> None:
    """The prompt as messages, and all that came after it as one text; tools that a field with a word of its own holds as text."""
    prompt = [{"role": role, "content": text} for role, text in TURNS[:2]]
    prompt[0]["content"] = "You rent boats."
    wrote = "".join(TEMPLATES[template].format(*turn) for turn in TURNS[2:])
    wrote = wrote.removeprefix(TEMPLATES[template].partition("{1}")[0].format("assistant"))
    line = {"prompt": prompt, "response": wrote, "info": {"own_tools": json.dumps([TOOL])}}
    chat = only(tmp_path, [line], "rollouts.jsonl")
    assert told(chat.episode.steps)[1:] == STEPS[1:]
    assert [json.loads(one)["function"]["name"] for one in chat.episode.tools] == ["find_boat"]


def test_calls_under_a_name_that_ends_in_tools_are_none_that_were_offered(tmp_path: Path) -> None:
    """What has no parameters defines nothing."""
    made = [{"name": "find_boat", "arguments": {"id": 7}}]
    line = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi."}], "used_tools": made}  # fmt: skip
    assert only(tmp_path, [line], "log.jsonl").episode.tools == ()


@pytest.mark.parametrize("template", TEMPLATES)
def test_rollouts_in_a_table(tmp_path: Path, template: str) -> None:
    """As trainers log their completions: a row each, whatever else stands beside them."""
    turns = [TEMPLATES[template].format(*turn) for turn in TURNS]
    begun = TEMPLATES[template].partition("{1}")[0].format("assistant")
    prompt, wrote = "".join(turns[:2]) + begun, "".join(turns[2:]).removeprefix(begun)
    rows = [{"step": n, "prompt": prompt, "completion": wrote, "reward": n / 2} for n in (0, 1)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "completions.parquet")
    found = decoded_below(tmp_path / "completions.parquet", app=APP)
    assert [told(one.episode.steps) for one in found.chats] == [STEPS, STEPS]
    assert [one.value for chat in found.chats for one in chat.outcomes] == [0, 0.5]


@pytest.mark.parametrize(
    "text", [f"<|im_start|>user\n{' ' * 10**6}x", " " * 10**6 + "x", "\n" * 10**6]
)
def test_a_million_spaces_take_no_time(text: str) -> None:
    """Each is looked at once: no text of a stranger stops the reading."""
    assert turns_of(text) == []
