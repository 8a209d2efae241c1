"""Speed of environments and rollouts, each beside what it is compared with.

In process on one core: episodes with grading. Against a stand-in endpoint in another process: rollouts/s, and processor time per model call
beside a bare aiohttp client that sends the same bodies.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
from aiohttp import web

from benchmarks.figures import Figure, Row
from environments.rollout.endpoint import EndpointPolicy, EndpointSettings
from environments.rollout.engine import RolloutSettings, run_rollouts
from environments.runtime import TaskSet
from tests.environments_shop import write_shop
from tests.openai_server import shop_clerk


def cpu() -> float:
    """Seconds of CPU this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def episodes(task_set: TaskSet, seconds: float) -> dict[str, Figure]:
    """Live episodes with grading, one after the other."""
    actions = {task.task_id: task_set.solution(task.task_id) for task in task_set.tasks}
    count = calls = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        for task_id, solution in actions.items():
            environment = task_set.environment(task_id)
            for action in solution:
                environment.step(action)
            environment.grade()
            count += 1
            calls += len(environment.attempt().calls)
    took = time.perf_counter() - started
    return {
        "per s": round(count / took),
        "calls per s": round(calls / took),
    }


def serve(port: multiprocessing.Queue[int], latency: float) -> None:
    """A model server in a process of its own."""

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        if latency:
            await asyncio.sleep(latency)
        message = {"role": "assistant", "content": None, **shop_clerk(body)}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        reply = {"choices": [{"index": 0, "message": message, "finish_reason": reason}]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        # Strict clients (OpenAI's own among them) refuse a reply without these.
        top = {"id": "c", "object": "chat.completion", "created": 1, "model": body["model"]}
        return web.json_response({**top, **reply, "usage": usage})

    async def run() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=4096).start()
        port.put(runner.addresses[0][1])
        await asyncio.sleep(3600)

    asyncio.run(run())


@contextmanager
def server(latency: float = 0.0) -> Iterator[str]:
    """The server's URL while the context lasts."""
    port: multiprocessing.Queue[int] = multiprocessing.Queue()
    process = multiprocessing.Process(target=serve, args=(port, latency), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{port.get(timeout=30)}/v1"
    finally:
        process.terminate()
        process.join()


async def through_endpoint(
    task_set: TaskSet, url: str, *, samples: int, concurrency: int
) -> dict[str, Figure]:
    """Rollouts through the direct client."""
    settings = RolloutSettings(samples=samples, concurrency=concurrency)
    started, used = time.perf_counter(), cpu()
    count = calls = 0
    async with EndpointPolicy(EndpointSettings(base_url=url, model="m")) as policy:
        async for rollout in run_rollouts(task_set, policy, settings):
            count += rollout.reward == 1.0
            calls += rollout.messages
    took, used = time.perf_counter() - started, cpu() - used
    return {
        "rollouts": count,
        "per s": round(count / took, 1),
        "model calls": calls,
        "seconds": round(took, 2),
        "processor ms per call": round(used / calls * 1000, 3),
    }


async def bare(task_set: TaskSet, url: str, *, calls: int, concurrency: int) -> dict[str, Figure]:
    """The same bodies sent by a bare aiohttp client, replies parsed."""
    task = task_set.tasks[0]
    body = {
        "model": "m",
        "max_tokens": 4096,
        "messages": list(task.opening),
        "tools": list(task.tools),
    }
    left = iter(range(calls))
    started, used = time.perf_counter(), cpu()

    async def work(session: aiohttp.ClientSession) -> None:
        for _ in left:
            async with session.post(f"{url}/chat/completions", json=body) as response:
                await response.json()

    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(work(session) for _ in range(concurrency)))
    took, used = time.perf_counter() - started, cpu() - used
    return {
        "calls per s": round(calls / took),
        "processor ms per call": round(used / calls * 1000, 3),
    }


def options(parser: argparse.ArgumentParser) -> None:
    """How long, and on what."""
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--latency", type=float, default=10.0)
    parser.add_argument(
        "--task-set", type=Path, help="a task set instead of the small shop (episodes only)"
    )


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Episodes in this process, rollouts against a zero-latency endpoint beside a bare client, a thousand at once."""
    with tempfile.TemporaryDirectory() as folder:
        write_shop(Path(folder) / "set")
        shop = TaskSet.load(Path(folder) / "set")
        played = TaskSet.load(options.task_set) if options.task_set else shop
        yield Row(case="episodes with grading", figures=episodes(played, options.seconds))
        with server() as url:
            ours = asyncio.run(through_endpoint(shop, url, samples=options.samples, concurrency=64))
            calls = int(ours["model calls"] or 0)
            plain = asyncio.run(bare(shop, url, calls=calls, concurrency=64))
        yield Row(case="rollouts, zero-latency endpoint", figures=ours)
        yield Row(case="bare aiohttp client", figures=plain)
        with server(options.latency) as url:
            many = asyncio.run(through_endpoint(shop, url, samples=500, concurrency=1000))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ideal = round(3 * options.latency / float(many["seconds"] or 1), 3)
    yield Row(
        case=f"1000 at once, {options.latency:g} s a call",
        figures={**many, "of ideal": ideal, "peak MiB": round(peak)},
    )
