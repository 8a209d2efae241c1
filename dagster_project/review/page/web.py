"""The review page's HTTP: reads the desk, takes reviews, shows what an edit changes before it is saved.

In: a desk, the reviewer's name, the keys. Out: an ASGI application. It works without script: links and plain forms.
"""

import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from dagster_project.review.desk import AppDesk, Desk
from dagster_project.review.editing.drafts import Drafts
from dagster_project.review.editing.edits import Edit, edited, written_in
from dagster_project.review.entry import Entry, GradedAttempt
from dagster_project.review.feedback import can_accept, review_note
from dagster_project.review.guide.tour import COOKIE, QUEUE, SECONDS, TASK, address_of, place_of
from dagster_project.review.page.addresses import part_of_list, query_of, send_static, task_path
from dagster_project.review.page.guard import BadFormError, Guard, Keys, read_form
from dagster_project.review.page.pages import Frame, page
from dagster_project.review.page.statements import STATEMENTS, TaskForm, rubric_review
from dagster_project.review.page.task_page import (
    cause_shown,
    conversation_shown,
    decision_now,
    history_shown,
    neighbours,
    probes_shown,
    rubric_shown,
    tried_attacks,
)
from dagster_project.review.queue import ORDER, WHY, queue, trust_rows
from dagster_project.review.review import CAUSE, DECISION, LABEL, RUBRIC
from dagster_project.review.team.plan import Team
from dagster_project.review.team.reviewer_agreement import agreement_rows
from dagster_project.review.team.turn import Turn, turns_of, unlabelled_by
from environments.runtime.task.verdict import Verdict

