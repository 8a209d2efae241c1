"""The page of rollouts over HTTP, and what the terminal prints: which are shown, and what explains each."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.errors import InputError
from dagster_project.lake.store import Lake
from dagster_project.review.page.guard import Keys
from dagster_project.review.verdicts import regrade_stored
from dagster_project.rollouts.store import keep
from dagster_project.runs.choice import GOT, Choice, choose_lines, earned
from dagster_project.runs.run import Line, RunRow, line_of
from dagster_project.runs.shelf import FileShelf, LakeShelf
from dagster_project.runs.web import RunsPage, group_checks
from environments.rollout.explanation import GradedCheck
from environments.runtime.task.task_set import TaskSet
from ingest.receiver.server import Server, ServerSettings
from tests.runs_home import APP, Shop, runs_home, written
from tests.unit.test_dagster_project_review_web import Client


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A home with rollouts of every kind."""
    return runs_home(tmp_path)


def _served(shop: Shop, first: Choice | None = None) -> Iterator[Client]:
    keys = Keys(command="runs")
    shelf = LakeShelf(shop.home.clean, [APP])
    server = Server(RunsPage(shelf, keys, first).app, ServerSettings(port=0))
    client = Client(home=shop.home, keys=keys, port=server.start())
    client.headers = {"Cookie": f"tracegym_runs={keys.session}"}
    yield client
    server.stop()


@pytest.fixture
def client(shop: Shop) -> Iterator[Client]:
    """A browser that is let in."""
    yield from _served(shop)


def test_nobody_else_may_look(client: Client) -> None:
    """Without the cookie, with the review page's, under another name of the host, or with a form: refused."""
    session = client.headers.pop("Cookie").partition("=")[2]
    for path in ("/", "/run/x", "/static/runs.css"):
        assert client.ask(path).status == 403
    assert "tracegym runs" in client.ask("/").text
    assert client.ask("/", Cookie=f"tracegym_review={session}").status == 403
    client.headers = {"Cookie": f"tracegym_runs={session}"}
    assert client.ask("/", Host="evil.test").status == 421
    assert client.ask("/", {"form": client.keys.form}).status == 405
    policy = client.ask("/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "'unsafe" not in policy


def test_the_link_works_once(client: Client) -> None:
    """The token becomes a cookie of the page's own name, so that a review page beside it keeps its own."""
    client.headers = {}
    first = client.ask(f"/?token={client.keys.token}")
    assert first.headers["set-cookie"].startswith("tracegym_runs=")
    assert client.ask(f"/?token={client.keys.token}").status == 403


def test_the_list_shows_what_was_asked_for(client: Client, shop: Shop) -> None:
    """By policy, task and cause, in links and in the form; what fits nothing says so."""
    ids = {name: one.rollout_id for name, one in shop.rollouts.items()}

    def shown(query: str) -> set[str]:
        text = client.ask(f"/{query}").text
        return {name for name, rollout_id in ids.items() if f"/run/{rollout_id}?" in text}

    task = shop.rollouts["solver"].task_id
    assert shown("") == set(ids)
    assert shown("?policy=idler") == {"idler"}
    assert shown("?got=null") == {"stranger", "broken"}
    assert shown("?got=error") == {"broken"}
    assert shown("?got=rewarded") == {"solver"}
    assert shown(f"?got=failed&task={task[:4]}") == {"idler"}
    assert shown("?got=not-a-cause") == set(ids)
    assert shown("?task=zzz") == set()
    assert "No rollout fits these filters." in client.ask("/?task=zzz").text


def test_a_choice_on_the_command_line_is_what_the_page_starts_with(shop: Shop) -> None:
    """Until somebody chooses otherwise."""
    for client in _served(shop, Choice(policy="idler")):
        idler = f"/run/{shop.rollouts['idler'].rollout_id}"
        solver = f"/run/{shop.rollouts['solver'].rollout_id}"
        assert idler in client.ask("/").text
        assert solver not in client.ask("/").text
        assert solver in client.ask("/?all=1").text


def test_a_run_explains_why_it_earned_nothing(client: Client, shop: Shop) -> None:
    """Cause and remedy, the check that is not graded with its evidence, and every place where nobody knew."""
    text = client.ask(f"/run/{shop.rollouts['stranger'].rollout_id}").text
    assert "null: unknown tool answer" in text
    assert "--simulate MODEL" in text
    assert "Why there is no reward" in text
    assert "Not graded:" in text
    assert "Nobody knew an answer in 3 places" in text
    assert "get_order: unknown" in text
    assert "the user did not understand" in text
    assert "nothing in the recording answers this" in text


def test_runs_of_every_kind_can_be_opened(client: Client, shop: Shop) -> None:
    """A rewarded one shows what passed, a failed one which check failed, a broken one the fault, an unknown id nothing."""
    pages = {name: client.ask(f"/run/{one.rollout_id}").text for name, one in shop.rollouts.items()}
    assert "Every required check passed." in pages["solver"]
    assert "Decides the reward" in pages["idler"]
    assert "no connection" in pages["broken"]
    assert "A run that broke is not graded." in pages["broken"]
    assert client.ask("/run/nobody").status == 404
    assert client.ask("/run/%2e%2e%2fx").status == 404


def test_neighbours_keep_the_filters(client: Client, shop: Shop) -> None:
    """Next and before go through what was chosen, and back to it."""
    text = client.ask(f"/run/{shop.rollouts['solver'].rollout_id}?policy=solver").text
    assert 'href="/?policy=solver"' in text
    assert "of 2" in text
    assert "policy=solver" in text.partition('rel="next"')[0].rpartition("<a ")[2]


def test_hostile_words_are_text(tmp_path: Path) -> None:
    """Markup in messages, arguments and evidence is shown and does nothing."""
    shop = runs_home(tmp_path, hostile=True)
    for client in _served(shop):
        text = client.ask(f"/run/{shop.rollouts['stranger'].rollout_id}").text
        assert "<script>document" not in text
        assert "<img src=x" not in text
        assert "{{ 7*7 }}" in text
        assert "\u202e" not in text


def test_a_later_verdict_stands_beside_the_first(client: Client, shop: Shop) -> None:
    """What `tracegym regrade` said later, with the rubric that said it."""
    regrade_stored(Lake(shop.home.clean / "lake"), TaskSet.load(shop.task_set))
    text = client.ask(f"/run/{shop.rollouts['idler'].rollout_id}").text
    assert "Graded again" in text


def test_new_rollouts_are_seen_without_a_restart(client: Client, shop: Shop) -> None:
    """One that a fault broke gives way to the one that ended."""
    again = replace(shop.rollouts["solver"], policy="broken")
    keep(Lake(shop.home.clean / "lake"), [again])
    assert again.rollout_id == shop.rollouts["broken"].rollout_id
    assert "Every required check passed." in client.ask(f"/run/{again.rollout_id}").text
    assert f"/run/{again.rollout_id}" not in client.ask("/?got=error").text


def test_a_file_reads_as_the_home_does(shop: Shop, tmp_path: Path) -> None:
    """Lines that are no rollouts are left out with their number; one that ended stands before one that broke."""
    path = written(shop, tmp_path / "r.jsonl")
    with path.open("a", encoding="utf-8") as file:
        again = replace(shop.rollouts["solver"], reward=None, error="no connection", cause="error")
        file.write(json.dumps(again.to_row()) + '\n{"a": 1}\n[[[\n\n')
    shelf = FileShelf(path)
    assert {line.row.policy for line in shelf.lines()} == set(shop.rollouts)
    assert [number for number, _ in shelf.refused] == [6, 7]
    solver = shelf.open(shop.rollouts["solver"].rollout_id)
    assert solver is not None
    assert solver.line.row.reward == 1.0
    assert solver.line.title
    assert shelf.open("nobody") is None


@pytest.mark.parametrize("text", ["", "\n", "[]\n", "{}\n", "\x00\xff", "[" * 10_000])
def test_a_file_without_rollouts_says_what_to_do(tmp_path: Path, text: str) -> None:
    """One sentence, with the command that writes such a file and nothing of what stands in this one."""
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="holds no rollouts") as said:
        FileShelf(path)
    assert "--out FILE" in str(said.value)
    with pytest.raises(InputError, match="cannot be read"):
        FileShelf(tmp_path / "nowhere")


