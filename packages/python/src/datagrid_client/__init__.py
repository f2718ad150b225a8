"""Typed client of the datagrid platform's REST API, without dependencies."""

from __future__ import annotations

import ssl
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, cast

from ._errors import ApiError, ConnectionFailed, DatagridError, ErrorDetail, ImportFailed, SourceError
from ._files import Export, ImportSource
from ._rows import ChangePage, Rows, moved_values
from ._sql import SqlParameters, sql_body, sql_parquet, sql_rows
from ._transport import OnRetry, Transport
from ._types import (
    Column,
    Datagrid,
    ImportReport,
    OperationResult,
    PageMeta,
    Row,
    RowPage,
    SqlResult,
    SqlTable,
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
    "SqlParameters",
    "SqlResult",
    "SqlTable",
    "UpsertTotals",
    "Values",
    "WebhookVerificationError",
    "Workspace",
    "moved_values",
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

    def workspace(self, workspace_id: str) -> Workspace:
        return cast(Workspace, self._transport.data("GET", f"/workspaces/{workspace_id}"))

    def update_workspace(self, workspace_id: str, **properties: Any) -> Workspace:
        """Changes `name` or `description`."""
        return cast(Workspace, self._transport.data("PATCH", f"/workspaces/{workspace_id}", json_body=properties))

    def delete_workspace(self, workspace_id: str, *, cascade: bool = False) -> None:
        """Moves a workspace to the trash. With `cascade`, also if it contains datagrids."""
        query = {"cascade": True} if cascade else None
        self._transport.request("DELETE", f"/workspaces/{workspace_id}", query=query)

    def datagrids(self, workspace_id: str) -> Iterator[Datagrid]:
        """Yields all datagrids of a workspace."""
        return self._all(f"/workspaces/{workspace_id}/datagrids")

    def datagrid(self, datagrid_id: str) -> Datagrid:
        return cast(Datagrid, self._transport.data("GET", f"/datagrids/{datagrid_id}"))

    def create_datagrid(self, workspace_id: str, name: str, columns: List[Column], **properties: Any) -> Datagrid:
        body = {"name": name, "columns": columns, **properties}
        path = f"/workspaces/{workspace_id}/datagrids"
        return cast(Datagrid, self._transport.data("POST", path, json_body=body))

    def update_datagrid(self, datagrid_id: str, **properties: Any) -> Datagrid:
        """Changes `name`, `description` or `history`."""
        return cast(Datagrid, self._transport.data("PATCH", f"/datagrids/{datagrid_id}", json_body=properties))

    def delete_datagrid(self, datagrid_id: str) -> None:
        """Moves a datagrid to the trash."""
        self._transport.request("DELETE", f"/datagrids/{datagrid_id}")

    def add_column(self, datagrid_id: str, column: Column) -> Column:
        """Adds a column. `columns` of the datagrid lists them."""
        return cast(Column, self._transport.data("POST", f"/datagrids/{datagrid_id}/columns", json_body=column))

    def update_column(self, datagrid_id: str, column_key: str, **properties: Any) -> Column:
        """Changes properties of a column, such as `title`, `key` or `options`."""
        path = f"/datagrids/{datagrid_id}/columns/{column_key}"
        return cast(Column, self._transport.data("PATCH", path, json_body=properties))

    def delete_column(self, datagrid_id: str, column_key: str) -> None:
        """Moves a column and its values to the trash of the datagrid."""
        self._transport.request("DELETE", f"/datagrids/{datagrid_id}/columns/{column_key}")

    def sql_tables(self, workspace_id: str) -> Iterator[SqlTable]:
        """Yields the tables that statements can read."""
        return self._all(f"/workspaces/{workspace_id}/sql/tables")

    def sql(
        self,
        workspace_id: str,
        statement: str,
        parameters: Optional[SqlParameters] = None,
        *,
        limit: Optional[int] = None,
        max_attempts: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> SqlResult:
        """Runs one SELECT, in the dialect of DuckDB, over the datagrids of a workspace.

        :param parameters: Values of `?` and `$1` in order, or those of `$name` by name.
        :param limit: Maximum number of rows, up to 10,000; 1,000 by default.
        """
        body = sql_body(statement, parameters, limit)
        path = f"/workspaces/{workspace_id}/sql"
        call = {"max_attempts": max_attempts, "timeout": timeout}
        return cast(SqlResult, self._transport.body("POST", path, json_body=body, **call))

    def sql_rows(
        self,
        workspace_id: str,
        statement: str,
        parameters: Optional[SqlParameters] = None,
        *,
        limit: Optional[int] = None,
        max_attempts: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Iterator[Dict[str, Any]]:
        """Yields all rows of a SELECT as they arrive. Retries only until the first one.

        :param timeout: Seconds that the service may be silent, also before the first row.
        :raises ConnectionFailed: if the result ends early. Then discard what you have read.
        """
        return sql_rows(
            self._transport,
            f"/workspaces/{workspace_id}/sql",
            sql_body(statement, parameters, limit),
            max_attempts=max_attempts,
            timeout=timeout,
        )

    def sql_parquet(
        self,
        workspace_id: str,
        statement: str,
        parameters: Optional[SqlParameters] = None,
        *,
        limit: Optional[int] = None,
        max_attempts: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """Returns all rows of a SELECT as a Parquet file, which has the types of the columns.

        :param timeout: Seconds that the service may be silent, also while it writes the file.
        :raises ConnectionFailed: if the file is incomplete.
        """
        return sql_parquet(
            self._transport,
            f"/workspaces/{workspace_id}/sql",
            sql_body(statement, parameters, limit),
            max_attempts=max_attempts,
            timeout=timeout,
        )

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        json_body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
        max_attempts: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Tuple[Any, Dict[str, str]]:
        """Sends any request of the API, and returns its JSON and the headers, by names in lower case.

        :param path: Path after `/api/v1/public`.
        :param json_body: Sent as JSON.
        """
        return self._transport.request(
            method,
            path,
            query=query,
            json_body=json_body,
            headers=headers,
            idempotency_key=idempotency_key,
            max_attempts=max_attempts,
            timeout=timeout,
        )

    def _all(self, path: str) -> Iterator[Any]:
        number = 1
        while True:
            body = self._transport.body("GET", path, query={"page": number, "limit": 200})
            yield from body["data"]
            if number >= body["meta"]["totalPages"]:
                return
            number += 1
