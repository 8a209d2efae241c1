"""A home in object storage, against a real server of the S3 protocol: tables, files, who builds it, and storage that misbehaves."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pytest

from dagster_project.cli.faults import fault_of
from dagster_project.errors import HomeError, LakeError, OwnedElsewhere, VaultElsewhere
from dagster_project.home import owner as lake_owner
from dagster_project.home.layout import Home, open_home
from dagster_project.home.owner import holder_of, owned
from dagster_project.home.settings import add_apps, apps_of, set_redaction
from dagster_project.home.vault_key import claim_vault
from dagster_project.lake.clean_files import bring, publish
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Table
from dagster_project.storage.faults import sentence_of
from dagster_project.storage.objects import Objects
from dagster_project.storage.places import PATIENCE_S, STORAGE, StoragePlace, place_of, url_in
from tests.s3_server import Server, serving

FIELDS: list[pa.Field[Any]] = [
    pa.field("app", pa.string()),
    pa.field("day", pa.string()),
    pa.field("id", pa.string()),
    pa.field("n", pa.int64()),
]
SCHEMA = pa.schema(FIELDS)
THINGS = Table(name="things", schema=SCHEMA, identity=("id",))
_numbers = count()


def rows(*found: tuple[str, str, str, int]) -> pa.Table:
    """Rows of the test's table."""
    return pa.Table.from_pylist(
        [dict(zip(SCHEMA.names, row, strict=True)) for row in found], SCHEMA
    )


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One server for all tests, each with a bucket of its own."""
    with serving() as running:
        yield running


@pytest.fixture
def url(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Where a home may be made, with the environment that leads there."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    yield f"{server.bucket(f'bucket-{next(_numbers)}')}/a/home"
    server.behave("well")


def machine(url: str, folder: Path) -> Home:
    """The home as a machine sees it whose working directory is that folder."""
    with pytest.MonkeyPatch.context() as patch:
        folder.mkdir(exist_ok=True)
        patch.chdir(folder)
        return open_home(Path(url), create=True)


def patient(home: Home, patience_s: float) -> None:
    """Make requests of this machine give up sooner."""
    for side in (home.path, home.private, home.clean):
        place = place_of(side)
        assert place is not None
        (side / STORAGE).write_text(f'{{"url": "{place.url}", "patience_s": {patience_s}}}')


def died_building(home: Home, *, lease_s: float) -> None:
    """Claim the home, and be gone as a machine without power is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lake_owner, "_leave", lambda *_: None)
        with owned(home, lease_s=lease_s):
            pass


def clean_lake(home: Home) -> Lake:
    """The tables past the gate."""
    return Lake(home.clean / "lake")


def test_a_url_is_told_from_a_folder() -> None:
    """`--home` is a folder unless it names a service; of services S3's protocol is spoken."""
    assert url_in(Path("s3://bucket/pre/fix")) == "s3://bucket/pre/fix"
    assert url_in("s3://bucket/") == "s3://bucket"
    assert url_in(Path("some/folder")) is None
    for wrong in ("gs://bucket/x", "s3://Bucket with spaces/x", "s3://bucket/../x/ y"):
        with pytest.raises(HomeError, match="is no place for a home; pass a folder, or s3://"):
            url_in(wrong)


def test_what_stays_here_holds_no_table_and_no_credential(url: str, tmp_path: Path) -> None:
    """The folder of a home in object storage has the log, the vault and where the rest is; tables lie at the URL."""
    home = open_home(Path(url), create=True)
    clean_lake(home).append(THINGS, rows(("a", "1", "x", 1)))

    assert home.path == (tmp_path / ".tracegym-local" / url.removeprefix("s3://")).absolute()
    assert list((home.clean / "lake").iterdir()) == []
    kept = [path.read_text() for path in home.path.rglob("*") if path.is_file()]
    assert all("a test" not in text for text in kept)
    assert (home.private.stat().st_mode & 0o777) == 0o700


