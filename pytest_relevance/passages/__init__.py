"""Find out whether a text holds a passage.

| module | what it has |
|---|---|
| `matching` | whether a text holds a quote |
| `places` | where a text holds a quote |
| `near_misses` | the text that nearly holds a quote, and what is different |
| `differences` | the kinds of differences of such a text |
| `quotes` | quotes of a case that are empty or short, or one inside another |
| `normalising` | texts without the differences of typography, case, white space and lines |
| `markup` | texts without the markup of Markdown and HTML |
| `characters` | where words and numbers begin and end |
"""
