"""Raw episodes in, clean ones out: values are learnt, found in texts, judged by their context, and replaced."""