def test_two_machines_see_one_home(url: str, tmp_path: Path) -> None:
    """What one machine stores, the other reads: rows, apps, whether redaction is on."""
    one, other = machine(url, tmp_path / "one"), machine(url, tmp_path / "other")
    add_apps(one, ["desk"])
    add_apps(other, ["shop"])
    set_redaction(one, "off")
    clean_lake(one).append(THINGS, rows(("a", "1", "x", 1)))
    clean_lake(other).append(THINGS, rows(("a", "2", "y", 2)))

    assert apps_of(one) == apps_of(other) == ("desk", "shop")
    assert clean_lake(one).counts(THINGS) == {("a", "1"): 1, ("a", "2"): 1}
    assert open_home(other.path) == other


def test_a_url_without_a_home_is_one_sentence(url: str, server: Server) -> None:
    """Reading a place where nothing is makes nothing; a bucket that is not there is told apart."""
    with pytest.raises(HomeError, match=f"there is no tracegym home at {url}"):
        open_home(Path(url))
    with pytest.raises(LakeError, match="there is no such bucket; make it"):
        open_home(Path("s3://never-made/x"), create=True)
    assert not Path(".tracegym-local").exists()


def test_replaced_parts_are_one_commit_in_storage(url: str) -> None:
    """Rows that are written part by part are exchanged for what was there; other partitions stay."""
    lake = clean_lake(open_home(Path(url), create=True))
    lake.append(THINGS, rows(("a", "1", "x", 1), ("a", "2", "y", 2)))
    before = lake.version(THINGS)
    parts = [rows(("a", "1", "p", 3)), rows(("a", "1", "q", 4)), rows(("a", "3", "r", 5))]

    lake.replace_parts(THINGS, lambda: parts, [("a", "1"), ("a", "3")])

    assert lake.version(THINGS) == (before or 0) + 1
    found = lake.read(THINGS).sort_by("n").column("id").to_pylist()
    assert found == ["y", "p", "q", "r"]
    assert lake.vacuum() == 0
    assert lake.names() == ["things"]


def test_a_part_of_files_is_seen_before_or_after(url: str, tmp_path: Path) -> None:
    """Files past the gate are brought to another machine whole, with what was removed gone."""
    one, other = machine(url, tmp_path / "one"), machine(url, tmp_path / "other")
    folder = one.clean / "tasksets" / "desk"
    (folder / "rubrics").mkdir(parents=True)
    (folder / "manifest.json").write_text("one")
    (folder / "rubrics" / "r.json").write_text("{}")
    publish(one.clean, "tasksets/desk")

    brought = bring(other.clean, "tasksets/desk")
    first = {str(path.relative_to(brought)) for path in brought.rglob("*") if path.is_file()}
    (folder / "rubrics" / "r.json").unlink()
    (folder / "manifest.json").write_text("two")
    before_publishing = (bring(other.clean, "tasksets/desk") / "manifest.json").read_text()
    publish(one.clean, "tasksets/desk")
    bring(other.clean, "tasksets/desk")

    assert first == {"manifest.json", "rubrics/r.json"}
    assert before_publishing == "one"
    assert (brought / "manifest.json").read_text() == "two"
    assert not (brought / "rubrics" / "r.json").exists()


def test_a_manifest_cannot_write_outside_of_its_part(url: str, tmp_path: Path) -> None:
    """Who may write to the bucket does not write to the machine that reads it."""
    home = open_home(Path(url), create=True)
    place = place_of(home.clean)
    assert place is not None
    objects = Objects(place.child("files"))
    objects.put("leaks.json/0", b"got out")
    objects.put("leaks.json.json", b'{"files": {"../../outside": "0"}, "dropped": {}}')

    with pytest.raises(LakeError, match="names a file outside of itself"):
        bring(home.clean, "leaks.json")

    assert not list(tmp_path.rglob("outside"))


