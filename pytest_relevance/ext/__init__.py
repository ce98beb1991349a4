"""The extensions, which plug into the core by hooks and registries.

The core imports none of them.
"""
