"""Explanations of ranks in failing cases, by a hook that the project implements."""
