"""Imports and exports of files, as streams."""

from __future__ import annotations

import http.client
import json
import re
from typing import IO, Any, Callable, Dict, Generator, Iterable, Iterator, Mapping, Optional, Union

from ._errors import ApiError, ConnectionFailed, ImportFailed, SourceError
from ._transport import Transport, read_all, url_of
from ._types import ImportReport

TYPES = {"csv": "text/csv", "ndjson": "application/x-ndjson"}
WATCH_EVERY_SECONDS = 0.5
PART_BYTES = 64 * 1024
#: Longer than every end line.
MAX_END_LINE_BYTES = 64
END_LINE = re.compile(rb'(?:^|\n)(\{"_end":\{"rows":(\d+)\}\}\n)\Z')

ImportFile = Union[str, bytes, IO[bytes], Iterable[bytes]]
ImportSource = Union[ImportFile, Callable[[], ImportFile]]


class Export:
    """A file that is being read. Iterate over it, and use it as a context manager.

    The service ends a file with a line that proves that it is complete. It is checked and removed.
    """

    def __init__(
        self,
        transport: Transport,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        content_type: str,
    ) -> None:
        self._transport, self._connection, self._response = transport, connection, response
        self.content_type = content_type
        #: Number of rows, when the file has been read to its end.
        self.rows: Optional[int] = None

    def __enter__(self) -> Export:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[bytes]:
        """Yields parts of the file.

        :raises ConnectionFailed: if the export ends early. Then discard what you have read.
        """
        try:
            self.rows = yield from checked_parts(self._response, "export")
        finally:
            self.close()

    def read(self) -> bytes:
        """Returns the whole file."""
        return b"".join(self)

    def close(self) -> None:
        self._connection.close()


def checked_parts(response: http.client.HTTPResponse, name: str) -> Generator[bytes, None, int]:
    """Yields a file in parts, without its end line, and returns the number of rows.

    :param name: What errors call the file.
    :raises ConnectionFailed: if the end line is missing.
    """
    ended_early = f"The {name} ended early."
    tail = b""
    while True:
        try:
            part = response.read1(PART_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailed(ended_early) from error
        if not part:
            break
        tail += part
        if len(tail) > MAX_END_LINE_BYTES:
            yield tail[:-MAX_END_LINE_BYTES]
            tail = tail[-MAX_END_LINE_BYTES:]
    found = END_LINE.search(tail)
    if not found:
        raise ConnectionFailed(ended_early)
    rest = tail[: found.start(1)]
    if rest:
        yield rest
    return int(found.group(2))


def export_file(
    transport: Transport, path: str, query: Mapping[str, Any], max_attempts: Optional[int]
) -> Export:
    """Starts an export. Retries only until the file begins."""
    url = url_of(f"{path}/rows/export", {**query, "endLine": True})

    def attempt() -> Export:
        connection, response, headers = transport.open("GET", url, {"accept-encoding": "identity"}, None)
        return Export(transport, connection, response, headers.get("content-type", ""))

    return transport.retry(attempt, max_attempts=max_attempts)


def import_file(
    transport: Transport,
    path: str,
    source: ImportSource,
    *,
    file_format: str,
    query: Mapping[str, Any],
    is_gzip: bool,
    on_progress: Optional[Callable[[ImportReport], None]],
    idempotency_key: Optional[str],
    max_attempts: Optional[int],
) -> ImportReport:
    """Imports a file, and waits until the import ends."""
    headers: Dict[str, str] = {"content-type": TYPES[file_format], **transport.write_headers(idempotency_key)}
    if is_gzip:
        headers["content-encoding"] = "gzip"
    url = url_of(f"{path}/rows/import", query)
    is_repeatable = callable(source) or isinstance(source, (str, bytes))

    def attempt() -> ImportReport:
        opened = source() if callable(source) else source
        body = opened.encode() if isinstance(opened, str) else opened
        sent = body if isinstance(body, bytes) else _parts(body)
        chunked = {} if isinstance(sent, bytes) else {"transfer-encoding": "chunked"}
        connection, response, _ = transport.open("POST", url, {**headers, **chunked}, sent)
        text = read_all(connection, response)
        transport.release(connection, response)
        report: ImportReport = json.loads(text)["data"]
        return report

    try:
        report = transport.retry(attempt, max_attempts=max_attempts, may_repeat=lambda: is_repeatable)
    except ApiError as error:
        if error.location is None:
            raise
        raise ImportFailed(transport.data("GET", error.location), error) from error
    while report["state"] == "running":
        if on_progress:
            on_progress(report)
        transport.sleep(WATCH_EVERY_SECONDS)
        report = transport.data("GET", f"{path}/imports/{report['id']}")
    if report["state"] != "completed":
        raise ImportFailed(report)
    return report


def _parts(source: Union[IO[bytes], Iterable[bytes]]) -> Iterator[bytes]:
    """Yields the parts of a file or of an iterable. An empty part would end the body."""
    try:
        if hasattr(source, "read"):
            parts: Iterable[bytes] = iter(lambda: source.read(PART_BYTES), b"")
        else:
            parts = source
        for part in parts:
            if part:
                yield part
    except Exception as error:
        raise SourceError(f"Cannot read the file: {error}") from error
    finally:
        close = getattr(source, "close", None)
        if close:
            close()
