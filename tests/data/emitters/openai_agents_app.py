"""openai-agents through openinference-instrumentation-openai-agents; one trace a turn, the history handed on."""

import asyncio
from typing import Any

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    Runner,
    function_tool,
    set_trace_processors,
    trace,
)
from dialogue import CONVERSATION, MODEL, MODEL_URL, SAID, SYSTEM, USER, find_order
from exporting import provider
from openai import AsyncOpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

sent = provider()
set_trace_processors([])  # the default one sends to the vendor
OpenAIAgentsInstrumentor().instrument(tracer_provider=sent)
client = AsyncOpenAI(base_url=MODEL_URL, api_key="none")
desk = Agent(
    name="desk",
    instructions=SYSTEM,
    tools=[function_tool(find_order)],
    model=OpenAIChatCompletionsModel(MODEL, client),
)


async def main() -> None:
    """Both turns."""
    history: list[Any] = []
    for said in SAID:
        history.append({"role": "user", "content": said})
        with using_attributes(session_id=CONVERSATION, user_id=USER), trace("desk"):
            history = (await Runner.run(desk, history)).to_input_list()


asyncio.run(main())
sent.shutdown()
