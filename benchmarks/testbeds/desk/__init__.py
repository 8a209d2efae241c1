"""The example support desk as a testbed: its conversations, and which requests can be solved."""