SAID: Final = {
    "label": "The label is kept. Here is the next attempt.",
    "next": "The label is kept. Here is the next task.",
    "end": "The label is kept. All attempts that wait for you have one.",
    "rubric": "The rubric is kept. It replaces the derived one with the next build.",
    "derived": "The derived rubric holds again with the next build.",
    "accept": "Accepted: the next build exports this version. Here is what comes next.",
    "reject": "Left out: the next build does not export this version. Here is what comes next.",
    "undo": "The decision is taken back.",
    "check": "The check is marked as right.",
    "cause": "Kept: the next build names this cause, and a model that is asked learns from it.",
}
Answer = Callable[["_TaskRequest"], Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class _TaskRequest(TaskForm):
    """One request about one task."""

    request: Request


class ReviewPage:
    """The application; one lock, because people are slow and runs share caches."""

    def __init__(self, desk: Desk, author: str, keys: Keys, team: Team | None = None) -> None:
        self._desk = desk
        self._author = author
        self._keys = keys
        self._team = Team() if team is None else team
        self._lock = threading.Lock()
        self._drafts = Drafts()
        self._order: list[tuple[str, str]] = []
        """The queue as it was last looked at: a task keeps its neighbours while a person works through it."""
        task = "/task/{app}/{task_id}"
        self.app = Starlette(
            routes=[
                Route("/", self._get_queue, methods=["GET"]),
                Route("/static/{name}", send_static, methods=["GET"]),
                Route("/tour", self._end_tour, methods=["POST"]),
                Route(task, self._task_endpoint(self._task_page), methods=["GET"]),
                *(
                    Route(f"{task}/{name}", self._task_endpoint(answer), methods=["POST"])
                    for name, answer in {
                        **dict.fromkeys(STATEMENTS, self._take),
                        # The same page with everything that was typed, and the fields of another kind of check.
                        "kind": self._task_page,
                        "preview": self._preview,
                        "rubric": self._rubric,
                    }.items()
                ),
            ],
            middleware=[Middleware(Guard, keys=keys)],
        )

    def _task_endpoint(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint about one task: reads the form, finds the task, answers on a worker thread."""

        async def endpoint(request: Request) -> Response:
            try:
                form = await read_form(request, self._keys) if request.method == "POST" else {}
                return await run_in_threadpool(self._answer, answer, request, form)
            except BadFormError as fault:
                return PlainTextResponse(f"{fault}\n", status_code=fault.status)

        return endpoint

    def _answer(self, answer: Answer, request: Request, form: Mapping[str, str]) -> Response:
        with self._lock:
            self._desk.reload_if_old()
            desk = self._desk.app(request.path_params["app"])
            entry = desk.entry(request.path_params["task_id"]) if desk is not None else None
            if desk is None or entry is None:
                return PlainTextResponse("There is no such task here.\n", status_code=404)
            return answer(
                _TaskRequest(
                    request=request, form=form, desk=desk, entry=entry, author=self._author
                )
            )

    async def _get_queue(self, request: Request) -> Response:
        return await run_in_threadpool(self._queue_page, request)

    async def _end_tour(self, request: Request) -> Response:
        try:
            await read_form(request, self._keys)
        except BadFormError as fault:
            return PlainTextResponse(f"{fault}\n", status_code=fault.status)
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, "ended", max_age=SECONDS, httponly=True, samesite="strict")
        return answer

    def _turns(self) -> list[Turn]:
        """The queue as this reviewer sees it."""
        reviews = {name: self._app(name).reviews for name in self._desk.apps}
        items = queue(self._desk.entries(), reviews)
        return turns_of(items, self._team, self._author, reviews)

    def _app(self, name: str) -> AppDesk:
        found = self._desk.app(name)
        if found is None:
            raise KeyError(name)
        return found

    def _queue_page(self, request: Request) -> Response:
        asks = request.query_params
        app, show = asks.get("app", ""), asks.get("show", "todo")
        belongs = self._author in self._team.names
        whose = asks.get("whose", "mine" if belongs else "all")
        with self._lock:
            self._desk.reload_if_old()
            turns = self._turns()
            chosen = [
                turn
                for turn in turns
                if (not app or turn.item.entry.app == app) and (whose != "mine" or turn.mine)
            ]
            self._order = _order(chosen if belongs and whose == "mine" else turns)
            agreement = self._agreement(turns, app)
        shown = [turn for turn in chosen if _fits(turn, show)]
        listed = part_of_list(shown, asks.get("page"))
        return HTMLResponse(
            page(
                "queue.html",
                self._frame(request, QUEUE),
                turns=listed.items,
                found=len(shown),
                counts={name: sum(_fits(turn, name) for turn in chosen) for name in _SHOWN},
                reasons=[(r, sum(r in t.item.reasons and t.open for t in chosen)) for r in ORDER],
                why=WHY,
                trust=trust_rows(turn.item.entry for turn in turns if not app or turn in chosen),
                apps=self._desk.apps,
                app=app,
                show=show,
                whose=whose,
                team=self._team,
                belongs=belongs,
                number=listed.number,
                pages=listed.pages,
                **agreement,
            )
        )

    def _agreement(self, turns: Sequence[Turn], app: str) -> dict[str, object]:
        """How far reviewers agree with one another, and rubrics with them."""
        desks = [self._app(name) for name in self._desk.apps if app in {"", name}]
        entries = [turn.item.entry for turn in turns if app in {"", turn.item.entry.app}]
        pairs, graders = agreement_rows(
            labels=[by_person for desk in desks for by_person in desk.reviews.labels.values()],
            entries=entries,
            held_out=[one for desk in desks for one in desk.held_out],
        )
        return {"pairs": pairs, "graders": graders}

    def _frame(self, request: Request, name: str) -> Frame:
        asks = request.query_params
        was = [asks.get(part, "") for part in ("was_app", "was_task", "was_episode")]
        place = place_of(asks.get("tour"), request.cookies, name)
        task = task_path(*self._order[0]) if self._order else "/"
        return Frame(
            author=self._author,
            form=self._keys.form,
            nonce=request.state.nonce,
            said=SAID.get(asks.get("said", ""), ""),
            back=task_path(was[0], was[1], episode=was[2]) if was[1] else "",
            tour=place,
            tour_before=address_of(place.number - 1, task) if place and place.number > 1 else "",
            tour_after=(
                address_of(place.number + 1, task) if place and place.number < place.total else ""
            ),
        )

    def _task_page(
        self, asked: _TaskRequest, *, edit: Edit | None = None, status: int = 200
    ) -> Response:
        entry, desk = asked.entry, asked.desk
        here = (entry.app, entry.task_id)
        turns = self._turns()
        turn = next(t for t in turns if (t.item.entry.app, t.item.entry.task_id) == here)
        if here not in self._order:
            self._order = _order(turns)
        order = self._order
        place = order.index(here)
        asks = asked.request.query_params
        shown = conversation_shown(
            desk,
            entry,
            rollout_id=asks.get("rollout"),
            episode_id=asks.get("episode") or asked.form.get("episode"),
        )
        graded, verdict = shown["graded"], shown["verdict"]
        episode = graded.episode_id if isinstance(graded, GradedAttempt) else None
        before, after = neighbours(entry, episode)
        verified = entry.verified
        return HTMLResponse(
            page(
                "task.html",
                self._frame(asked.request, TASK),
                turn=turn,
                item=turn.item,
                entry=entry,
                why=WHY,
                place=place + 1,
                total=len(order),
                before=task_path(*order[place - 1]) if place else "",
                after=task_path(*order[place + 1]) if place + 1 < len(order) else "",
                attempt_before=task_path(*here, episode=before) if before else "",
                attempt_after=task_path(*here, episode=after) if after else "",
                path=task_path(*here),
                note=review_note(entry.candidate.rubric),
                overridden=entry.task_id in desk.reviews.rubrics
                and desk.reviews.rubrics[entry.task_id].rubric is not None,
                accepted_checks=desk.reviews.checks.get(entry.task_id, {}),
                decision=None if turn.blind else decision_now(desk, entry),
                can_accept=verified is not None and not entry.pending and can_accept(verified),
                probes=(probes := probes_shown(desk, entry)),
                tried=tried_attacks(probes, entry.candidate.rubric),
                history=history_shown(
                    desk.reviews.history(entry.task_id),
                    blind_for=self._author if turn.blind else None,
                ),
                mine=desk.reviews.labels.get(episode or "", {}).get(self._author),
                rollouts=desk.rollouts(entry.task_id)[:30],
                rollout_count=len(desk.rollouts(entry.task_id)),
                failing=cause_shown(desk, graded, reviewer=self._author),
                edit=edit,
                form=asked.form,
                **rubric_shown(
                    entry, verdict if isinstance(verdict, Verdict) else None, asked.form
                ),
                **shown,
            ),
            status_code=status,
        )

    def _take(self, asked: _TaskRequest) -> Response:
        """Keep what a form says, and go where the reviewer looks next."""
        kind = asked.request.url.path.rpartition("/")[2]
        said = STATEMENTS[kind](asked)
        asked.desk.save(said)
        if kind == LABEL:
            return self._next_attempt(asked, said.episode_id)
        if kind == DECISION:
            was = _was(asked)
            return self._go_on(asked, said.value, was) if said.value else _back(asked, "undo")
        if kind == CAUSE:
            return _back(asked, kind, "#failing", episode=said.episode_id)
        return _back(asked, kind)

    def _next_attempt(self, asked: _TaskRequest, labelled: str) -> Response:
        """On to the next attempt without a label of this reviewer, or to the next task."""
        entry, was = asked.entry, _was(asked, labelled)
        following = unlabelled_by(entry, self._author, asked.desk.reviews, labelled)
        if following is None:
            return self._go_on(asked, "next", was)
        at = task_path(entry.app, entry.task_id, episode=following, said="label", **was)
        return RedirectResponse(at, status_code=303)

    def _go_on(self, asked: _TaskRequest, said: str, was: Mapping[str, str]) -> Response:
        """On to the next task that waits for this reviewer, or to the queue where none does."""
        here = (asked.entry.app, asked.entry.task_id)
        turns = self._turns()
        order = self._order if here in self._order else _order(turns)
        waiting = {
            key
            for key, turn in zip(_order(turns), turns, strict=True)
            if turn.open and (said != "next" or self._unlabelled(turn.item.entry))
        }
        at = order.index(here) + 1 if here in order else 0
        following = next(
            (key for key in [*order[at:], *order[:at]] if key in waiting - {here}), None
        )
        if following is not None:
            return RedirectResponse(task_path(*following, said=said, **was), status_code=303)
        ended = "end" if said == "next" else said
        return RedirectResponse(f"/{query_of(said=ended, **was)}", status_code=303)

    def _unlabelled(self, entry: Entry) -> bool:
        """Whether an attempt of it has no label of this reviewer yet."""
        reviews = self._app(entry.app).reviews
        return unlabelled_by(entry, self._author, reviews, "") is not None

    def _preview(self, asked: _TaskRequest) -> Response:
        entry = asked.entry
        edit = edited(entry.candidate.rubric, asked.form, author=self._author)
        if edit.faults or not edit.changes:
            nothing = replace(edit, faults=("Nothing was changed.",))
            return self._task_page(asked, edit=edit if edit.faults else nothing, status=422)
        draft = self._drafts.keep(entry.app, entry.task_id, entry.candidate.rubric, edit)
        return HTMLResponse(
            page(
                "preview.html",
                self._frame(asked.request, "preview"),
                entry=entry,
                path=task_path(entry.app, entry.task_id),
                edit=edit,
                draft=draft,
                change=asked.desk.change(entry, edit.rubric),
                preview=asked.desk.preview(rubric_review(asked, edit)),
                titles={key: asked.desk.title(key) for key in asked.desk.task_ids},
                note=asked.note,
            )
        )

    def _rubric(self, asked: _TaskRequest) -> Response:
        name, entry = asked.form.get("draft", ""), asked.entry
        rubric = entry.candidate.rubric
        if name == "derived":
            asked.desk.save(asked.review(RUBRIC, ""))
            return _back(asked, "derived")
        if name == "confirm":
            written = tuple(sorted(written_in(rubric)))
            edit = Edit(rubric=rubric, changes=("Confirmed as it is.",), written=written)
        elif (draft := self._drafts.find(name, entry.app, entry.task_id, rubric)) is not None:
            edit = draft
        else:
            raise BadFormError(
                "The task changed since this was shown; go back, reload and edit again.", 409
            )
        asked.desk.save(rubric_review(asked, edit))
        return _back(asked, "rubric")


_SHOWN: Final = ("todo", "done", "all")


def _fits(turn: Turn, show: str) -> bool:
    if show == "all":
        return True
    return turn.done if show == "done" else turn.open


def _order(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    return [(turn.item.entry.app, turn.item.entry.task_id) for turn in turns]


def _was(asked: _TaskRequest, episode_id: str = "") -> dict[str, str]:
    """What a form was about, for a link back to it."""
    entry = asked.entry
    return {"was_app": entry.app, "was_task": entry.task_id, "was_episode": episode_id}


def _back(asked: _TaskRequest, said: str, place: str = "", **more: str) -> Response:
    """To the task once more, with what was just done."""
    at = task_path(asked.entry.app, asked.entry.task_id, said=said, **more)
    return RedirectResponse(f"{at}{place}", status_code=303)
