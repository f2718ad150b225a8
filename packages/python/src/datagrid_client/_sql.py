"""SQL over the datagrids of a workspace."""

from __future__ import annotations

import http.client
import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import ConnectionFailed
from ._files import checked_parts
from ._transport import Transport, read_all, url_of

PARQUET = "application/vnd.apache.parquet"
#: The last bytes of a complete file.
PARQUET_END = b"PAR1"
MIN_PARQUET_BYTES = 12

#: Values of `?` and `$1` in order, or those of `$name` by name: text, numbers, booleans and None.
SqlParameters = Union[Sequence[Any], Mapping[str, Any]]


def sql_body(statement: str, parameters: Optional[SqlParameters], limit: Optional[int]) -> Dict[str, Any]:
    body: Dict[str, Any] = {"sql": statement}
    if parameters is not None:
        body["parameters"] = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
    if limit is not None:
        body["limit"] = limit
    return body


def sql_rows(
    transport: Transport,
    path: str,
    body: Mapping[str, Any],
    *,
    max_attempts: Optional[int],
    timeout: Optional[float],
) -> Iterator[Dict[str, Any]]:
    """Yields all rows as they arrive. Retries only until the first one.

    :raises ConnectionFailed: if the result ends early.
    """
    connection, response = _open(
        transport,
        path,
        {**body, "endLine": True},
        "application/x-ndjson",
        max_attempts=max_attempts,
        timeout=timeout,
    )
    try:
        parts: List[bytes] = []
        for part in checked_parts(response, "result"):
            first, *others = part.split(b"\n")
            parts.append(first)
            for other in others:
                yield json.loads(b"".join(parts))
                parts = [other]
    finally:
        connection.close()


def sql_parquet(
    transport: Transport,
    path: str,
    body: Mapping[str, Any],
    *,
    max_attempts: Optional[int],
    timeout: Optional[float],
) -> bytes:
    """Returns all rows as a Parquet file.

    :raises ConnectionFailed: if the file is incomplete.
    """
    connection, response = _open(
        transport, path, body, PARQUET, max_attempts=max_attempts, timeout=timeout
    )
    file = read_all(connection, response)
    transport.release(connection, response)
    # A file also begins with these bytes.
    if len(file) < MIN_PARQUET_BYTES or not file.endswith(PARQUET_END):
        raise ConnectionFailed("The result ended early.")
    return file


def _open(
    transport: Transport,
    path: str,
    body: Mapping[str, Any],
    accept: str,
    *,
    max_attempts: Optional[int],
    timeout: Optional[float],
) -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    """Starts a file. Retries only until it begins."""
    content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    headers = {
        "content-type": "application/json",
        "accept": accept,
        "accept-encoding": "identity",
        **transport.write_headers(None),
    }

    def attempt() -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        return transport.open("POST", url_of(path, None), headers, content, timeout)[:2]

    return transport.retry(attempt, max_attempts=max_attempts)
