"""langsmith in OpenTelemetry mode: its OpenAI wrapper, traceable functions, thread and user as metadata."""

import openai
from dialogue import CONVERSATION, MODEL_URL, USER, find_order, talk
from exporting import provider
from langsmith import Client, traceable
from langsmith.wrappers import wrap_openai

sent = provider()
smith = Client(api_key="none", api_url="http://127.0.0.1:9")
run = traceable(run_type="tool", name="find_order", client=smith)(find_order)


@traceable(name="desk", client=smith, metadata={"thread_id": CONVERSATION, "user_id": USER})
def desk() -> str:
    """The whole conversation in one trace."""
    talk(wrap_openai(openai.OpenAI(base_url=MODEL_URL, api_key="none")), run)
    return "done"


desk()
smith.flush()
sent.shutdown()
