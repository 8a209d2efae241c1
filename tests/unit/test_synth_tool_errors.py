"""Which results say that their call failed, and in which words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from synth.failures.calls import read_calls
from synth.recordings.attempt import record
from synth.tool_errors import error_of, looks_failed
from tests.unit.clean_conversations import call, episode, result, says, user

PARTS = [{"type": "text", "text": '{"id": "A-17"}'}]


@pytest.mark.parametrize(
    ("content", "is_error", "message"),
    [
        ("Error: no such loan", None, "Error: no such loan"),
        ("Error: no such loan", False, "Error: no such loan"),
        ('# result_1 = "Error: no such loan"', None, "Error: no such loan"),
        ('{"error": "gone"}', None, "gone"),
        ('{"errorMessage": "gone"}', None, "gone"),
        ('{"errors": [{"detail": "bad date"}]}', None, "bad date"),
        ('{"success": false, "message": "refused"}', None, "refused"),
        ('{"isSuccess": false, "message": "refused"}', None, "refused"),
        ('{"status": false, "message": "refused"}', None, "refused"),
        ('{"status": "failed", "reason": "late"}', None, "late"),
        ('{"status_code": 404, "detail": "missing"}', None, "missing"),
        ('{"statusCode": 404, "detail": "missing"}', None, "missing"),
        ("ValueError: bad", None, "ValueError: bad"),
        ("ERR card 3005 is blocked", None, "ERR card 3005 is blocked"),
        ('{"err": "gone"}', None, "gone"),
        ("Erratum: page 4", None, None),
        ("Unable to reach the warehouse", None, "Unable to reach the warehouse"),
        ("Can't do that: the plot is taken.", None, "Can't do that: the plot is taken."),
        ("Couldn\u2019t move it", None, "Couldn\u2019t move it"),
        ("Cantilever bridge, 40 m", None, None),
        ("something odd", True, "something odd"),
        ("", True, "error"),
        ('{"error": null, "loan": 1}', None, None),
        ('{"status": "open", "code": 500}', None, None),
        ("The error log is empty", None, None),
        ("[1, 2]", None, None),
        (None, None, None),
        (
            json.dumps({"content": [{"type": "text", "text": "gone"}], "isError": True}),
            None,
            "gone",
        ),
        (json.dumps([{"type": "text", "text": '{"ok": false, "reason": "gone"}'}]), None, "gone"),
        (json.dumps({"type": "error-text", "value": "gone"}), None, "gone"),
        (json.dumps({"content": PARTS, "isError": False}), None, None),
    ],
)
def test_errors_are_read_from_many_shapes(
    content: str | None, is_error: bool | None, message: str | None
) -> None:
    """Flags, fields, status codes and texts that begin like one; a price of 500 is none. Failures are grouped by the message."""
    assert error_of(content, is_error=is_error) == message


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("Invalid address", True),
        ("DECLINED - no funds", True),
        ("404 Not Found", True),
        ("404 Main Street", False),
        ("HTTP/1.1 409: taken", True),
        ("Fehler: unbekannt", True),
        ("错误: 没有订单", True),
        ("Sorry, that is sold out.", True),
        ("No luggage", False),
        ('{"parcel": "P-100"}', False),
        ("The error was fixed", False),
        ('[{"type": "text", "text": "Error: no such parcel"}]', True),
        ('{"type": "json", "value": {"ok": false}}', True),
        ('{"type": "refund", "value": {"ok": false}}', False),
        ('"{\\"error\\": \\"gone\\"}"', True),
        ('```json\n{"error": "gone"}\n```', True),
        ('Tool result: {"ok": false}', True),
        ("Tool error:\nno such parcel", True),
        ('[{"status": "failed", "id": 1}]', False),
        ('{"claim": 7, "status": "denied"}', False),
        ('{"result": false}', False),
    ],
)
def test_refusals_are_recognised(text: str, failed: bool) -> None:
    """By their shape, in plain text and JSON, inside a caller's envelope too; what a record says of itself is none."""
    assert looks_failed(text) is failed


@pytest.mark.parametrize("content", ['{"error": "no such loan"}', "Error: no such loan"])
@pytest.mark.parametrize("marked", [None, False, True])
def test_failures_and_rubrics_agree_on_what_failed(content: str, marked: bool | None) -> None:
    """A span that ended well says that the tool returned, not that it granted what was asked."""
    steps = (user("Renew L-1"), call("1", "renew_loan", loan_id="L-1"), result("1", content))
    one = episode(*steps, says("I could not renew it."))
    one = replace(
        one, steps=tuple(replace(s, is_error=marked) if s.call_id else s for s in one.steps)
    )
    (seen,) = read_calls(one)
    (made,) = record(one).attempt.calls
    assert seen.error is not None
    assert made.result.is_error


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"detail": "Not found: order 7"}, "Not found: order 7"),
        ({"code": "E7", "message": "[failed] nobody matches"}, "[failed] nobody matches"),
        ({"type": "about:blank", "status": 422, "detail": "No seats left"}, "No seats left"),
        ({"message": "The order was cancelled"}, None),
        ({"status": 422, "detail": "Plot by the river", "owner": "A-7"}, None),
        ({"id": "T-1", "message": "Failed login seen twice"}, None),
    ],
)
def test_a_sentence_in_a_record_of_codes_is_read_as_one(
    result: dict[str, object], message: str | None
) -> None:
    """A record that holds nothing but one sentence and codes begins as its sentence does; any other field makes it a record."""
    assert error_of(json.dumps(result), is_error=False) == message
