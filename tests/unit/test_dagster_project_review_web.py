"""The review page's HTTP: who may ask, what is shown, what is kept; and the spreadsheet beside it."""

import csv
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from dagster_project.causes.labels import labels_in
from dagster_project.errors import InputError
from dagster_project.home.layout import Home
from dagster_project.lake.store import Lake
from dagster_project.review.desk import Desk
from dagster_project.review.page.guard import COOKIE, Keys, own_host
from dagster_project.review.page.pages import plain_text
from dagster_project.review.page.web import ReviewPage
from dagster_project.review.queue import NEEDS, queue
from dagster_project.review.review import DECISION, LABEL, RUBRIC
from dagster_project.review.spreadsheet import COLUMNS, original_cell, read_csv, safe, write_csv
from dagster_project.review.store import reviews_of
from dagster_project.review.tables import VERDICTS
from dagster_project.review.verdicts import regrade_stored
from dagster_project.tasks.task_set_parts import parts_of
from environments.export.taskset import write_task_set
from environments.runtime.task.task_set import TaskSet
from environments.runtime.values.canonical import rubric_hash
from ingest.receiver.server import Server, ServerSettings
from tests.review_home import APP, HOSTILE, review_home

TASK = f"/task/{APP}/task1"


@dataclass
class Answer:
    """What came back."""

    status: int
    text: str
    headers: Message


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Shows a redirect instead of following it."""

    def redirect_request(self, *_: Any) -> None:  # noqa: ANN401 - urllib's signature
        """Never."""


@dataclass
class Client:
    """A browser of few words."""

    home: Home
    keys: Keys
    port: int
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> Answer:
        """GET, or POST a form."""
        data = None if form is None else urllib.parse.urlencode(form).encode()
        sent = self.headers | {k.replace("_", "-"): v for k, v in headers.items() if v}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=data, headers=sent
        )
        opener = urllib.request.build_opener(NoRedirect)
        try:
            with opener.open(request, timeout=30) as answer:
                return Answer(answer.status, answer.read().decode(), answer.headers)
        except urllib.error.HTTPError as refused:
            with refused:
                return Answer(refused.code, refused.read().decode(), refused.headers)

    def post(self, path: str, **form: str) -> Answer:
        """POST a form of this page."""
        return self.ask(path, {"form": self.keys.form, **form})

    @property
    def lake(self) -> Lake:
        """The clean lake."""
        return Lake(self.home.clean / "lake")


def served(folder: Path, *, hostile: bool = False) -> Iterator[Client]:
    """A client that is let in, on a page that runs."""
    home = review_home(folder, hostile=hostile)
    keys = Keys()
    desk = Desk(home.clean, home.outcome_policy, [APP])
    server = Server(ReviewPage(desk, "ada", keys).app, ServerSettings(port=0))
    client = Client(home=home, keys=keys, port=server.start())
    client.headers = {"Cookie": f"{COOKIE}={keys.session}"}
    yield client
    server.stop()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A page over a small home."""
    yield from served(tmp_path / "h")


def test_the_link_works_once_and_becomes_a_cookie(client: Client) -> None:
    """The token opens the page for the first browser only; the cookie is strict and hidden from scripts."""
    client.headers = {}
    first = client.ask(f"/?token={client.keys.token}")
    cookie = first.headers["set-cookie"]
    assert first.status == 200
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert client.keys.token not in cookie
    assert client.ask(f"/?token={client.keys.token}").status == 403
    assert client.ask("/").status == 403
    assert client.ask("/", Cookie=cookie.partition(";")[0]).status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:{port}"}, 421),
        ({"Host": "localhost"}, 421),
        ({"Host": "localhost:{port}"}, 200),
        ({"Cookie": f"{COOKIE}=guess"}, 403),
        ({"Cookie": ";;=;{"}, 403),
    ],
)
def test_only_the_right_host_and_cookie_pass(
    client: Client, headers: dict[str, str], status: int
) -> None:
    """Another host name (DNS rebinding) and another cookie are refused."""
    sent = {k: v.replace("{port}", str(client.port)) for k, v in headers.items()}
    assert client.ask("/", None, **sent).status == status


