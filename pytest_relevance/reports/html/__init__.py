"""What HTML pages share: elements, texts, the style, the Content-Security-Policy."""
