"""Who shows a certificate to whom: nodes to everybody, nodes to nodes both ways."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Final

from grouplock.client.errors import GroupLockError

LEAST: Final = ssl.TLSVersion.TLSv1_2


class BadCertificate(GroupLockError, ValueError):
    """A file of TLS that cannot be used; the text names it."""


def for_clients(ca: str | Path) -> ssl.SSLContext:
    """Calls nodes whose certificate this authority has signed, for the name that is called."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = LEAST
    _trust(context, ca)
    return context


def for_doors(cert: str, key: str, ca: str) -> ssl.SSLContext:
    """Answers with our certificate; who calls need not show one, but for nodes (doors.py)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = LEAST
    _show(context, cert, key)
    if ca:
        _trust(context, ca)
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def for_nodes(cert: str, key: str, ca: str) -> ssl.SSLContext:
    """Calls another node, and shows our certificate to it."""
    context = for_clients(ca)
    _show(context, cert, key)
    return context


def _show(context: ssl.SSLContext, cert: str, key: str) -> None:
    try:
        context.load_cert_chain(cert, key)
    except (OSError, ssl.SSLError) as e:
        raise BadCertificate(f"tls_cert {cert}, tls_key {key}: {e}") from e


def _trust(context: ssl.SSLContext, ca: str | Path) -> None:
    try:
        context.load_verify_locations(ca)
    except (OSError, ssl.SSLError) as e:
        raise BadCertificate(f"tls_ca {ca}: {e}") from e
