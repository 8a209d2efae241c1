"""traceloop-sdk: its decorators for a workflow and a tool, association properties for conversation and user."""

import os
import sys

import openai
from dialogue import CONVERSATION, MODEL_URL, USER, find_order, talk
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import tool, workflow

Traceloop.init(
    app_name="shop", api_endpoint=os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"], telemetry_enabled=False
)
Traceloop.set_association_properties({"session_id": CONVERSATION, "user_id": USER})
run = tool(name="find_order")(find_order)


@workflow(name="desk")
def desk() -> None:
    """The whole conversation in one trace."""
    talk(openai.OpenAI(base_url=MODEL_URL, api_key="none"), run, stream="stream" in sys.argv)


desk()
