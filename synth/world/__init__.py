"""Learning a world from clean episodes: one small file per step of `synth.worlds`."""
