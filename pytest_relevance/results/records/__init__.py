"""The record of a run as a file, and the run that is read from one or several of them."""
