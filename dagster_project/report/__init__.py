"""The page that `build` writes: plain records in, one self-contained HTML file out."""
