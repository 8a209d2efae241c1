"""Clean episodes in; failures, clusters, worlds, tasks and rubrics out."""
