"""The vault and the policy: sealed at rest, honest about wrong secrets and wrong files."""

import stat
from pathlib import Path

import pytest

from redact.apply.learn import learn
from redact.errors import PolicyError, VaultError
from redact.evidence.app_values import Learnt, merge
from redact.operators.vault import Vault, secret_from_file
from redact.policy import Policy, load_policy
from tests.unit.raw_conversations import SECRET, profile_episode, says


def test_a_saved_vault_opens_again_and_gives_the_same_surrogates(tmp_path: Path) -> None:
    """What was given is remembered, encrypted, for the owner only."""
    path = tmp_path / "vault"
    vault = Vault(path, SECRET)
    moved = vault.surrogate("app", "full_name", "Anna Berg")
    vault.save()
    assert b"anna" not in path.read_bytes().lower()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Vault(path, SECRET)
    assert again.surrogate("app", "full_name", "Anna Berg") == moved
    assert again.original("app", "full_name", moved) == "anna berg"
    assert again.original("app", "full_name", "Nobody Here") is None


def test_the_wrong_secret_does_not_open_it(tmp_path: Path) -> None:
    """One clear sentence, no data."""
    vault = Vault(tmp_path / "vault", SECRET)
    vault.save()
    with pytest.raises(VaultError, match="does not open with this secret"):
        Vault(tmp_path / "vault", b"another secret of 32 bytes......")


def test_a_damaged_vault_is_refused(tmp_path: Path) -> None:
    """Garbage is not an empty vault."""
    (tmp_path / "vault").write_bytes(b"garbage")
    with pytest.raises(VaultError):
        Vault(tmp_path / "vault", SECRET)


def test_a_short_secret_is_refused() -> None:
    """A guessable secret protects nobody."""
    with pytest.raises(VaultError, match="at least 16"):
        Vault(None, b"short")


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    """A vault saved by another command meanwhile is merged, not overwritten."""
    one, two = Vault(tmp_path / "v", SECRET), Vault(tmp_path / "v", SECRET)
    first = one.surrogate("app", "phone", "415-555-2671")
    second = two.surrogate("app", "phone", "415-555-2672")
    one.save()
    two.save()
    again = Vault(tmp_path / "v", SECRET)
    assert again.original("app", "phone", first) == "4155552671"
    assert again.original("app", "phone", second) == "4155552672"


def test_values_that_would_meet_get_different_surrogates() -> None:
    """Numbers of the North American plan share eight million surrogates; none is given twice."""
    vault = Vault(None, SECRET)
    given = {
        vault.surrogate("app", "phone", f"415-{200 + number // 10_000}-{number % 10_000:04d}")
        for number in range(12_000)
    }
    assert len(given) == 12_000


def test_a_secret_file_is_made_once(tmp_path: Path) -> None:
    """The generated secret is private and stays."""
    path = tmp_path / "vault" / "secret"
    secret = secret_from_file(path)
    assert len(secret) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret_from_file(path) == secret
    path.write_bytes(b"x")
    with pytest.raises(VaultError, match="too short"):
        secret_from_file(path)


def test_what_was_learnt_goes_to_bytes_and_back() -> None:
    """The sealed record is equal, and other bytes are refused."""
    learnt = learn([profile_episode(says("user", "I am Tamsin"))], (), policy=Policy())
    assert Learnt.from_bytes(learnt.to_bytes()) == learnt
    with pytest.raises(VaultError):
        Learnt.from_bytes(b"garbage")


def test_merging_days_is_learning_them_together() -> None:
    """Evidence merges in any order to what one pass would have learnt."""
    days = [profile_episode(conversation=name) for name in ("a", "b", "c")]
    parts = [learn([day], (), policy=Policy()) for day in days]
    whole = learn(days, (), policy=Policy())
    assert merge(*parts) == merge(*reversed(parts)) == whole


def test_a_policy_file_is_read(tmp_path: Path) -> None:
    """Every setting has its place."""
    path = tmp_path / "redaction.toml"
    path.write_text(
        '# ours\nk = 7\nprose_names = "off"\nunknown = "keep"\npublic_values = ["Brown"]\n'
        '[keys]\nmember_no = "person_id"\nnotes = "public"\n'
    )
    policy = load_policy(path)
    assert (policy.k, policy.prose_names, policy.unknown) == (7, "off", "keep")
    assert dict(policy.keys) == {"member_no": "person_id", "notes": "public"}
    assert policy.public_values == {"brown"}
    assert load_policy(tmp_path / "missing.toml") == Policy()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("k = ", "not valid TOML"),
        ("colour = 1", "`colour` is not a setting"),
        ("k = 1", "at least 2"),
        ("enabled = 1", "true or false"),
        ('[keys]\nx = "shoe_size"', "names no kind"),
        ("keys = 3", "must be a table"),
        ('prose_names = "eat"', "must be one of"),
        ('[names]\nengine = "spacy"', "takes `engine` and `model`"),
        ('[names]\nengine = "guess"\nmodel = "m"', "must be one of gliner, spacy, transformers"),
        ('[names]\nengine = "spacy"\nmodel = "m"\nthreshold = 2', "from 0 to 1"),
        ("public_values = [1]", "list of strings"),
    ],
)
def test_a_wrong_policy_is_one_clear_sentence(tmp_path: Path, text: str, said: str) -> None:
    """What is wrong, where, and what to write instead."""
    path = tmp_path / "redaction.toml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=said):
        load_policy(path)
