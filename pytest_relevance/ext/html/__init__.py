"""The HTML report: one file with its data, style and script in it, which opens from a
disk without a network.
"""
