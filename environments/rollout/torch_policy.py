"""A policy that is a transformers model in this process: many runs at once become one batch on a GPU or the CPU.

In: conversations, from as many runs as the engine keeps in flight. Out: assistant messages with the token ids that the
model wrote and their logprobs, as a trainer needs them. What the model writes is read as `runtime.play.tool_text` reads it
(`<tool_call>` blocks, as Qwen and Hermes templates have them). Sampling draws one number per run and token from the
run's own seed, so a run does not hang on which others shared its batch (up to the hardware's rounding).
The only file that imports torch and transformers; both are the extra `train`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, Self

import torch  # pyright: ignore[reportMissingImports]  # the extra `train`
from transformers import (  # pyright: ignore[reportMissingImports]
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from environments.rollout.errors import RolloutError
from environments.rollout.policy import Message, Run, Turn, Usage
from environments.runtime.play.message import requests_of
from environments.runtime.play.play import inward, outward
from environments.runtime.play.tool_names import ToolNames
from environments.runtime.play.tool_text import message_of
from environments.runtime.task.attempt import Json
from environments.runtime.values.canonical import digest
from environments.runtime.values.json_text import json_or_none

SETTLE_ROUNDS: Final = 3
"""Rounds of the event loop without a new request after which a batch starts: runs answer within one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchSettings:
    """How a local model writes."""

    name: str = ""
    """The policy's name in rollouts; the model's folder if left out."""
    device: str = ""
    """Such as `cuda:1`; empty takes the GPU where there is one."""
    temperature: float = 1.0
    """0 always takes the likeliest token."""
    max_new_tokens: int = 512
    batch: int = 64
    """Conversations in one call of the model."""
    patience: float = 0.0
    """Seconds to wait for others before a batch: for callers in threads, whose requests trickle in."""
    salt: int = 0
    """Added to every run's seed: the same runs once more, otherwise drawn."""


class _Prompt(NamedTuple):
    ids: list[int]
    seed: str
    answer: asyncio.Future[_SampledTokens]


class _SampledTokens(NamedTuple):
    prompt: list[int]
    ids: list[int]
    logprobs: list[float]


def load_model(named: str | Path, *, device: str, local: bool) -> tuple[Any, Any]:
    """A model that was made for chats, and its tokenizer; `local`: nothing is downloaded. Without a device the GPU is taken where there is one.

    Raises:
        RolloutError: it cannot be loaded, or has no chat template.
    """
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(named, local_files_only=local)
        model: Any = AutoModelForCausalLM.from_pretrained(named, local_files_only=local)
    except (OSError, ValueError) as fault:
        raise RolloutError(
            f"{named} cannot be loaded; name a folder or a model that transformers knows: {fault}"
        ) from fault
    if not tokenizer.chat_template:
        raise RolloutError(f"{named} has no chat template; name a model that was made for chats")
    return model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")), tokenizer


