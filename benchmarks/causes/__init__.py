"""How often the cause of a failure is found: the agent and the step that people named, and faults that are known because they were injected.

Run: `python -m benchmarks causes [--runs FOLDER] [--attempts FOLDER] [--judged FILE] [--variants 1,2,3] [--seed N] [--requests N]`. Each of `runs`, `desk`, `attempts` and `judged` says
what it measures; without an option it is the desk.
"""