def test_a_second_machine_is_refused_by_name(url: str, tmp_path: Path) -> None:
    """While one machine builds, another is told who does, since when, and what to do; afterwards it may."""
    one, other = machine(url, tmp_path / "one"), machine(url, tmp_path / "other")

    with owned(one):
        holder = holder_of(other)
        with pytest.raises(OwnedElsewhere) as refused, owned(other):
            pass
    with owned(other):
        after = holder_of(one)

    assert holder is not None
    assert after is not None
    assert holder.says in str(refused.value)
    assert str(refused.value).startswith(f"{url} is being built by {holder.host} (process ")
    assert "run the command again when that build is done" in str(refused.value)
    assert fault_of(refused.value).exit_code == 1
    assert holder_of(one) is None


def test_a_claim_of_a_dead_machine_heals(url: str, tmp_path: Path) -> None:
    """A claim that nobody keeps alive ends by itself; until then it holds."""
    one, other = machine(url, tmp_path / "one"), machine(url, tmp_path / "other")
    died_building(one, lease_s=2)

    with pytest.raises(OwnedElsewhere), owned(other):
        pass
    time.sleep(4.2)
    with owned(other):
        healed = True

    assert healed


def test_a_killed_build_of_this_folder_does_not_wait(url: str, tmp_path: Path) -> None:
    """Who holds the folder's own lock knows that the process before is gone."""
    one = machine(url, tmp_path / "one")
    died_building(one, lease_s=99)

    with owned(one):
        again = True

    assert again


def test_a_claim_is_kept_alive(url: str, tmp_path: Path) -> None:
    """A build that takes longer than a lease keeps its claim."""
    one, other = machine(url, tmp_path / "one"), machine(url, tmp_path / "other")

    with owned(one, lease_s=1.5):
        time.sleep(4)
        clean_lake(one).append(THINGS, rows(("a", "1", "x", 1)))
        with pytest.raises(OwnedElsewhere), owned(other):
            pass


def test_a_build_that_lost_its_claim_writes_nothing_more(url: str, tmp_path: Path) -> None:
    """Where another machine took over, the first one stops at its next commit, and leaves the new claim alone."""
    one = machine(url, tmp_path / "one")
    objects = Objects(StoragePlace(url=url))
    other = (
        b'{"host": "other", "pid": 1, "since": "now", "folder": "f", "token": "t", "lease_s": 99}'
    )

    def build() -> None:
        with owned(one, lease_s=0.6):
            clean_lake(one).append(THINGS, rows(("a", "1", "x", 1)))
            objects.put("owner.json", other)
            time.sleep(0.5)
            clean_lake(one).append(THINGS, rows(("a", "1", "y", 2)))

    with pytest.raises(LakeError, match="lost its claim"):
        build()

    assert clean_lake(one).counts(THINGS) == {("a", "1"): 1}
    found = objects.get("owner.json")
    assert found is not None
    assert found.body == other


def test_a_home_has_one_vault(url: str, tmp_path: Path) -> None:
    """The machine whose vault keys the home is named to every other one, until the vault is copied there."""
    one, other = machine(url, tmp_path / "one"), machine(url, tmp_path / "other")
    claim_vault(one)
    with pytest.raises(VaultElsewhere, match=r"is not on this machine but on .*private/vault"):
        claim_vault(other)
    for path in one.vault.iterdir():
        (other.vault / path.name).write_bytes(path.read_bytes())

    claim_vault(other)


def test_storage_that_answers_now_and_then_is_enough(url: str, server: Server) -> None:
    """Requests that are refused for a moment are tried again, and nothing is stored twice."""
    home = open_home(Path(url), create=True)
    lake = clean_lake(home)
    with server.being("flaky"):
        lake.append(THINGS, rows(("a", "1", "x", 1)))
        lake.replace(THINGS, rows(("a", "1", "y", 2)), [("a", "1")])
        add_apps(home, ["desk"])

    assert lake.read(THINGS).column("id").to_pylist() == ["y"]
    assert apps_of(home) == ("desk",)