class TorchPolicy:
    """A model in this process; an asynchronous context, because it holds a thread."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        settings: TorchSettings | None = None,
    ) -> None:
        self._settings = settings or TorchSettings()
        self._tokenizer = tokenizer
        self._writer = _Writer(model, tokenizer, self._settings)
        self._waiting: list[_Prompt] = []
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="torch-policy")
        self._pump: asyncio.Task[None] | None = None

    @classmethod
    def load(cls, folder: Path, settings: TorchSettings) -> TorchPolicy:
        """From a folder that `save_pretrained` wrote; nothing is downloaded."""
        if not (folder / "config.json").is_file():
            raise RolloutError(f"{folder} holds no model: config.json is missing there")
        model, tokenizer = load_model(folder, device=settings.device, local=True)
        return cls(model, tokenizer, replace(settings, name=settings.name or folder.name))

    @property
    def name(self) -> str:
        """The policy's name in rollouts."""
        return self._settings.name or "torch"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """The model's next message, written in one batch with those of other runs."""
        names = ToolNames(tools)
        ids = self._encode(messages, names)
        seed = digest([self._settings.salt, run.task_id, run.seed, run.acted])
        loop = asyncio.get_running_loop()
        prompt = _Prompt(ids, seed, loop.create_future())
        self._waiting.append(prompt)
        if self._pump is None or self._pump.done():
            self._pump = loop.create_task(self._write())
        return self._turn(await prompt.answer, names)

    async def _write(self) -> None:
        """Batches until nobody waits; one at a time, because they share the device."""
        loop = asyncio.get_running_loop()
        while self._waiting:
            await self._wait_until_settled()
            # Alike lengths together: padding is work for nothing.
            self._waiting.sort(key=lambda prompt: len(prompt.ids))
            batch = self._waiting[: self._settings.batch]
            del self._waiting[: self._settings.batch]
            try:
                written = await loop.run_in_executor(self._thread, self._writer.write, batch)
            except (RuntimeError, ValueError, IndexError) as fault:
                _fail(batch, fault)
                continue
            for prompt, text in zip(batch, written, strict=True):
                if not prompt.answer.done():
                    prompt.answer.set_result(text)

    async def _wait_until_settled(self) -> None:
        """Wait until the runs that the last batch woke have asked again."""
        quiet, seen = 0, len(self._waiting)
        while quiet < SETTLE_ROUNDS and seen < self._settings.batch:
            await asyncio.sleep(self._settings.patience)
            quiet = quiet + 1 if len(self._waiting) == seen else 0
            seen = len(self._waiting)

    def _encode(self, messages: Sequence[Message], names: ToolNames) -> list[int]:
        text = self._tokenizer.apply_chat_template(
            [templated(outward(message, names)) for message in messages],
            tools=list(names.tools) or None,
            add_generation_prompt=True,
            tokenize=False,
        )
        ids: list[int] = self._tokenizer(str(text), add_special_tokens=False)["input_ids"]
        return ids

    def _turn(self, written: _SampledTokens, names: ToolNames) -> Turn:
        text = self._tokenizer.decode(written.ids, skip_special_tokens=True)
        return Turn(
            message=inward(message_of(str(text)), names),
            usage=Usage(prompt_tokens=len(written.prompt), completion_tokens=len(written.ids)),
            tokens={
                "prompt_token_ids": list(written.prompt),
                "token_ids": list(written.ids),
                "logprobs": {"content": [{"logprob": value} for value in written.logprobs]},
            },
        )


class _Writer:
    """The blocking half: pads, generates, cuts."""

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, settings: TorchSettings
    ) -> None:
        self._model = model
        self._settings = settings
        ends = getattr(model.generation_config, "eos_token_id", None)
        ends = ends if isinstance(ends, list) else [ends, tokenizer.eos_token_id]
        self._ends = sorted({int(end) for end in ends if end is not None})
        pad = tokenizer.pad_token_id
        self._pad = int(pad) if isinstance(pad, int) else (self._ends or [0])[0]
        self._room = int(getattr(model.config, "max_position_embeddings", 0) or 1 << 30)

    def write(self, batch: Sequence[_Prompt]) -> list[_SampledTokens]:
        """One text per prompt; a prompt that fills the model's context gets an empty one."""
        texts: dict[int, _SampledTokens] = {}
        for together in self._of_equal_room(batch):
            texts |= dict(zip(map(id, together), self._generate(together), strict=True))
        return [texts.get(id(prompt), _SampledTokens(prompt.ids, [], [])) for prompt in batch]

    def _of_equal_room(self, batch: Sequence[_Prompt]) -> Iterator[list[_Prompt]]:
        """Prompts that may be continued equally far: near the end of the context each alone, lest the longest cuts all."""
        ample = self._room - self._settings.max_new_tokens
        if roomy := [prompt for prompt in batch if len(prompt.ids) <= ample]:
            yield roomy
        yield from ([prompt] for prompt in batch if ample < len(prompt.ids) < self._room)

    def _generate(self, batch: Sequence[_Prompt]) -> list[_SampledTokens]:
        longest = max(len(prompt.ids) for prompt in batch)
        rows = [[self._pad] * (longest - len(p.ids)) + p.ids for p in batch]
        mask = [[0] * (longest - len(p.ids)) + [1] * len(p.ids) for p in batch]
        draw = _Draw([prompt.seed for prompt in batch], self._settings.temperature)
        device = self._model.device
        generate: Any = self._model.generate
        was_training = self._model.training
        self._model.eval()
        with torch.inference_mode():
            out: torch.Tensor = generate(
                input_ids=torch.tensor(rows, device=device),
                attention_mask=torch.tensor(mask, device=device),
                generation_config=GenerationConfig(
                    max_new_tokens=min(self._settings.max_new_tokens, self._room - longest),
                    do_sample=False,  # the processor has drawn already
                    eos_token_id=self._ends or None,
                    pad_token_id=self._pad,
                ),
                logits_processor=LogitsProcessorList([draw]),
            )
        self._model.train(was_training)
        kept = (self._until_end(ids) for ids in out[:, longest:].tolist())
        logprobs = torch.stack(draw.logprobs, dim=1).tolist()
        return [
            _SampledTokens(prompt.ids, ids, scores[: len(ids)])
            for prompt, ids, scores in zip(batch, kept, logprobs, strict=True)
        ]

    def _until_end(self, ids: list[int]) -> list[int]:
        """With the end token, which the model chose too; without the padding after it."""
        stop = next((at for at, token in enumerate(ids) if token in self._ends), len(ids) - 1)
        return ids[: stop + 1]


