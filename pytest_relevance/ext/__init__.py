"""What plugs into the core by its hooks and registries. The core imports nothing of
it.
"""
