"""The names under which logs hold a tool's call and its result: its tool, its arguments, its id, what came back.

Lists only, the plainest or surest name first; several readers ask them, each in its own forms. `snake_case` names serve readers that fold the keys
of an object first; where keys are read as they are written, the camel forms in use stand beside.
"""

from __future__ import annotations

from typing import Final

TOOLS: Final = (
    *("tool_name", "tool", "api_name", "function_name"),
    *("action", "function", "method", "name", "tool_id"),
    *("task_dialog_id", "fn"),
)
"""What the name of a tool is called."""
ARGUMENTS: Final = (
    *("arguments", "args", "tool_input", "action_input", "parameters", "params", "param_dict"),
    *("kwargs", "tool_args", "tool_arguments", "input", "inputs", "params_as_json"),
    *("toolInput", "input_parameters", "inputParameters", "in", "input_action_parameters"),
    *("input_value", "args_json", "arguments_json", "params_json", "parameters_json", "input_json"),
)
CALLS: Final = ("tool_call", "function_call", "api_call", "service_call", "action", "call", "tool")
"""What an object is called that holds a tool's name and arguments."""
CALL_LISTS: Final = (
    *("tool_calls", "toolCalls", "function_calls", "tool_uses"),
    *("toolInvocations", "tool_invocations", "usedTools", "used_tools", "calls"),
    *("tools_called", "toolsCalled", "toolExecutionRequests", "tool_call", "toolCall"),
    "actions",
)
RESULTS: Final = (
    *("result", "results", "output", "outputs", "response", "observation", "observations"),
    *("result_value", "tool_output", "tool_result", "tool_results", "tool_response"),
    *("api_response", "api_result", "service_results", "execution_result", "toolOutput"),
    *("tool_return", "return_value", "out", "output_action_parameters", "output_value"),
    *("result_json", "output_json", "response_json"),
)
FAILURES: Final = ("error", "err", "exception")
"""What went wrong, in the place of a result."""
RESULT_LISTS: Final = ("tool_results", "toolResults", "function_results", "tool_responses")
"""Lists of results beside what a message says."""
CALL_IDS: Final = (
    *("tool_call_id", "tool_use_id", "call_id", "tool_call_ids", "toolCallId", "callId"),
    *("request_id", "tool_id", "call"),
)
"""What a result calls the id of its call."""
