"""What a whole app says of its values: who saw what, catalogues, choices, its language."""
