"""SQL over the datagrids of a workspace."""

from __future__ import annotations

import http.client
import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._files import checked_parts
from ._transport import Transport, url_of

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
    content = json.dumps({**body, "endLine": True}, ensure_ascii=False, allow_nan=False).encode()
    headers = {
        "content-type": "application/json",
        "accept": "application/x-ndjson",
        "accept-encoding": "identity",
        **transport.write_headers(None),
    }

    def attempt() -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        return transport.open("POST", url_of(path, None), headers, content, timeout)[:2]

    connection, response = transport.retry(attempt, max_attempts=max_attempts)
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
