"""What HTML pages share: escaped texts, the style, and the Content-Security-Policy."""
