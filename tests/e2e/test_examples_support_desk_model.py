"""The example app with a real model client: litellm against a local stand-in that speaks the OpenAI protocol."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from examples.support_desk.app import main


class StandIn(BaseHTTPRequestHandler):
    """A model that looks the first e-mail address up once, and then declines."""

    seen: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        """One completion, whole or as a stream."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append(body)
        message = _completion(body["messages"])
        if body.get("stream"):
            self._stream(message)
        else:
            self._send("application/json", json.dumps(_whole(message)).encode())

    def _stream(self, message: dict[str, Any]) -> None:
        chunks = [_chunk(delta, None) for delta in _deltas(message)]
        chunks.append(_chunk({}, "tool_calls" if "tool_calls" in message else "stop"))
        chunks.append({**_chunk({}, None), "choices": [], "usage": _USAGE})
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
        self._send("text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Says nothing."""


_USAGE = {"prompt_tokens": 120, "completion_tokens": 9, "total_tokens": 129}


def _completion(messages: list[dict[str, Any]]) -> dict[str, Any]:
    if all(message["role"] != "tool" for message in messages):
        function = {"name": "calculator", "arguments": json.dumps({"expression": "2 + 3"})}
        call = {"id": "call_1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"role": "assistant", "content": "I am sorry, I cannot do that. Anything else?"}


def _whole(message: dict[str, Any]) -> dict[str, Any]:
    finish = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {
        "id": "cmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stand-in",
        "choices": [choice],
        "usage": _USAGE,
    }


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "tool_calls" not in message:
        for word in message["content"].split(" "):
            yield {"role": "assistant", "content": f"{word} "}
        return
    call = message["tool_calls"][0]
    yield {"role": "assistant", "tool_calls": [_part(call, "", name=call["function"]["name"])]}
    arguments = call["function"]["arguments"]
    for start in range(0, len(arguments), 5):
        yield {"tool_calls": [_part(call, arguments[start : start + 5])]}


def _part(call: dict[str, Any], arguments: str, name: str | None = None) -> dict[str, Any]:
    head = {"id": call["id"], "type": "function"} if name else {}
    return {"index": 0, **head, "function": {"name": name, "arguments": arguments}}


def _chunk(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "cmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "stand-in",
        "choices": [choice],
    }


@pytest.fixture
def endpoint() -> Iterator[str]:
    """The stand-in, serving."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    StandIn.seen.clear()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning"
)  # litellm leaves its client to the interpreter
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of libraries that litellm brings along
@pytest.mark.filterwarnings("ignore::UserWarning")  # pydantic's, about litellm's own models
@pytest.mark.parametrize("stream", [False, True])
def test_a_model_serves_the_desk(endpoint: str, tmp_path: Path, *, stream: bool) -> None:
    """Tool calls and texts come back from the endpoint, whole or streamed, and land in the chat log with their usage."""
    chat, truth = tmp_path / "chat.jsonl", tmp_path / "truth.jsonl"
    options = ["--endpoint", endpoint, "--model", "stand-in", "--conversations", "2", "--quiet"]
    files = ["--chat-log", str(chat), "--truth", str(truth)]
    assert main([*options, *files, *(["--stream"] if stream else [])]) == 0
    assert all(bool(body.get("stream")) == stream for body in StandIn.seen)
    assert StandIn.seen[0]["messages"][0]["role"] == "system"
    assert len(StandIn.seen[0]["tools"]) == 15
    for line in map(json.loads, chat.read_text(encoding="utf-8").splitlines()):
        assert line["model"] == "stand-in"
        calls = [m for m in line["messages"] if m.get("tool_calls")]
        function = calls[0]["tool_calls"][0]["function"]
        assert function == {"name": "calculator", "arguments": '{"expression": "2 + 3"}'}
        assert [m["content"] for m in line["messages"] if m["role"] == "tool"] == ["5"]
        assert line["messages"][-1]["content"].strip().startswith("I am sorry, I cannot do that.")
    policies = {json.loads(line)["policy"] for line in truth.read_text().splitlines()}
    assert policies == {"model"}


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning"
)  # litellm leaves its client to the interpreter
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of libraries that litellm brings along
@pytest.mark.filterwarnings("ignore::UserWarning")  # pydantic's, about litellm's own models
def test_a_dead_endpoint_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody listens: the app says where and what to check, and ends with 1."""
    options = ["--endpoint", "http://127.0.0.1:9/v1", "--model", "stand-in"]
    assert main([*options, "--conversations", "1", "--quiet"]) == 1
    said = capsys.readouterr().err
    assert "the model 'stand-in' at http://127.0.0.1:9/v1 did not answer" in said
    assert "Traceback" not in said
