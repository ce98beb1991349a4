"""Graded judgments: the scale they are given on, and how several ratings become one grade."""
