"""Names in prose by a transformers or a GLiNER model from a folder: tiny ones, trained here (skipped where the packages are missing)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.recognizers.presidio_engine import NamesEngine, people_finder
from tests.unit.raw_conversations import SECRET, profile_episode, says

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

pytestmark = pytest.mark.filterwarnings(
    "ignore:.torch.jit.script. is deprecated:FutureWarning"
)  # transformers' own

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAMES = (("zebulkar", "quimbrath"), ("ondrilla", "maskoveth"), ("pirrum", "tolvane"))
"""None is in any list, and nothing introduces them."""
SAID = "the parcel went to zebulkar quimbrath by mistake"
LABELS = ("O", "B-PER", "I-PER")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def sentences() -> Iterator[tuple[Sequence[str], list[str]]]:
    """Words and their labels."""
    for first, last in NAMES:
        words = f"the parcel went to {first} {last} by mistake".split()
        yield words, ["O", "O", "O", "O", "B-PER", "I-PER", "O", "O"]
    yield ["the", "parcel", "went", "to", "the", "depot"], ["O"] * 6


def tokenizer(folder: Path) -> transformers.BertTokenizerFast:  # type: ignore[name-defined]
    """WordPiece over the few words there are."""
    words = sorted({word for words, _ in sentences() for word in words} | {"person", "name"})
    file = folder / "vocab.txt"
    file.write_text("\n".join((*SPECIAL, *words)))
    return transformers.BertTokenizerFast(vocab=str(file))


@pytest.fixture(scope="module")
def token_classifier(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of one layer that labels the words of these sentences."""
    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(1)
    words = tokenizer(folder)
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64, num_labels=len(LABELS), id2label=dict(enumerate(LABELS)),
        label2id={label: at for at, label in enumerate(LABELS)}, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    model = transformers.BertForTokenClassification(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(40):
        for text, labels in sentences():
            inputs = words(" ".join(text), return_tensors="pt")
            wanted = torch.tensor([[0, *(LABELS.index(label) for label in labels), 0]])
            loss = model(**inputs, labels=wanted).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval().save_pretrained(folder)
    words.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def span_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A GLiNER over a BERT of one layer, trained on the same sentences."""
    gliner = pytest.importorskip("gliner")
    backbone, folder = tmp_path_factory.mktemp("backbone"), tmp_path_factory.mktemp("gliner")
    torch.manual_seed(1)
    words = tokenizer(backbone)
    transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    ).save_pretrained(backbone)  # fmt: skip
    words.save_pretrained(backbone)
    config = gliner.GLiNERConfig(
        model_name=str(backbone), hidden_size=32, max_width=4, dropout=0.0, max_len=32
    )
    model = gliner.GLiNER.from_config(config, backbone_from_pretrained=False)
    examples = [
        {
            "tokenized_text": text,
            "ner": [[labels.index("B-PER"), labels.index("I-PER"), "person"]]
            if "B-PER" in labels
            else [],
            "ner_labels": ["person", "name"],
        }
        for text, labels in sentences()
    ]
    collate = model.data_collator_class(
        model.config, data_processor=model.data_processor, prepare_labels=True
    )
    batch = collate(examples)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for _ in range(150):
        loss = model(**batch).loss
        if loss.item() < 0.01:
            break
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval().save_pretrained(folder)
    return str(folder)


def check(engine: NamesEngine) -> None:
    """The engine's people are removed from prose like any other name, and nothing else is."""
    assert list(people_finder(engine)(SAID)) == ["zebulkar quimbrath"]
    assert list(people_finder(engine)("the parcel went to the depot")) == []
    policy = Policy(names=engine)
    raw = profile_episode(says("user", SAID))
    result = next(
        scrub([raw], learnt=learn([raw], (), policy=policy), vault=Vault(None, SECRET), policy=policy)
    )  # fmt: skip
    text = "\n".join(step.content or "" for step in result.clean.steps)
    assert "zebulkar" not in text
    assert "quimbrath" not in text
    assert "the parcel went to" in text


def test_a_transformers_model_finds_people(token_classifier: str) -> None:
    """`[names] engine = "transformers"` with a token classifier in a folder."""
    check(NamesEngine(engine="transformers", model=token_classifier, threshold=0.5))


def test_a_gliner_model_finds_people(span_model: str) -> None:
    """`[names] engine = "gliner"` with a span model in a folder."""
    check(NamesEngine(engine="gliner", model=span_model, threshold=0.5))
