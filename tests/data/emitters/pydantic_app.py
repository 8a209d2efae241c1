"""pydantic-ai with logfire's set-up, exporting to any OTLP endpoint; one run a turn, the history handed on."""

import logfire
from dialogue import CONVERSATION, MODEL, MODEL_URL, SAID, SYSTEM, USER, find_order
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

logfire.configure(send_to_logfire=False, console=False, service_name="shop")
logfire.instrument_pydantic_ai()
model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=MODEL_URL, api_key="none"))
agent = Agent(model, system_prompt=SYSTEM, tools=[find_order], name="desk")
history = None
for said in SAID:
    with logfire.span("turn", **{"user.id": USER}):
        run = agent.run_sync(said, message_history=history, conversation_id=CONVERSATION)
        history = run.all_messages()
logfire.shutdown()
