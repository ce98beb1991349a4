"""The command `history`: how search did over many recorded runs."""
