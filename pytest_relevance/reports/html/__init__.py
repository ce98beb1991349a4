"""What the pages share: texts as HTML, the style, the policy."""
