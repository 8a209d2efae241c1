"""What went wrong with a table or an object, as one sentence: what, where, what to do.

Comes in: a library's exception. Goes out: a sentence without the library's words, which may quote the data or a signature.
"""

import re
from typing import Final

_SAID: Final = (
    (
        r"No space left|StorageFull|File too large|QuotaExceeded|InsufficientStorage| 507 ",
        "the disk is full; free some space and run the command again",
    ),
    (
        r"NoSuchBucket",
        "there is no such bucket; make it, or pass another --home",
    ),
    (
        r"Permission denied",
        "permission denied; check who owns the home",
    ),
    (
        (
            r"AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken"
            r"|40[13] (Unauthorized|Forbidden)|credential|169\.254\.|MissingRegion"
        ),
        (
            "the storage refused the credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the "
            "machine's role, and AWS_REGION or AWS_ENDPOINT_URL"
        ),
    ),
    (
        (
            r"HTTP error|error sending request|timed out|[Tt]imeout|retries|5\d\d (Internal|Bad|Service|Gateway)"
            r"|SlowDown|InternalError|ServiceUnavailable|[Cc]onnect|error decoding response"
        ),
        "the storage does not answer; what was stored stays, run the command again when it does",
    ),
)


def sentence_of(verb: str, where: object, fault: BaseException) -> str:
    """The sentence for a fault at reading or writing a place."""
    text = str(fault)
    told = next((says for pattern, says in _SAID if re.search(pattern, text)), None)
    if told is None and str(where).startswith("s3://"):
        told = f"it is damaged, or the storage's listings are out of date; run the command again ({type(fault).__name__})"
    return f"cannot {verb} {where}: {told or f'the table is damaged or not one ({type(fault).__name__})'}"
