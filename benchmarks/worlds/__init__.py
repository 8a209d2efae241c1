"""What learnt worlds answer: right, wrong, unknown; how fast; and what changes in an app."""
