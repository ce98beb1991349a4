"""What is different between a quote and a text that nearly holds it.

Reports import this module, and not the slower ones that compare texts.
"""

from __future__ import annotations

from enum import Enum


class Difference(Enum):
    """What is different between a quote and the text that nearly holds it."""

    MARKS = "marks"
    """Punctuation marks or signs. The words are the same."""

    SPACES = "spaces"
    """Words are joined or divided. Their letters and digits are the same."""

    ACCENTS = "accents"
    """Letters have other accents."""

    WORDS = "words"
    """Words or numbers are different, or others stand between those of the quote."""

    SPLIT = "split"
    """One text ends within the quote, and another text begins with the rest."""

    ENDS_WITHIN = "ends within"
    """The text ends within the quote, and no other text begins with the rest."""

    BEGINS_WITHIN = "begins within"
    """The text begins within the quote, and no other text ends with the beginning."""
