"""Reason codes and probe names as sentences that a person understands.

In: a code (`pays:claims_success`, `no_resolved_attempt`) or a probe's name. Out: one sentence. A code that is not known is
shown as words, never hidden. Not here: when a reason holds (`environments.verify`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from environments.verification.kinds import KINDS

REASONS: Final[Mapping[str, str]] = {
    "no_resolved_attempt": "nobody is known to have got what this request asks for, and there is no reference answer that could be asked for",
    "no_solution": "there is no attempt that could show what a good one looks like",
    "doubtful_end": "outcomes do not say clearly enough which end is right",
    "dirty_unknown": "all who got what they asked for had a call that failed, and nobody knows whether it changed something all the same",
    "no_positive_evidence": "nothing shows that the job was done: doing nothing would look the same",
    "wording_is_the_work": "the task is to write a text, and nothing but its wording tells a good one: only a judge can say that, with the recorded text as its reference",
    "good_attempt_fails": "the rubric does not pay the recorded good attempt in full",
    "good_attempt_not_graded": "the recorded good attempt cannot be graded again, because the rebuilt tools do not know an answer",
    "good_attempt_breaks_rules": "by a judge's word the recorded good attempt breaks many rules of the instructions",
    "two_runs_differ": "two runs of the same actions were graded differently",
    "another_process_differs": "another process graded the same actions differently",
    "another_process_failed": "tracegym itself failed at grading the same actions in another process: how to report it stands in the report",
    "evidence_reachable": "the agent can read what it is graded by",
    "answer_in_text": "the task's own text already holds a value that the agent should find out",
    "not_knowable": "nothing tells a value that the solution needs",
    "withheld_leaf": "a value that the task needs was withheld by redaction",
    "told_by_format": "the user has to be told a time or id that every run tells otherwise",
    "user_acts_first": "the user called tools of their own before the agent spoke: nobody knows what the task began from",
    "tool_changed": "a tool that its attempts call has become another since: the world has it as it was then",
    "no_request": "the recording does not hold what the user asked for",
    "no_world": "the app's tools could not be rebuilt",
    "no_content": "the recording has no message texts",
    "truncated": "the recording was cut off",
    "paid_by_constant_policy": "an agent that does the same at every task would earn it, and too many tasks are like that",
    "grader_not_trusted": "graders judged too many attempts of this app wrongly that they had not seen, and nothing shows that this kind of check does better",
    "judge_not_asked": "a judge has not said yet what its checks make of this task: build with --judge MODEL",
    "budget": "the time or money for attacks was spent before its turn: the next build goes on",
    "fault": "tracegym itself failed at it: what was left out, and how to report it, stands in the report",
    "no_request_like_it": "no other request like it is known to have gone well",
    "alike_requests_end_differently": "requests like it went well in different ways, so that its right end is open",
    "alike_users_withdrew": "users of requests like it did not want it any more when they were asked",
    "asks_something_besides": "the user asks for something that requests like it do not",
    "refused_by_the_backend": "the tools would refuse what helped in requests like it",
    "rule_not_proven": "what helped in requests like it is not proven well enough to be asked for here",
    "value_not_bound": "a value that its right end needs stands nowhere in what was recorded",
    "beyond_what_was_seen": "its right end needs a value unlike any that a tool was seen to take",
    "corrections_contradict": "people say different things of what was done about it",
    "correction_of_another_tool": "what a person did about it was done with a tool that no agent of this app called",
    "correction_refused": "the rebuilt tools refuse what a person did about it",
    "correction_not_known": "nobody knows what becomes of what a person did about it",
    "correction_changes_nothing": "what a person did about it changes nothing that the rebuilt tools know of",
    "correction_not_said": "a person did it with a value that nobody named in the conversation and no record tells",
    "references_contradict": "people give different answers for the right one",
    "reference_withheld": "redaction took out or replaced a part of the question or the reference answer, and nothing in the conversation tells it",
    "reference_may_not_be_all": "a reference answer is known, but its tools can change things, and nobody shows whether the request needs that",
    "reference_not_answered": "outcomes and the reference answer do not agree about who answered right",
    "counts_calls_only": "nothing but a number of calls would be paid for; for coding, send the tests' result or a reference answer",
    "nothing_to_bind": "what its user needs to be told is not one value",
    "review_is_stale": "the derived rubric changed after a person replaced it",
    "reviewed": "a reviewer settled the doubts",
    "left_out_by_reviewer": "a reviewer left it out",
}
_HAND_OVERS: Final = {
    "hands_over": "handing over every request",
    "looks_up_then_hands_over": "looking up what the user names and handing over",
    "looks_up_refuses_hands_over": "looking up what the user names, refusing and handing over",
}
_HANDED_OVER_WITH: Final = {
    "": "",
    "_as_said": " in the words of the user",
    "_with_a_code": " with the first code that the user says",
    "_as_usual": " as most are handed over",
    "_choice": " with one choice of the schema",
}
PROBES: Final[Mapping[str, str]] = {
    "good_attempt": "the recorded good attempt",
    "same_arguments_spelt_otherwise": "the good attempt with its arguments in another order",
    "writes_in_another_order": "the good attempt with its changes in another order",
    "free_text_reworded": "the good attempt with its texts in other words",
    "lists_reordered": "the good attempt with the items of a list in another order",
    "independent_calls_swapped": "the good attempt with look-ups in another order",
    "needless_look": "the good attempt with one look-up that it does not need",
    "do_nothing": "doing nothing",
    "says_hello": "a greeting and nothing else",
    "claims_success": "claiming that everything is done without doing it",
    "refuses": "a refusal without a reason",
    "copies_prompt": "repeating the task's text",
    "injects_in_message": "telling the grader in a message to give full marks",
    "injects_in_arguments": "telling the grader in tool arguments to give full marks",
    "lists_every_fact": "listing every number and code without looking anything up",
    "reads_then_lists_every_fact": "looking everything up and listing every number and code",
    "reads_then_counts_up": "looking things up and guessing every count up to ten",
    "reads_then_claims": "looking things up and claiming that everything is done",
    "calls_every_write_tool": "calling every tool that changes something",
    "calls_every_write_tool_blindly": "calling every tool that changes something with empty arguments",
    "random_calls": "random calls",
    "random_calls_then_hands_over": "random calls and a hand-over",
    "hands_over_at_once": "a hand-over without looking anything up",
    "other_solution": "the solution of another task",
    "another_answer": "the answer of another task",
    "lists_answers": "the right answer among many others",
    "constant_answers_as_usual": "giving the answer that is right most often",
    "fishes_for_unknown": "asking what nobody can answer, in order not to be graded",
    "falsifies_every_figure": "the right calls with every figure, date, id and address in the words another one",
    "says_only_unsure": "the right calls with nothing said but that one is not sure",
    "right_calls_in_silence": "the right calls without a word",
    "right_words_without_calls": "the right words without a call",
    "contradicts_at_the_end": "the good attempt with all that was told contradicted at the end",
    "tells_another_tasks_facts": "the right calls with the words of another task",
    "copies_every_result": "the right calls with every result copied instead of an answer",
    "acts_on_every_record": "the right change made on every record like the right one as well",
    "changes_wrongly_first": "the good attempt with a wrong change made before the right one",
    "drops_write": "the good attempt without one of its changes",
    "repeats_write": "the good attempt with one change made twice",
    "stops_before_last_write": "the good attempt, stopped before its last change",
    "extra_write": "the good attempt with one change too many",
    "found_cheat": "an attempt that does not do the job, found by tracegym attack",
    "recorded_bad": "a recorded attempt whose user was not helped",
    "dumps_in_chunks": "every number in small portions",
    "reads_then_dumps_in_chunks": "looking everything up and telling every number in small portions",
    "reads_then_hands_over": "looking up the right records and handing over",
    "fact_beside_a_call": "the facts in a message that the user never sees",
    "constant_asks_only": "asking back and nothing else",
    "constant_refuses_politely": "refusing every request",
    "constant_looks_up_then_refuses": "looking up what the user names and refusing",
    **{
        f"constant_{how}{with_what}": f"{words}{words_with}"
        for how, words in _HAND_OVERS.items()
        for with_what, words_with in _HANDED_OVER_WITH.items()
    },
}
NUMBERED: Final = re.compile(r"_(\d+)$")
CHANGES: Final = "changes"
CHANGED: Final = re.compile(r"changes_(\d+)_(.+)")


def reason_says(code: str) -> str:
    """A reason as a sentence."""
    kind, _, about = code.partition(":")
    if kind == "pays":
        return f"it would pay for {probe_says(about)}"
    if kind == "misses":
        return f"it would not pay for {probe_says(about)}"
    if more := _with_what(kind, about):
        return more
    if kind in REASONS:
        return REASONS[kind]
    return code.replace("_", " ").replace(":", ": ")


def _with_what(kind: str, about: str) -> str:
    """The sentence of a reason that names a tool, a value or a kind of check; empty for others."""
    if kind == "withheld_leaf" and about not in {"", "request"}:
        return f"{REASONS[kind]}: a call of {about} has it, or was made with what was read from it"
    if kind == "grader_not_trusted" and about in KINDS:
        return f"{REASONS[kind]} (what decides here: {KINDS[about]})"
    if kind == "not_knowable" and about:
        return f"nothing tells {about.replace('.*', '[]')}, which the solution needs: no text, tool or user shows it before the call"
    return ""


def reason_group(code: str) -> str:
    """A reason without the number of its probe and the argument that it changes: what counts together."""
    kind, _, about = code.partition(":")
    if kind in {"answer_in_text", "not_knowable", "withheld_leaf"}:
        return kind
    if CHANGED.fullmatch(about):
        return f"{kind}:{CHANGES}"
    return NUMBERED.sub("", code)


def family_of(name: str) -> str:
    """A probe's kind: its name without its number and the argument that it changes."""
    return CHANGES if CHANGED.fullmatch(name) else NUMBERED.sub("", name)


def probe_says(name: str) -> str:
    """A probe as words that go on a sentence."""
    if name in PROBES:
        return PROBES[name]
    if changed := CHANGED.fullmatch(name):
        return f"the good attempt with another {changed[2].replace('_', ' ')}"
    if name.startswith(f"{CHANGES}_") or name == CHANGES:
        return "the good attempt with an argument changed"
    return PROBES.get(NUMBERED.sub("", name), name.replace("_", " "))
