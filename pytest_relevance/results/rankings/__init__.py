"""What a search returned, read as a ranking; rankings in files; what differs between two rankings."""
