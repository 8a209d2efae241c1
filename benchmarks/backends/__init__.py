"""Small stateful tool backends in very different styles, invented to measure worlds on apps that nobody tuned for."""
