"""Right ends of requests that nobody resolved: bound from alike requests, or from what a person corrected."""
