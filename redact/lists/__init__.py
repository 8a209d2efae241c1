"""Lists that come from outside: names that people bear, dictionaries, what keys mean, months and titles."""
