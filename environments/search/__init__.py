"""The search for attempts that are paid without doing the job: an oracle that knows such attempts, and who looks for them."""
