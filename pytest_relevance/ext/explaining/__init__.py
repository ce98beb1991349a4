"""Explanations of ranks in failing cases, which a hook of the project gives."""
