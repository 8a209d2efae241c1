"""People: reviews of episodes and rubrics, the page they are made on, and how they feed back into the build."""
