"""What a browser may do with a page of ours: the headers of every answer (pure)."""

from __future__ import annotations

PLAIN_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""For answers that are no page."""


def list_headers(address: str, nonce: str | None = None) -> dict[str, str]:
    """Return the headers of an answer.

    Args:
        address: Host and port that the page is served at.
        nonce: What the page's own scripts are known by; None for an answer that is no page.
    """
    return {
        "Content-Security-Policy": PLAIN_POLICY if nonce is None else describe_policy(address, nonce),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cache-Control": "no-store",
    }


def describe_policy(address: str, nonce: str) -> str:
    """Return the policy of content for a page: its own scripts, its own websocket, nobody's frame.

    viser's client unpacks itself with WebAssembly, talks through a worker that it makes of a blob, and writes its styles into
    the page; its pictures and meshes come through the websocket, its decoders as data within itself.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'nonce-{nonce}' 'wasm-unsafe-eval'",
            "worker-src blob:",
            "style-src 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src data:",
            f"connect-src 'self' ws://{address} data:",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
