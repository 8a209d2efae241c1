"""google-adk: a model class over the stand-in, one session of two turns; its spans need no more than a provider."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from dialogue import CONVERSATION, MODEL, MODEL_URL, SAID, SYSTEM, TOOL, USER, find_order
from exporting import provider
from google.adk.agents import Agent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from openai import OpenAI


class StandIn(BaseLlm):
    """The stand-in's chat completions as ADK's model."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """One model call; the runner asks for whole answers here."""
        assert not stream
        messages: list[Any] = [{"role": "system", "content": SYSTEM}]
        for content in llm_request.contents:
            for part in content.parts or []:
                if part.function_response:
                    messages.append({"role": "tool", "tool_call_id": "x", "content": "{}"})
                elif part.text:
                    role = "assistant" if content.role == "model" else "user"
                    messages.append({"role": role, "content": part.text})
        client = OpenAI(base_url=MODEL_URL, api_key="none")
        made = client.chat.completions.create(model=MODEL, messages=messages, tools=[TOOL])
        said = made.choices[0].message
        parts = [types.Part(text=said.content)] if said.content else []
        for call in said.tool_calls or ():
            arguments = json.loads(call.function.arguments)
            named = types.FunctionCall(id=call.id, name=call.function.name, args=arguments)
            parts.append(types.Part(function_call=named))
        used = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=10, candidates_token_count=5, total_token_count=15
        )
        content = types.Content(role="model", parts=parts)
        yield LlmResponse(content=content, usage_metadata=used)


sent = provider()


async def main() -> None:
    """Both turns of one session."""
    desk = Agent(name="desk", model=StandIn(model=MODEL), instruction=SYSTEM, tools=[find_order])
    runner = InMemoryRunner(desk, app_name="shop")
    await runner.session_service.create_session(
        app_name="shop", user_id=USER, session_id=CONVERSATION
    )
    for said in SAID:
        turn = types.Content(role="user", parts=[types.Part(text=said)])
        async for _event in runner.run_async(
            user_id=USER, session_id=CONVERSATION, new_message=turn
        ):
            pass


asyncio.run(main())
sent.shutdown()
