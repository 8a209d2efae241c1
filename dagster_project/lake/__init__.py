"""The lake: Delta tables and files on this disk or in object storage, what each partition was made of."""
