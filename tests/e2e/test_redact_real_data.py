"""Redaction on real conversations: nothing leaks, calls still match their results, catalogues stay."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.redaction.recordings import commutation, read, recall, texts_of_all
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.leak_hits import leaks_in


def real_logs() -> Iterator[Path]:
    """The chat logs of the real data, none without it."""
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    for names in ("tau/*.jsonl", "collections/*.chat.jsonl", "backends/*/train.jsonl"):
        yield from sorted(Path(folder).glob(names)) if folder else ()


@pytest.mark.skipif(
    not os.environ.get("TRACEGYM_REAL_DATA"),
    reason="TRACEGYM_REAL_DATA does not name the folder with real conversations",
)
def test_real_conversations_pass_the_gate_whole() -> None:
    """Recall of at least 99.9 %, no direct identifier left, no two calls become one, 2 % of one call's records differ at most."""
    paths = list(real_logs())
    assert paths
    for path in paths:
        episodes = read(path)
        policy = Policy()
        learnt = learn(episodes, (), policy=policy)
        vault = Vault(None, b"a secret for tests only, 32 bytes")
        done = list(scrub(episodes, learnt=learnt, vault=vault, policy=policy))
        clean = [item.clean for item in done]
        counts = recall(episodes, clean)
        assert sum(counts.leaked.values()) <= 0.001 * sum(counts.entities.values())
        assert counts.direct_episodes == 0
        assert sum(bool(item.held) for item in done) <= 0.04 * len(done)
        texts = [(str(number), text) for number, text in enumerate(texts_of_all(clean))]
        assert leaks_in(texts, learnt=learnt) == []
        pairs = commutation(episodes, clean)
        assert pairs.merged == 0
        assert pairs.split <= 0.02 * pairs.calls
