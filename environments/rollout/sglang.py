"""What SGLang says of tokens: `meta_info` with a triple of logprob, token id and text for each of them.

In: the `meta_info` of a reply, or of the parts of a stream. Out: the fields that vLLM sends (`token_ids`, `logprobs`,
`prompt_token_ids`). A server may stream its lists whole so far in every part, or only what is new: the count of tokens
beside them tells which; where it fits neither, the ids are unknown. Not here: the connection (`endpoint`), events (`sse`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from environments.runtime.task.attempt import Json

WRITTEN: Final = "output_token_logprobs"
READ: Final = "input_token_logprobs"


def token_fields(info: object) -> dict[str, Json]:
    """Ids and logprobs of a whole reply; empty if they are not there, or not one for each token that was counted."""
    if not isinstance(info, Mapping):
        return {}
    fields: dict[str, Json] = {}
    written = _triples(info.get(WRITTEN), info.get("completion_tokens"))
    if written:
        fields = {"token_ids": [t[1] for t in written], "logprobs": [t[0] for t in written]}
    read = _triples(info.get(READ), info.get("prompt_tokens"))
    if read and "prompt_tokens" in info:  # a server may send the end of the prompt only
        fields["prompt_token_ids"] = [t[1] for t in read]
    return fields


def join_infos(infos: Sequence[Mapping[str, Any]], usage: object) -> dict[str, Any] | None:
    """The `meta_info` of a stream's parts as that of a whole reply; None if which tokens were written is not certain."""
    lists = [info[WRITTEN] for info in infos if isinstance(info.get(WRITTEN), list)]
    lists = [part for part in lists if part]
    if not lists:
        return None
    whole: dict[str, Any] = {}
    for info in infos:
        whole |= info
    count = whole.get("completion_tokens")
    if count is None and isinstance(usage, Mapping):
        count = usage.get("completion_tokens")
    if count is None and len(lists) == 1:
        return whole | {WRITTEN: lists[0]}
    for found in (lists[-1], [triple for part in lists for triple in part]):
        if len(found) == count:
            return whole | {WRITTEN: found}
    return None


def _triples(found: object, count: object) -> list[list[Any]]:
    if not isinstance(found, list) or count not in (None, len(found)):
        return []
    if not all(isinstance(t, list) and len(t) > 1 and type(t[1]) is int for t in found):
        return []
    return found
