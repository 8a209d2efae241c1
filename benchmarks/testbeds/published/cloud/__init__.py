"""A published stand-in of a cloud's interfaces."""
