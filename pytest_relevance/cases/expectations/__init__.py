"""The entries of `expect:`: what may be written for each kind, and what it becomes."""
