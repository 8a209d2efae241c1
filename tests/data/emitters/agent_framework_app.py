"""agent-framework: its own providers, content turned on; one session of two turns."""

import asyncio
from typing import Any

from agent_framework import Agent
from agent_framework.observability import configure_otel_providers
from agent_framework.openai import OpenAIChatCompletionClient
from dialogue import CONVERSATION, MODEL, MODEL_URL, SAID, SYSTEM, USER, find_order
from opentelemetry import trace

configure_otel_providers(enable_sensitive_data=True)


async def main() -> None:
    """Both turns, under a span that names the conversation and the user."""
    client: Any = OpenAIChatCompletionClient(model=MODEL, base_url=MODEL_URL, api_key="none")
    desk = Agent(client=client, name="desk", instructions=SYSTEM, tools=[find_order])
    session = desk.create_session()
    with trace.get_tracer("app").start_as_current_span("desk") as span:
        span.set_attribute("session.id", CONVERSATION)
        span.set_attribute("user.id", USER)
        for said in SAID:
            await desk.run(said, session=session)


asyncio.run(main())
trace.get_tracer_provider().shutdown()
