"""Words in common use, as ours: who speaks, and what a field is called.

Comes in: a word of the file, in any casing and spelling (`toolResponse`, `Tool response`, `tool-response`). Goes out: a role,
or the word in one spelling. Nothing here knows a tool, an app or a data set.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from ingest.records.outcome_words import yes_or_no
from ingest.records.word_lists import word_lists

NAMES: Final = word_lists(Path(__file__).with_name("names_in_use.toml"))
"""Names in common use, by what they name; the likeliest or surest stands first."""
KNOWN_AS: Final = {
    word: name
    for name, words in word_lists(Path(__file__).with_name("column_words.toml")).items()
    for word in words
}
"""Names in other languages, or with a word more, each with the name that readers know."""
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN: Final = re.compile(r"[\W_]+")
_ADDRESSED: Final = re.compile("_(?:to|for)_")
"""What stands in a name before whom somebody speaks to."""
_LONGEST: Final = 64
"""Characters of a word or a name; what is longer is text."""

CALL: Final = "call"
"""The role word of a message that is nothing but a call, where calls are messages of their own."""

_ROLES: Final = {
    "system": (
        "system developer instructions system_prompt system_message system_instruction preamble"
    ),
    "user": (
        "user human customer client caller visitor guest end_user enduser prompter patient member "
        "consumer human_message user_message human_user user_proxy inbound incoming "
        "kunde kundin nutzer benutzer utilisateur cliente usuario usuário utente klant socio socia membre mitglied ユーザー 顧客 用户 客户"
    ),
    "assistant": (
        "assistant ai bot chatbot agent model gpt chatgpt claude gemini llm copilot ai_message "
        "ai_message_chunk assistant_message ai_assistant ai_agent chat_bot virtual_assistant "
        "representative support outbound outgoing "
        "assistent assistente asistente agente berater ボット アシスタント オペレーター 助手 客服"
    ),
    "tool": (
        "tool function tools ipython observation environment env execution_environment tool_result tool_results "
        "tool_response tool_output tool_return tool_message function_response function_result "
        "function_output function_message function_call_output execution_result code_output "
        "api_response interpreter execution tool_execution_result werkzeug outil herramienta strumento ferramenta ツール 工具"
    ),
    CALL: "function_call tool_call tool_calls tool_request tool_use function_calls",
}
_ROLE_OF: Final = {word: role for role, words in _ROLES.items() for word in words.split()}
_TELLING: Final = {
    "assistant": frozenset(
        {"assistant", "bot", "chatbot", "agent", "support", "service", "expert"}
    ),
    "user": frozenset({"user", "human", "customer", "client", "caller"}),
}
"""Words that tell the role of a longer name which holds one of them: `Customer 7`, but also `customer_support`."""
_TELLING_ROLE: Final = {word: role for role, words in _TELLING.items() for word in words}
_SPEECH: Final = frozenset(NAMES["speech"])
"""Words for something said, behind the word for who said it: `agent_message`, `bot_reply`."""
_PASSED_ON: Final = ("received", "sent")
"""Words of a logger's, behind all others."""
_REQUESTED: Final = frozenset(NAMES["requested"])
_RETURNED: Final = frozenset(NAMES["returned"])
"""Words behind a tool or a call that tell the asking from what came of it."""
_OF_SIDE: Final = re.compile(r"(?:is|from|by|is_from|is_by|sent_by)_(\w+)")
_STANDS_FOR_USER: Final = ("user_proxy", "human_proxy")


@lru_cache(maxsize=4096)
def snake_case(word: str) -> str:
    """The word in lower case with `_` between its parts: `questionID`, `Question ID` and `question-id` are one."""
    apart = _CAMEL.sub("_", word[:_LONGEST])
    return _BETWEEN.sub("_", apart).strip("_").lower()


def role_of(word: str) -> str | None:
    """The role that a word means (`system`, `user`, `assistant`, `tool`, or `CALL`); None for a participant's own name."""
    if len(word) > _LONGEST:
        return None
    own = snake_case(word)
    role = _ROLE_OF.get(own)
    if role is None and "_" in own:
        who, what = own.rsplit("_", 1)
        if what in _PASSED_ON:
            return role_of(who)
        role = _ROLE_OF.get(who)
        if role in {CALL, "tool"}:
            # `tool_return_message` says what came back, `tool_call_message` what was asked.
            if what in _RETURNED or who.rpartition("_")[2] in _RETURNED:
                return "tool"
            return CALL if what in _REQUESTED else None
        return role if what in _SPEECH else None
    return role


def role_by_truth(key: str, value: object) -> str | None:
    """The role that a truth tells, true of one side and not of the other: `is_bot`, `fromUser`."""
    found = _OF_SIDE.fullmatch(snake_case(key))
    side = role_of(found[1]) if found else None
    said = yes_or_no(str(value)) if side in _TELLING else None
    other = "user" if side == "assistant" else "assistant"
    return None if said is None else side if said else other


def role_in_name(name: str) -> str | None:
    """The role that a participant's name tells by one of its parts; None where it tells none."""
    own = role_of(name)
    if own is not None or len(name) > _LONGEST:
        return own
    word = snake_case(name)
    if word.startswith(_STANDS_FOR_USER):
        return "user"
    # The last part says what the others only describe: `customer_support`, `support_user`.
    # Whom it is addressed to is looked at last: `agent_to_customer`.
    parts = [*_ADDRESSED.split(word)[0].split("_")[::-1], *word.split("_")[::-1]]
    return next((_TELLING_ROLE[part] for part in parts if part in _TELLING_ROLE), None)


def is_name(value: object) -> bool:
    """Whether a value can be a participant's name: a short line of text that is no address."""
    return (
        isinstance(value, str)
        and 0 < len(value.strip()) <= _LONGEST
        and "\n" not in value
        and "@" not in value
    )