def _line(policy: str, reward: float | None, error: str | None, seed: int) -> Line:
    row = RunRow(
        rollout_id=f"{policy}{seed}",
        app=APP,
        policy=policy,
        task_id="t",
        task_version="v",
        seed=seed,
        reward=None if error else reward,
        error=error,
        unknown=seed % 3,
        cause="error"
        if error
        else "rewarded"
        if reward
        else "unknown_tool"
        if reward is None
        else "failed",
    )
    return line_of(row, "")


@given(
    st.lists(
        st.builds(
            _line,
            st.sampled_from("pq"),
            st.sampled_from([None, 0.0, 0.5, 1.0]),
            st.sampled_from([None, "x"]),
            st.integers(0, 9),
        ),
        max_size=30,
    )
)
def test_every_rollout_stands_under_one_cause(lines: list[Line]) -> None:
    """Causes divide the list, null holds all without a reward, and these come first."""
    found = {got: choose_lines(lines, Choice(got=got)) for got in GOT}
    apart = [got for got in GOT if got != "null"]
    assert sum(len(found[got]) for got in apart) == len(lines)
    assert {got: len(some) for got, some in found.items() if some} == earned(lines)
    assert len(found["null"]) == sum(line.row.reward is None for line in lines)
    nulls = [line.cause.is_null for line in choose_lines(lines, Choice())]
    assert nulls == sorted(nulls, reverse=True)


@given(
    st.lists(
        st.builds(
            GradedCheck,
            check_id=st.sampled_from("abc"),
            fn=st.just("told"),
            says=st.just(""),
            role=st.sampled_from(["reward", "agreement", "both"]),
            required=st.booleans(),
            weight=st.just(1.0),
            score=st.sampled_from([None, 0.0, 0.4, 1.0]),
            evidence=st.just("e"),
        ),
        max_size=12,
    )
)
def test_no_check_is_lost_or_shown_twice(checks: list[GradedCheck]) -> None:
    """What decides, what does not, and what passed are all of them."""
    found = group_checks(checks)
    parts = [*found.deciding, *found.others, *found.passed]
    assert sorted(map(str, parts)) == sorted(map(str, checks))
    assert all(one.decides for one in found.deciding)
