"""Errors that the client raises."""

from __future__ import annotations

import email.utils
import json
import math
import time
from typing import TYPE_CHECKING, List, Mapping, Optional, TypedDict

if TYPE_CHECKING:
    from ._types import ImportReport

UNEXPECTED_RESPONSE = "unexpected_response"


class ErrorDetail(TypedDict):
    """A parameter, header or property that is wrong."""

    field: str
    code: str
    message: str


class DatagridError(Exception):
    """Base class of all errors of this package."""


class ApiError(DatagridError):
    """Raised for a response with an error status."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        details: Optional[List[ErrorDetail]] = None,
        request_id: Optional[str] = None,
        location: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        #: An error code of the API, such as `conflict`, or `unexpected_response`.
        self.code = code
        self.details = details or []
        #: ID of the request in the service's log.
        self.request_id = request_id
        #: Path of a resource with details, such as the report of a failed import.
        self.location = location
        #: Seconds that the service requests in `Retry-After`.
        self.retry_after = retry_after

    @property
    def field(self) -> Optional[str]:
        """Field of the first detail, such as `values.iata`."""
        return self.details[0]["field"] if self.details else None


class ConnectionFailed(DatagridError):
    """Raised if no response arrives, or only a part of it.

    If the request was a write, it is unknown whether the service made the change: send it again
    with the same idempotency key.
    """


class ImportFailed(DatagridError):
    """Raised if an import fails or is canceled after it started."""

    def __init__(self, report: ImportReport, cause: Optional[ApiError] = None) -> None:
        failure = report.get("failure")
        text = failure["message"] if failure else "The import failed."
        super().__init__(cause.message if cause else text)
        #: What was written. `nextLine` is the line to continue from.
        self.report = report


class SourceError(DatagridError):
    """Raised if the file of an import cannot be read."""


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """Reads an error from a response. Header names are in lower case."""
    try:
        error = json.loads(body)["error"]
        code, message = str(error["code"]), str(error["message"])
        details, request_id = error.get("details"), error.get("requestId")
    except (ValueError, KeyError, TypeError):
        code, message = UNEXPECTED_RESPONSE, f"The service responded with status {status}."
        details, request_id = None, headers.get("x-request-id")
    return ApiError(
        message,
        status=status,
        code=code,
        details=details,
        request_id=request_id,
        location=headers.get("location"),
        retry_after=_seconds(headers.get("retry-after")),
    )


def _seconds(text: Optional[str]) -> Optional[float]:
    """Reads `Retry-After`: a number of seconds, or a date as some proxies send it."""
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        try:
            value = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return max(0.0, value) if math.isfinite(value) else None
