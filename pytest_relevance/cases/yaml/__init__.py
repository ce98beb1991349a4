"""Case files as YAML text: reading nodes with their positions, writing values, and changing a file in place."""
