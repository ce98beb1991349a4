"""What a report says about a whole run, each part made once; its reports as text, Markdown and data."""
