"""Several reviewers: who looks at which task, and how far they agree with one another."""
