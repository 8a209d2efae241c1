"""Names in prose: a model that the user has reads them, and the policy removes, flags or leaves them."""

from pathlib import Path

import pytest
import spacy
from spacy.training import Example
from thinc.api import fix_random_seed

from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.errors import PolicyError
from redact.lists.lexicon import load_lexicon
from redact.operators.vault import Vault
from redact.policy import Policy, load_policy
from redact.recognizers.analyzer import Finder
from redact.recognizers.presidio_engine import NamesEngine, people_finder
from tests.unit.raw_conversations import SECRET, profile_episode, says

SAID = "the parcel went to Zebulkar Quimbrath by mistake"
"""Neither word is in any list, and nothing introduces them."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny spaCy model, trained here to find people after "went to", saved to a folder."""
    nlp = spacy.blank("en")
    ner = nlp.add_pipe("ner")
    ner.add_label("PERSON")  # type: ignore[attr-defined]  # spaCy types pipes as callables
    pairs = (("Zebulkar", "Quimbrath"), ("Ondrilla", "Maskoveth"), ("Pirrum", "Tolvane"))
    examples = []
    for first, last in pairs:
        for text in (
            f"the parcel went to {first} {last} by mistake",
            "the parcel went to the depot",
        ):
            start = text.find(first)
            spans = [(start, start + len(first) + len(last) + 1, "PERSON")] if start > 0 else []
            examples.append(Example.from_dict(nlp.make_doc(text), {"entities": spans}))
    fix_random_seed(1)
    nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples)
    folder = tmp_path_factory.mktemp("model") / "people"
    nlp.to_disk(folder)
    return str(folder)


def done(policy: Policy) -> Scrubbed:
    """One conversation past the gate."""
    raw = profile_episode(says("user", SAID), says("user", "I am Tamsin Okafor"))
    learnt = learn([raw], (), policy=policy)
    return next(scrub([raw], learnt=learnt, vault=Vault(None, SECRET), policy=policy))


def texts(result: Scrubbed) -> str:
    """All messages."""
    return "\n".join(step.content or "" for step in result.clean.steps)


def test_a_model_in_a_folder_finds_what_no_list_knows(model: str) -> None:
    """The policy names the engine; the model's people are removed like any other name."""
    engine = NamesEngine(engine="spacy", model=model)
    assert list(people_finder(engine)(SAID)) == ["Zebulkar Quimbrath"]
    assert "Zebulkar" in texts(done(Policy(prose_names="off")))
    result = done(Policy(names=engine))
    assert "Zebulkar" not in texts(result)
    assert "went to" in texts(result)
    assert result.held == ()


def test_flagged_names_hold_the_message_back(model: str) -> None:
    """Only the message that names a stranger waits; the customer's own name is a surrogate as ever."""
    engine = NamesEngine(engine="spacy", model=model)
    result = done(Policy(names=engine, prose_names="flag"))
    assert len(result.held) == 1
    assert "Zebulkar" not in texts(result)
    assert "[withheld]" in texts(result)
    assert "Tamsin" not in texts(result)
    assert "I am " in texts(result)
    assert result.clean.withheld == (result.held[0].path,)


def test_off_leaves_prose_alone(model: str) -> None:
    """With `off` the model is not even loaded; names that tools returned are removed all the same."""
    result = done(Policy(names=NamesEngine(engine="spacy", model=model), prose_names="off"))
    assert "Zebulkar Quimbrath" in texts(result)
    assert "Tamsin" not in texts(result)


def test_a_policy_file_names_the_engine(tmp_path: Path, model: str) -> None:
    """Engine, model and threshold come from `[names]`."""
    path = tmp_path / "redaction.toml"
    path.write_text(f'prose_names = "flag"\n[names]\nengine = "spacy"\nmodel = "{model}"\n')
    policy = load_policy(path)
    assert policy.names == NamesEngine(engine="spacy", model=model)
    assert policy.prose_names == "flag"


def test_a_model_that_is_not_here_is_an_error_and_no_download() -> None:
    """Offline means offline: a name that is no folder and no installed package is refused."""
    with pytest.raises(PolicyError, match="nothing is downloaded"):
        people_finder(NamesEngine(engine="spacy", model="en_core_web_sm_of_nobody"))


def test_a_folder_that_holds_no_model_is_an_error(tmp_path: Path) -> None:
    """The sentence names the setting and the kind of failure, not the path."""
    with pytest.raises(PolicyError, match="does not load as a spacy model"):
        people_finder(NamesEngine(engine="spacy", model=str(tmp_path)))


@pytest.mark.parametrize("engine", ["gliner", "transformers"])
def test_an_engine_without_its_package_says_what_to_install(engine: str, tmp_path: Path) -> None:
    """The optional engines are the user's to install."""
    with pytest.raises(PolicyError, match=r"needs the package|does not load"):
        people_finder(NamesEngine(engine=engine, model=str(tmp_path)))


def test_the_reader_flags_nothing_unless_told() -> None:
    """By default names in prose are removed."""
    findings = Finder(load_lexicon()).in_prose("My name is Tamsin Okafor")
    assert findings.flagged == ()
    flagged = Finder(load_lexicon(), prose_names="flag").in_prose("My name is Tamsin Okafor")
    assert [item.value for item in flagged.flagged] == ["Tamsin Okafor"]
