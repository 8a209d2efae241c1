"""openinference-instrumentation-openai, with the session's context manager; tools are the app's own spans."""

import json
import sys

import openai
from dialogue import CONVERSATION, MODEL_URL, USER, find_order, talk
from exporting import provider
from openinference.instrumentation import OITracer, TraceConfig, using_attributes
from openinference.instrumentation.openai import OpenAIInstrumentor

sent = provider()
OpenAIInstrumentor().instrument(tracer_provider=sent)
tracer = OITracer(sent.get_tracer("app"), TraceConfig())


def run(order: str) -> str:
    """The tool in a span of its kind."""
    with tracer.start_as_current_span("find_order", openinference_span_kind="tool") as span:
        span.set_tool(name="find_order", parameters={"order": {"type": "string"}})
        span.set_input(json.dumps({"order": order}), mime_type="application/json")
        result = find_order(order)
        span.set_output(result, mime_type="application/json")
        return result


with using_attributes(session_id=CONVERSATION, user_id=USER):
    talk(openai.OpenAI(base_url=MODEL_URL, api_key="none"), run, stream="stream" in sys.argv)
sent.shutdown()
