"""Episodes in, clean episodes out: personal values are learnt, then replaced by keyed surrogates."""
