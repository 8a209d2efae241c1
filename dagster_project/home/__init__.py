"""The home: its folder or bucket, its settings and version, who may write to it, what is tidied away."""
