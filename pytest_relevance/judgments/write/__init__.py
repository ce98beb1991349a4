"""The writing of judgments, in each format that has room for them."""
