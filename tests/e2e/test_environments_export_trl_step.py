"""One training step of TRL's own GRPOTrainer on the export: its prompts, loop of tools, rewards, advantages, loss and optimizer.

The decoder and its tokenizer are made here; nothing is downloaded. Random weights call no tool, so `generate` alone is scripted:
of three runs of a task one does what was recorded, one gives up, and one asks for what the world does not know.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tests.consumer_replay import install, write_replays
from tests.consumer_venv import make_venv, sh

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(1800)]
PACKAGES = ("trl>=1.16,<2", "transformers>=5.2", "torch>=2.8", "jinja2", "jmespath", "hatchling")
CANNOT_BE_JUDGED = "task4"
STEP = r"""
import json, re, sys
import torch
from datasets import load_dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template
from desk_tasks import ENVIRONMENTS, reward

END, PAD, TURN, RUNS = "<|im_end|>", "<|pad|>", "<|im_start|>assistant\n", 3
MARKS = ["<|im_start|>", END, PAD, "<tool_call>", "</tool_call>", "<think>", "</think>"]

def make_tokenizer():
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    plain = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    plain.decoder = decoders.ByteLevel()
    plain.add_tokens(MARKS)
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, eos_token=END, pad_token=PAD, chat_template=qwen3_chat_template
    )

def call(name, **arguments):
    return "<tool_call>\n" + json.dumps({"name": name, "arguments": arguments}) + "\n</tool_call>"

def words(text, run):
    # Which order it is stands in what the tool answered: a loop that loses answers earns nothing.
    turn, order = text.count(TURN) - 1, (re.findall(r"It is (o\d)", text) or [None])[-1]
    if turn == 0:
        ask, politely = (call("talk_to_user", message="Which order is it?" + end) for end in ("", " Please."))
        return (ask, "Goodbye.", politely)[run]
    if order is None or turn > 3:
        return "Goodbye."
    done = call("talk_to_user", message="It is cancelled. Anything else?")
    cancelled = call(cancel, order_id=order)
    if "Please." in text:
        cancelled += "\n" + call(cancel, order_id="never seen")
    return (call("shop_orders_get", order_id=order), cancelled, done)[turn - 1]

class Scripted(Qwen3ForCausalLM):
    def generate(self, input_ids, **_):
        texts = tokenizer.batch_decode(input_ids)
        made = [tokenizer(words(text, row % RUNS) + END)["input_ids"] for row, text in enumerate(texts)]
        width = max(map(len, made))
        made = [ids + [tokenizer.pad_token_id] * (width - len(ids)) for ids in made]
        return torch.cat([input_ids, torch.tensor(made, device=input_ids.device)], dim=1)

def noted(task_id, completions, **columns):
    noted.task_id, noted.paid = task_id, reward(task_id=task_id, completions=completions, **columns)
    return noted.paid

(cancel,) = {n for e in ENVIRONMENTS.values() for n in vars(e) if n.startswith("reset_")}
rows = load_dataset("parquet", data_files=sys.argv[1], split="train", cache_dir="cache")
tokenizer = make_tokenizer()
torch.manual_seed(0)
model = Scripted(Qwen3Config(
    vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=1,
    num_attention_heads=2, num_key_value_heads=2, head_dim=16, max_position_embeddings=16384,
    eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, bos_token_id=None,
))
before = [part.detach().clone() for part in model.parameters()]
trainer = GRPOTrainer(
    model=model, processing_class=tokenizer, reward_funcs=[noted], environment_factory=ENVIRONMENTS,
    train_dataset=rows,
    args=GRPOConfig(
        output_dir="trained", max_steps=1, num_generations=RUNS, per_device_train_batch_size=RUNS * len(rows),
        max_completion_length=2048, learning_rate=1e-3, use_cpu=True, bf16=False, report_to=[],
        save_strategy="no", logging_steps=1,
    ),
)
loss = trainer.train().training_loss
changed = [not torch.equal(old, new.cpu()) for old, new in zip(before, model.parameters())]
logged = next(line for line in trainer.state.log_history if "reward" in line)
print(json.dumps({
    "task_id": noted.task_id, "paid": noted.paid, "advantages": list(trainer._logs["advantages"]),
    "loss": loss, "changed": changed, "reward": logged["reward"],
    "failed": logged["tools/failure_frequency"],
}))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with TRL and torch: its `bin`."""
    try:
        return make_venv("trl-torch", PACKAGES, tmp_path_factory.mktemp("c"))
    except AssertionError:
        pytest.skip("torch cannot be installed here")


def test_a_step_learns_from_what_the_export_pays(consumer: Path, tmp_path: Path) -> None:
    """Solutions earn 1 and giving up 0; a solution beside a call that may have changed more has no part in the step; the weights change by a finite loss."""
    write_replays("trl", tmp_path)
    install(consumer, tmp_path)
    output = sh(
        consumer / "python", "-c", STEP, tmp_path / "out" / "train.parquet",
        cwd=tmp_path, TRL_EXPERIMENTAL_SILENCE="1",
    )  # fmt: skip
    step = json.loads(output.splitlines()[-1])
    runs = list(zip(step["task_id"], step["paid"], step["advantages"], strict=True))
    assert {task for task, _, _ in runs} == {"task1", "task3", CANNOT_BE_JUDGED}
    for start in range(0, len(runs), 3):
        group = runs[start : start + 3]
        judged = group[0][0] != CANNOT_BE_JUDGED
        assert [paid for _, paid, _ in group] == [1.0 if judged else None, 0.0, None]
        solved, given_up, unknown = (advantage for _, _, advantage in group)
        # Giving up fails for sure, also where nobody can judge what was done.
        # A null that counted as 0 would be held against the run, and move the others apart.
        assert unknown == 0
        assert solved == -given_up
        assert (solved > 0) == judged
    assert step["reward"] == pytest.approx(0.4)
    assert step["failed"] == 0
    assert math.isfinite(step["loss"])
    assert all(step["changed"])
