"""Whether a text holds a passage: the forms in which texts are compared.

| module | what it has |
|---|---|
| `matching` | the forms of texts and quotes, and whether a text holds a quote |
"""
