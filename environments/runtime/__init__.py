"""The replay runtime: standard library only, vendored verbatim into every exported task set."""