def test_names_of_this_machine() -> None:
    """Loopback names with this server's port, and nothing else."""
    server = ("127.0.0.1", 8080)
    assert own_host("[::1]:8080", server)
    assert own_host("LOCALHOST:8080", server)
    for host in ("", ":8080", "localhost:8081", "[::1]", "localhost:8080@evil", "127.0.0.1:8080.x"):
        assert not own_host(host, server)


def test_every_answer_is_locked_down(client: Client) -> None:
    """One script with a nonce that changes, no frames, no cache, no referrer, on pages and refusals alike."""
    nonces = set()
    for path in ("/", TASK, "/static/review.js", "/nowhere", "/?token=x"):
        answer = client.ask(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        nonces.add(re.findall(r"'nonce-([^']+)'", policy)[0])
    assert len(nonces) == 5


def test_forms_from_elsewhere_are_refused(client: Client) -> None:
    """Another origin, a missing secret, another type and a huge body change nothing."""
    right = {"form": client.keys.form, "episode": "ep1-good", "value": "resolved"}
    path = f"{TASK}/label"
    assert client.ask(path, right, Origin="http://evil.example").status == 403
    assert client.ask(path, right, Sec_Fetch_Site="cross-site").status == 403
    assert client.ask(path, {**right, "form": "guess"}).status == 400
    assert client.ask(path, right, Content_Type="application/json").status == 400
    assert client.ask(path, {**right, "note": "x" * 2_100_000}).status == 400
    assert client.ask(path).status == 405
    assert reviews_of(client.lake, APP).everything == ()


def test_a_label_is_kept_with_author_and_time(client: Client) -> None:
    """The label is in the lake, the page says so, and a wrong one is refused."""
    answer = client.post(
        f"{TASK}/label", episode="ep1-bad", value="resolved", note="she wrote back"
    )
    assert answer.status == 303
    assert "said=label" in answer.headers["location"]
    (review,) = reviews_of(client.lake, APP).everything
    assert (review.kind, review.value, review.by) == (LABEL, "resolved", "ada")
    assert (review.episode_id, review.note) == ("ep1-bad", "she wrote back")
    assert review.at > 1_700_000_000_000_000_000
    shown = client.ask(f"{TASK}?episode=ep1-bad").text
    assert "she wrote back" in shown
    assert "rubric and outcome differ" in shown
    assert client.post(f"{TASK}/label", episode="ep3-bad", value="resolved").status == 400
    assert client.post(f"{TASK}/label", episode="ep1-bad", value="great").status == 400


def test_an_edit_is_shown_before_it_is_saved(client: Client) -> None:
    """The preview grades attempts and rollouts again, saves nothing; saving keeps rubric and verdicts."""
    form = {"new-fn": "calls_at_most", "new-arg-most": "0", "new-required": "1"}
    preview = client.post(f"{TASK}/preview", **form)
    assert preview.status == 200
    assert "2 of 4 runs get another verdict" in preview.text
    assert "False fails" in preview.text
    assert reviews_of(client.lake, APP).everything == ()
    draft = re.findall(r'name="draft" value="([0-9a-f]{64})"', preview.text)[0]
    assert client.post(f"{TASK}/rubric", draft=draft, note="too strict").status == 303
    (review,) = reviews_of(client.lake, APP).everything
    assert (review.kind, review.note) == (RUBRIC, "too strict")
    kept = review.rubric
    assert kept is not None
    assert review.value == rubric_hash(kept)
    rows = client.lake.read(VERDICTS, app=APP).to_pylist()
    assert {(row["policy"], row["reward"], row["rubric"]) for row in rows} == {
        ("solver", 0.0, review.value),
        ("idler", 0.0, review.value),
    }
    assert "waits for the next build" in client.ask(TASK).text
    assert client.post(f"{TASK}/rubric", draft=draft).status == 409


def test_a_bad_edit_comes_back_with_what_was_typed(client: Client) -> None:
    """The fault is one sentence, the form keeps its fields, nothing is saved."""
    form = {
        "new-fn": "calls_at_most",
        "new-arg-most": "<i>few</i>",
        "new-says": "Hands <b>over</b>",
    }
    answer = client.post(f"{TASK}/preview", **form)
    assert answer.status == 422
    assert "must be a whole number" in answer.text
    assert "&lt;i&gt;few&lt;/i&gt;" in answer.text
    assert "Hands &lt;b&gt;over&lt;/b&gt;" in answer.text
    assert client.post(f"{TASK}/preview").status == 422
    assert reviews_of(client.lake, APP).everything == ()


def test_decisions_follow_the_gate(client: Client) -> None:
    """A task the gate could not run at all cannot be accepted; it can be left out, and taken back."""
    path = f"/task/{APP}/task3"
    assert client.post(f"{path}/decision", value="accept").status == 409
    assert client.post(f"{path}/decision", value="reject").status == 303
    assert client.post(f"{path}/decision", value="").status == 303
    assert [r.value for r in reviews_of(client.lake, APP).everything if r.kind == DECISION] == [
        "reject",
        "",
    ]
    assert client.post(f"{path}/decision", value="maybe").status == 400
    assert client.post(f"{TASK}/check", value="end").status == 303
    assert client.post(f"{TASK}/check", value="none").status == 400


def test_a_cause_is_named_blind_and_can_be_taken_back(client: Client) -> None:
    """A failed attempt asks what went wrong; what others say is shown after one's own word; a resolved attempt does not ask."""
    bad = f"{TASK}?episode=ep1-bad"
    assert "What went wrong" not in client.ask(f"{TASK}?episode=ep1-good").text
    before = client.ask(bad).text
    assert "What went wrong" in before
    assert "is shown after your own word" in before
    step = re.search(r'<option value="(\d+)"> *\d+ · [^<]*get_order', before)
    assert step is not None
    sent = client.post(f"{TASK}/cause", episode="ep1-bad", cause="missed_step", step=step[1])
    assert sent.status == 303
    (kept,) = reviews_of(client.lake, APP).causes["ep1-bad"].values()
    assert (kept.by, kept.value, kept.content["step"]) == ("ada", "missed_step", int(step[1]))
    after = client.ask(bad).text
    assert "is shown after your own word" not in after
    assert '<option value="missed_step" selected>' in after
    for form in (
        {"episode": "ep1-bad", "cause": "bad luck", "step": step[1]},
        {"episode": "ep1-bad", "cause": "loop", "step": "999"},
        {"episode": "nobody", "cause": "loop", "step": step[1]},
    ):
        assert client.post(f"{TASK}/cause", **form).status == 400
    client.post(f"{TASK}/cause", episode="ep1-bad", cause="", step="")
    assert labels_in(client.lake, APP).opinions == {}


def test_what_is_not_there_is_a_sentence(client: Client) -> None:
    """Unknown apps, tasks, files and pages are 404 in plain text."""
    for path in ("/task/none/task1", f"/task/{APP}/none", "/static/../guard.py", "/static/x.css"):
        answer = client.ask(path)
        assert answer.status == 404
        assert "Traceback" not in answer.text
    assert client.ask("/?page=99999999&show=%00&app=%27").status == 200


def test_hostile_texts_are_text(tmp_path: Path) -> None:
    """Markup in messages, tool results and forms arrives escaped, and templates in them are not run."""
    for client in served(tmp_path / "h", hostile=True):
        for episode in ("ep1-good", "ep1-bad"):
            page = client.ask(f"{TASK}?episode={episode}").text
            assert "&lt;script&gt;document.title" in page
            assert page.count("<script") == 1
            assert "<img" not in page
            assert "{{ 7*7 }}" in page
            assert "\u202e" not in page
        answer = client.post(f"{TASK}/label", episode="ep1-bad", value="unknown", note=HOSTILE)
        assert answer.status == 303
        assert client.ask(TASK).text.count("<script") == 1


def _entries(home: Home) -> Desk:
    return Desk(home.clean, home.outcome_policy, [APP])


def test_a_spreadsheet_goes_out_and_comes_back(tmp_path: Path) -> None:
    """A row per attempt, the waiting task first; filled labels come in once, wrong rows are named by line."""
    home = review_home(tmp_path / "h")
    desk, path = _entries(home), tmp_path / "labels.csv"
    found = desk.app(APP)
    assert found is not None
    items = queue(desk.entries(), {APP: found.reviews})
    assert items[0].reasons[0] == NEEDS
    assert write_csv(items, path) == 3
    rows = list(csv.DictReader(path.open(encoding="utf-8-sig")))
    assert [row["task_id"] for row in rows] == ["task3", "task1", "task1"]
    rows[0] |= {"label": "Resolved ", "note": "=1+1"}
    rows[1] |= {"label": "yes"}
    rows[2] |= {"label": "resolved", "episode_id": "other"}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    read = read_csv(path, desk.entries(), {APP: found.reviews}, author="bob")
    (review,) = read.reviews
    assert (review.episode_id, review.value, review.note, review.by) == (
        "ep3-bad",
        "resolved",
        "=1+1",
        "bob",
    )
    assert [(one.line, one.why[:5]) for one in read.refused] == [(3, "label"), (4, "this ")]
    found.save(review)
    again = read_csv(path, desk.entries(), {APP: found.reviews}, author="bob")
    assert (again.reviews, again.unchanged) == ((), 1)


def test_cells_never_run_as_formulas() -> None:
    """What starts like a formula is quoted, comes back as it was, and is short enough for a cell."""
    for cell in ("=1+1", "+1", "-1", "@x", "\t=1", "  =cmd|' /C calc'!A0", "'quoted", "%0", "|x"):
        assert safe(cell).startswith("'")
        assert original_cell(safe(cell)) == cell
    assert safe("plain, words") == "plain, words"
    assert len(safe("=" * 100_000)) < 32_768


def test_a_table_that_is_no_spreadsheet_is_one_sentence(tmp_path: Path) -> None:
    """A missing file, a missing column and bytes that are no text say what to do."""
    bad, other = tmp_path / "bad.csv", tmp_path / "other.csv"
    bad.write_bytes(b"app,task_id\xff\xfe\n")
    other.write_text("app,task_id,label\n", encoding="utf-8")
    for path, says in (
        (tmp_path / "none.csv", "cannot be read"),
        (bad, "UTF-8"),
        (other, "episode_id"),
    ):
        with pytest.raises(InputError, match=says):
            read_csv(path, [], {}, author="bob")


def test_regrading_keeps_new_verdicts_beside_the_old(tmp_path: Path) -> None:
    """Stored rollouts keep their rows; the verdicts are written once, however often it is asked for."""
    home = review_home(tmp_path / "h")
    lake = Lake(home.clean / "lake")
    parts = parts_of(lake, [APP])
    write_task_set(tmp_path / "set", parts.entries, parts.worlds, provenance=parts.provenance)
    task_set = TaskSet.load(tmp_path / "set")
    found = regrade_stored(lake, task_set)
    assert {one.run.policy: one.verdict.reward for one in found.regraded} == {
        "idler": 0.0,
        "solver": 1.0,
    }
    regrade_stored(lake, task_set)
    rows = lake.read(VERDICTS, app=APP).to_pylist()
    assert len(rows) == 2
    assert json.dumps(sorted(row["policy"] for row in rows)) == '["idler", "solver"]'


def test_ends_are_told_in_words() -> None:
    """How probable each end is and who reached it; anything else stays as it was written."""
    ends = [
        {"accepted": True, "posterior": 0.97, "resolved": ["a", "b"], "unresolved": []},
        {"accepted": False, "posterior": 0.01, "resolved": [], "unresolved": ["c"]},
    ]
    assert plain_text(ends) == (
        "end 1: held to be right (97.0 % probable), 2 resolved and 0 unresolved attempts;"
        " end 2: not held to be right (1.0 % probable), 0 resolved and 1 unresolved attempts"
    )
    assert plain_text([{"posterior": "x"}]) == '[{"posterior": "x"}]'
