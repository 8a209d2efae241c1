"""Tasks, rubrics, attempts and verdicts as data, and the folder that holds them."""