@pytest.mark.parametrize("mode", ["hanging", "failing", "full"])
def test_storage_that_does_not_work_is_one_sentence_in_time(
    url: str, server: Server, mode: str
) -> None:
    """A command gives up after a bounded time, says where and what to do, and the table is as before."""
    home = open_home(Path(url), create=True)
    patient(home, 1.0)
    lake = clean_lake(home)
    lake.append(THINGS, rows(("a", "1", "x", 1)))
    began = time.monotonic()

    with server.being(mode), pytest.raises(LakeError) as told:
        lake.replace(THINGS, rows(("a", "1", "y", 2)), [("a", "1")])

    assert time.monotonic() - began < 20
    assert str(told.value).startswith("cannot ")
    assert f"{url}/clean/lake/things" in str(told.value)
    assert ("run the command again" in str(told.value)) is True
    assert "\n" not in str(told.value)
    assert fault_of(told.value).exit_code == 1
    assert lake.read(THINGS).column("id").to_pylist() == ["x"]


def test_a_listing_that_is_old_is_not_believed(url: str, server: Server) -> None:
    """A table whose newest commit no listing shows is not read as if it were older."""
    home = open_home(Path(url), create=True)
    patient(home, 0.5)
    lake = clean_lake(home)
    lake.append(THINGS, rows(("a", "1", "x", 1)))
    with server.being("stale"):
        assert lake.read(THINGS).num_rows == 1  # nothing has happened since
        lake.replace(THINGS, rows(("a", "1", "y", 2)), [("a", "1")])
        with pytest.raises(LakeError, match=r"things: the storage lists less than it holds"):
            lake.read(THINGS)
        other = Table(name="others", schema=SCHEMA, identity=("id",))
        with pytest.raises(LakeError, match=r"others: the storage lists less than it holds"):
            lake.append(other, rows(("a", "1", "x", 1)))
        with pytest.raises(LakeError, match=r"others: the storage lists less than it holds"):
            lake.read(other)

    assert lake.read(THINGS).column("id").to_pylist() == ["y"]
    assert lake.read(other).num_rows == 0


def test_a_listing_that_catches_up_is_waited_for(url: str, server: Server) -> None:
    """A listing that is old for a moment costs that moment."""
    lake = clean_lake(open_home(Path(url), create=True))
    lake.append(THINGS, rows(("a", "1", "x", 1)))
    server.behave("stale")
    lake.append(THINGS, rows(("a", "1", "y", 2)))
    later = threading.Timer(0.7, server.behave, ["well"])
    later.start()

    found = lake.read(THINGS)

    later.join()
    assert found.num_rows == 2


def test_wrong_credentials_are_named_without_being_shown(url: str, server: Server) -> None:
    """What the storage says of a signature reaches nobody."""
    told = sentence_of("read", url, OSError("403 Forbidden: AKIASECRET SignatureDoesNotMatch"))

    assert "set AWS_ACCESS_KEY_ID" in told
    assert "AKIASECRET" not in told
    assert StoragePlace(url=url).patience_s == PATIENCE_S


def test_a_full_disk_on_the_way_is_one_sentence(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file that is uploaded has no room on this machine, the table stays as it was."""
    lake = clean_lake(open_home(Path(url), create=True))
    lake.append(THINGS, rows(("a", "1", "x", 1)))

    def full(**_: object) -> IO[bytes]:
        return Path("/dev/full").open("w+b", buffering=0)

    monkeypatch.setattr("dagster_project.lake.partition_files.tempfile.TemporaryFile", full)
    with pytest.raises(LakeError, match="the disk is full; free some space and run the command"):
        lake.replace_parts(THINGS, lambda: [rows(("a", "1", "y", 2))], [("a", "1")])

    assert lake.read(THINGS).column("id").to_pylist() == ["x"]
