"""opentelemetry-instrumentation-openai-v2: content in log events (the default), or on spans when asked for."""

import sys

import openai
from dialogue import CONVERSATION, MODEL_URL, USER, talk
from exporting import provider
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

sent, logs = provider(), LoggerProvider()
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
set_logger_provider(logs)
OpenAIInstrumentor().instrument(tracer_provider=sent, logger_provider=logs)
# The library names no conversation and no user: the app says them on a span of its own.
with sent.get_tracer("app").start_as_current_span("desk") as span:
    span.set_attribute("gen_ai.conversation.id", CONVERSATION)
    span.set_attribute("user.id", USER)
    talk(openai.OpenAI(base_url=MODEL_URL, api_key="none"), stream="stream" in sys.argv)
logs.shutdown()
sent.shutdown()
