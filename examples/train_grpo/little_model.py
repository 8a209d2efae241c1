"""A model with its tokenizer: a published one, or a decoder from nothing, for which nothing is downloaded.

In: the name or folder of a model, or the `sft` export. Out: a published model as it is, else a tokenizer (byte-level BPE, one token per digit, so that ids can be copied) with a chat
template, and a Llama of a few million parameters. The template leaves out the system message and the tool definitions:
they are the same in every conversation of this app, so a model that only ever serves it has no need to read them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import TemplateError
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from environments.rollout.torch_policy import load_model, templated
from environments.runtime.task.attempt import Json
from examples.train_grpo.plan import ModelSize

END: Final = "<|end|>"
PAD: Final = "<|pad|>"
ROLES: Final = ("<|user|>", "<|assistant|>", "<|tool|>")
MARKS: Final = ("<tool_call>", "</tool_call>")
TEMPLATE: Final = (
    "{%- for message in messages -%}"
    "{%- if message['role'] in ('user', 'assistant', 'tool') -%}"
    "{{- '<|' + message['role'] + '|>' + (message['content'] or '') -}}"
    "{%- for call in message['tool_calls'] or [] -%}"
    "{{- '<tool_call>{\"name\": ' + call['function']['name'] | tojson -}}"
    "{{- ', \"arguments\": ' + call['function']['arguments'] | tojson + '}</tool_call>' -}}"
    "{%- endfor -%}"
    "{{- '<|end|>' -}}"
    "{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}"
)

Message = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Learner:
    """A model with its tokenizer."""

    model: LlamaForCausalLM
    tokenizer: PreTrainedTokenizerFast

    @property
    def pad(self) -> int:
        """The token that fills batches."""
        return int(self.tokenizer.pad_token_id)

    def keep(self, folder: Path) -> None:
        """Write both; `tracegym rollout TASKSET --policy torch:FOLDER` plays it."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def load_learner(model: str, *, device: str) -> Learner:
    """A published model, by name or folder, with a chat template of its own."""
    weights, tokenizer = load_model(model, device=device, local=False)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return Learner(weights, tokenizer)


def make_learner(
    conversations: Sequence[Sequence[Message]], size: ModelSize, *, device: str
) -> Learner:
    """A tokenizer made from the conversations, and a model that knows nothing yet."""
    tokenizer = make_tokenizer(conversations, size.vocabulary)
    return Learner(make_model(size, tokenizer).to(device), tokenizer)


def make_tokenizer(
    conversations: Sequence[Sequence[Message]], vocabulary: int
) -> PreTrainedTokenizerFast:
    """A tokenizer whose words are those of the conversations."""
    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    plain.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PAD, END, *ROLES],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    plain.train_from_iterator(_texts(conversations), trainer)
    plain.add_tokens([AddedToken(mark, special=False, normalized=False) for mark in MARKS])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain,
        pad_token=PAD,
        eos_token=END,
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def make_model(size: ModelSize, tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """A model that knows nothing yet."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.width,
        intermediate_size=8 * size.width // 3 // 64 * 64 or 64,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        max_position_embeddings=size.context,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return LlamaForCausalLM(config)


def pieces(
    tokenizer: PreTrainedTokenizerFast, messages: Sequence[Message], tools: Sequence[Json] = ()
) -> Iterator[tuple[list[int], bool]]:
    """The tokens of a conversation, part by part, and whether the model itself is to write them.

    Raises:
        ValueError: the template writes earlier messages anew as the conversation goes on, so no part of it stays.
    """

    def rendered(count: int, *, prompt: bool = False) -> str:
        if not count and not prompt:
            return ""
        shown = [templated(message) for message in messages[:count]]
        try:
            return str(
                tokenizer.apply_chat_template(
                    shown, tools=list(tools) or None, add_generation_prompt=prompt, tokenize=False
                )
            )
        except TemplateError as fault:
            raise ValueError("the template refuses the conversation") from fault

    before = ""
    for at, message in enumerate(messages):
        own = message["role"] == "assistant"
        if not own and at + 1 < len(messages) and messages[at + 1]["role"] != "assistant":
            continue
        whole = rendered(at + 1)
        start = rendered(at, prompt=True) if own else whole
        if not (whole.startswith(start) and start.startswith(before)):
            raise ValueError("the template writes earlier messages anew")
        for text, mine in ((start[len(before) :], False), (whole[len(start) :], True)):
            ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
            yield ids, mine
        before = whole


def _texts(conversations: Sequence[Sequence[Message]]) -> Iterator[str]:
    for messages in conversations:
        for message in messages:
            if message["role"] == "system":
                continue
            yield str(message.get("content") or "")
            for call in templated(message).get("tool_calls") or ():
                yield str(call["function"]["arguments"])