class _Draw(LogitsProcessor):  # type: ignore[misc]  # without stubs it is of any type
    """Chooses each row's next token by the row's own dice, and remembers how likely it was."""

    def __init__(self, seeds: Sequence[str], temperature: float) -> None:
        self._dice = [Random(seed) for seed in seeds]  # noqa: S311 - sampling keeps no secret
        self._temperature = temperature
        self.logprobs: list[torch.Tensor] = []

    def __call__(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Minus infinity for all but the chosen tokens."""
        scores = scores.float()
        logprobs = torch.log_softmax(scores / (self._temperature or 1.0), dim=-1)
        chosen = (
            self._draw_tokens(logprobs) if self._temperature else logprobs.argmax(-1, keepdim=True)
        )
        self.logprobs.append(logprobs.gather(1, chosen)[:, 0])
        return torch.full_like(scores, float("-inf")).scatter_(1, chosen, 0.0)

    def _draw_tokens(self, logprobs: torch.Tensor) -> torch.Tensor:
        """Where the cumulative distribution passes a number that the row drew."""
        drawn = torch.tensor([[dice.random()] for dice in self._dice], dtype=torch.float64)
        cumulative = logprobs.double().exp().cumsum(-1)
        target = drawn.to(logprobs.device) * cumulative[:, -1:]
        found = torch.searchsorted(cumulative, target, right=True)
        return found.clamp_(max=logprobs.shape[1] - 1)


def _fail(batch: Sequence[_Prompt], fault: Exception) -> None:
    """Whoever waits hears of it; the model's own message may quote nothing of the conversation."""
    for prompt in batch:
        if not prompt.answer.done():
            prompt.answer.set_exception(
                RolloutError(f"the local model failed ({type(fault).__name__}): {fault}")
            )


def templated(message: Message) -> dict[str, Any]:
    """A message as chat templates take it: contents are text, arguments are objects."""
    plain = {key: value for key, value in message.items() if key != "tool_calls"}
    plain["content"] = plain.get("content") or ""
    if not message.get("tool_calls"):
        return plain
    calls = [
        {
            "type": "function",
            "function": {"name": request.name, "arguments": _arguments(request.text)},
        }
        for request in requests_of(message, first=0)
    ]
    return {**plain, "tool_calls": calls}


def _arguments(text: str) -> Mapping[str, Json]:
    """What is no object stays in the conversation as what it was."""
    value = json_or_none(text or "{}")
    return value if isinstance(value, dict) else {"invalid": text}
