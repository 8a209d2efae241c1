"""The optional model: strictly parsed, asked once, and a clear error when it does not play along."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from pydantic import BaseModel

from synth.llm import LlmError, LlmSettings, ask


class Colour(BaseModel):
    """A reply."""

    name: str
    depth: int


class Script:
    """Answers with the given texts, in order, and counts how often it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked = 0

    def __call__(self, _settings: LlmSettings, _prompt: str) -> str:
        """The next reply."""
        self.asked += 1
        return self.replies.pop(0)


def test_a_reply_is_parsed_also_in_a_fence() -> None:
    """JSON as asked for, bare or in the fence that models like."""
    settings = LlmSettings(model="m")
    bare = ask("?", Colour, settings=settings, complete=Script('{"name": "red", "depth": 3}'))
    fenced = ask(
        "?", Colour, settings=settings, complete=Script('```json\n{"name": "red", "depth": 3}\n```')
    )
    assert bare == fenced == Colour(name="red", depth=3)


@pytest.mark.parametrize(
    "bad",
    [
        "red",
        '{"name": "red"}',
        '{"name": "red", "depth": "3"}',
        '{"name": "red", "depth": 3, "x": 1}',
        "",
    ],
)
def test_a_reply_in_another_shape_is_asked_for_again_and_then_refused(bad: str) -> None:
    """Missing, extra or wrongly typed fields count as no answer; the error says nothing of the reply."""
    good = Script(bad, '{"name": "red", "depth": 3}')
    assert ask("?", Colour, settings=LlmSettings(model="m"), complete=good).depth == 3
    with pytest.raises(LlmError) as caught:
        ask("secret question", Colour, settings=LlmSettings(model="m"), complete=Script(bad, bad))
    assert "Colour" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "red" not in str(caught.value)


def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    """A reply is remembered by model, address, shape and prompt; another model or question is another one."""
    script = Script(
        '{"name": "red", "depth": 3}',
        '{"name": "blue", "depth": 1}',
        '{"name": "grey", "depth": 2}',
    )
    settings = LlmSettings(model="m", cache=tmp_path / "replies")
    other = LlmSettings(model="n", cache=tmp_path / "replies")
    for _ in range(3):
        assert ask("?", Colour, settings=settings, complete=script).name == "red"
    assert ask("??", Colour, settings=settings, complete=script).name == "blue"
    assert ask("?", Colour, settings=other, complete=script).name == "grey"
    assert script.asked == 3


def test_a_damaged_memory_is_asked_again(tmp_path: Path) -> None:
    """A cut or foreign file in the cache is no answer."""
    settings = LlmSettings(model="m", cache=tmp_path)
    ask("?", Colour, settings=settings, complete=Script('{"name": "red", "depth": 3}'))
    (remembered,) = tmp_path.iterdir()
    remembered.write_text("{", encoding="utf-8")
    assert (
        ask("?", Colour, settings=settings, complete=Script('{"name": "blue", "depth": 1}')).name
        == "blue"
    )


class Endpoint(BaseHTTPRequestHandler):
    """A stand-in for any OpenAI-compatible endpoint."""

    def do_POST(self) -> None:
        """One chat completion."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = json.dumps({"name": body["model"], "depth": len(body["messages"])})
        reply = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"],
                 "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
                 "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}  # fmt: skip
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Stay quiet."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    """The stand-in's address."""
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_any_openai_compatible_endpoint_answers(endpoint: str) -> None:
    """Through litellm itself, offline: the request arrives and the reply is parsed; a dead address is one error."""
    settings = LlmSettings(model="openai/tiny", base_url=endpoint, api_key="none", timeout_s=20)
    assert ask("?", Colour, settings=settings) == Colour(name="tiny", depth=1)
    dead = LlmSettings(
        model="openai/tiny", base_url="http://127.0.0.1:9/v1", api_key="none", timeout_s=5
    )
    with pytest.raises(LlmError, match="openai/tiny did not answer"):
        ask("?", Colour, settings=dead)
