"""langfuse: its drop-in OpenAI client, a tool by decorator, session and user by `propagate_attributes`."""

import os
import sys

from dialogue import CONVERSATION, MODEL_URL, USER, find_order, talk
from langfuse import Langfuse, get_client, observe, propagate_attributes
from langfuse.openai import OpenAI
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

exporter = OTLPSpanExporter(os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces")
Langfuse(public_key="pk", secret_key="sk", host="http://127.0.0.1:9", span_exporter=exporter)
run = observe(name="find_order", as_type="tool")(find_order)


@observe(name="desk", as_type="agent", capture_input=False, capture_output=False)
def desk() -> None:
    """The whole conversation in one trace."""
    with propagate_attributes(session_id=CONVERSATION, user_id=USER):
        client = OpenAI(base_url=MODEL_URL, api_key="none")
        talk(client, run, stream="stream" in sys.argv)


desk()
get_client().flush()
