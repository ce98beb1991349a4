"""The Content-Security-Policy of a page: nothing but its own style and script."""

from __future__ import annotations

import base64
from hashlib import sha256


def content_security_policy(
    style: str, script: str = "", *, images: bool = False
) -> str:
    """Return the policy of a page: what it may run and load.

    This style, this script if there is one, and nothing else but `images` of the web.
    """
    sources = ["default-src 'none'", f"style-src '{_digest(style)}'"]
    if script:
        sources.append(f"script-src '{_digest(script)}'")
    if images:
        sources.append("img-src http: https:")
    return "; ".join([*sources, "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    """Return the source expression of a policy for an inline style or script:
    SHA-256.
    """
    digest = base64.b64encode(sha256(text.encode("utf-8")).digest())
    return f"sha256-{digest.decode('ascii')}"
