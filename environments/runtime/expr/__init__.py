"""The closed language of learnt behaviours, and its evaluation."""
