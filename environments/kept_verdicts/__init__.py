"""What is kept of finished work, so that it is done again only where something that it read has changed."""
