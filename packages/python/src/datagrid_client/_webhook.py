"""Verification of the signatures of webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from ._errors import DatagridError

TOLERANCE_SECONDS = 300


class WebhookVerificationError(DatagridError):
    """Raised if a delivery must be rejected. Respond with 400."""


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """Returns the event of a delivery with a valid signature.

    :param body: The body as it was received.
    :param secret: The secret, or several while you rotate it.
    :param now: Time in seconds; the current time by default.
    """
    content = body.encode() if isinstance(body, str) else body
    received = {name.lower(): value for name, value in headers.items()}
    try:
        event_id, timestamp = received["webhook-id"], received["webhook-timestamp"]
        signatures = received["webhook-signature"].split(" ")
    except KeyError as error:
        raise WebhookVerificationError(f"The header {error.args[0]} is missing.") from None
    if not timestamp.isascii() or not timestamp.isdigit():
        raise WebhookVerificationError("The timestamp is not a number.")
    current = time.time() if now is None else now
    if abs(current - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookVerificationError("The timestamp is too old or in the future.")
    signed = f"{event_id}.{timestamp}.".encode() + content
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [b"v1," + base64.b64encode(hmac.new(_key(each), signed, hashlib.sha256).digest()) for each in secrets]
    # Compares all, so that the time does not depend on which one matches.
    matches = [hmac.compare_digest(sent.encode(), own) for sent in signatures for own in expected]
    if not any(matches):
        raise WebhookVerificationError("The signature is wrong.")
    try:
        event: Dict[str, Any] = json.loads(content)
    except ValueError:
        raise WebhookVerificationError("The body is not JSON.") from None
    return event


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("The secret must be that of a webhook, which begins with whsec_.") from None
