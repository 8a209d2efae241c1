"""Where the heavy maps of a build run: in this process, in processes of this machine, or on a Ray cluster."""
