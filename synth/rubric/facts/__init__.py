"""Facts that users are told: found in attempts, in the forms that another agent may give them."""
