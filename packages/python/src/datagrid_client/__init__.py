"""Typed client of the datagrid platform's REST API, without dependencies."""

from __future__ import annotations

import ssl
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, cast

from ._errors import ApiError, ConnectionFailed, DatagridError, ErrorDetail, ImportFailed, SourceError
from ._files import Export, ImportSource
from ._rows import ChangePage, Rows
from ._transport import OnRetry, Transport
from ._types import (
    Column,
    Datagrid,
    ImportReport,
    OperationResult,
    PageMeta,
    Row,
    RowPage,
    UpsertTotals,
    Values,
    Workspace,
)
from ._webhook import WebhookVerificationError, verify_webhook

__all__ = [
    "ApiError",
    "ChangePage",
    "Client",
    "Column",
    "ConnectionFailed",
    "Datagrid",
    "DatagridError",
    "ErrorDetail",
    "Export",
    "ImportFailed",
    "ImportReport",
    "ImportSource",
    "OperationResult",
    "PageMeta",
    "Row",
    "RowPage",
    "Rows",
    "SourceError",
    "UpsertTotals",
    "Values",
    "WebhookVerificationError",
    "Workspace",
    "verify_webhook",
]


class Client:
    """Client of the REST API. Threads can share it.

    :param base_url: URL of the service. A path is ignored.
    :param api_key: API key, which begins with `mk_`.
    :param max_attempts: Attempts of a call, including the first.
    :param timeout: Seconds that the service may be silent.
    :param on_retry: Called before each retry with the error, the attempts so far, and the wait.
    :param traceparent: Returns the W3C `traceparent` of the current span. Called for each attempt.
    :param ssl_context: Used in place of the default context.
    :param sleep: Used in place of `time.sleep` to wait before a retry.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        max_attempts: int = 7,
        timeout: float = 60.0,
        on_retry: Optional[OnRetry] = None,
        traceparent: Optional[Callable[[], Optional[str]]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._transport = Transport(
            base_url,
            api_key,
            max_attempts=max_attempts,
            timeout=timeout,
            on_retry=on_retry,
            traceparent=traceparent,
            ssl_context=ssl_context,
            sleep=sleep,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes idle connections. The client can still be used."""
        self._transport.close()

    def me(self) -> Dict[str, Any]:
        """Returns the key of the client, its owner, and its limits."""
        return cast(Dict[str, Any], self._transport.data("GET", "/me"))

    def rows(self, datagrid_id: str) -> Rows:
        """Returns the rows of a datagrid. Sends no request."""
        return Rows(self._transport, datagrid_id)

    def workspaces(self) -> Iterator[Workspace]:
        """Yields all workspaces."""
        return self._all("/workspaces")

    def create_workspace(self, name: str, **properties: Any) -> Workspace:
        body = {"name": name, **properties}
        return cast(Workspace, self._transport.data("POST", "/workspaces", json_body=body))

    def datagrids(self, workspace_id: str) -> Iterator[Datagrid]:
        """Yields all datagrids of a workspace."""
        return self._all(f"/workspaces/{workspace_id}/datagrids")

    def datagrid(self, datagrid_id: str) -> Datagrid:
        return cast(Datagrid, self._transport.data("GET", f"/datagrids/{datagrid_id}"))

    def create_datagrid(self, workspace_id: str, name: str, columns: List[Column], **properties: Any) -> Datagrid:
        body = {"name": name, "columns": columns, **properties}
        path = f"/workspaces/{workspace_id}/datagrids"
        return cast(Datagrid, self._transport.data("POST", path, json_body=body))

    def request(self, method: str, path: str, **call: Any) -> Tuple[Any, Dict[str, str]]:
        """Sends any request of the API, and returns its JSON and the headers, by names in lower case.

        Takes `query`, `json_body`, `headers`, `idempotency_key`, `max_attempts` and `timeout`.
        """
        return self._transport.request(method, path, **call)

    def _all(self, path: str) -> Iterator[Any]:
        number = 1
        while True:
            body = self._transport.body("GET", path, query={"page": number, "limit": 200})
            yield from body["data"]
            if number >= body["meta"]["totalPages"]:
                return
            number += 1
