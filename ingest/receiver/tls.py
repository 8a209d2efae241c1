"""Looks at a certificate and its key before anything listens: what is wrong with them is one sentence, not a dead thread."""

import ssl
from pathlib import Path

from ingest.errors import IngestError


def check_tls(certificate: Path | None, key: Path | None) -> None:
    """Refuse half a pair, which would leave a port without TLS unseen, and files that do not serve."""
    if certificate is None and key is None:
        return
    if certificate is None or key is None:
        raise IngestError("TLS needs a certificate and its key: pass --certificate and --key.")
    for path in (certificate, key):
        if not path.is_file():
            raise IngestError(
                f"The TLS certificate or key {path} cannot be read; check the path and its owner."
            )
    try:
        # A key with a password would be asked for on the terminal, by each worker that starts.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except OSError as error:
        raise IngestError(
            f"The certificate {certificate} and the key {key} cannot be used ({error.strerror or error}); "
            "check that both are PEM files without a password and belong together."
        ) from error
