"""The HTML report: one file that opens from a disk, without a network."""
