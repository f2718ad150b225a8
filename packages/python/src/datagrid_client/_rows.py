"""Rows of a datagrid."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, cast

from ._errors import ApiError
from ._files import Export, ImportSource, export_file, import_file
from ._transport import Transport
from ._types import ImportReport, OperationResult, Row, RowPage, UpsertTotals, Values

#: Limits of one request, with room: the service accepts 1,000 rows, 10 MiB and a million values.
MAX_ROWS = 1_000
MAX_BYTES = 4 * 1024 * 1024
MINIMAL = {"prefer": "return=minimal"}


@dataclass(frozen=True)
class ChangePage:
    """Changes to apply, and the cursor to store with them."""

    changes: List[Dict[str, Any]]
    #: Pass it as `cursor` to continue after this page.
    cursor: str
    #: Whether everything has been read.
    is_up_to_date: bool
    #: Whether this is the first page from the beginning: there was no cursor, or it has expired.
    is_restart: bool


def moved_values(
    values: Mapping[str, Any], before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]
) -> Dict[str, Any]:
    """Returns the values of a row of a copy after a `schema` change.

    Values of columns whose key has changed are under the new key, and those of removed columns are gone.
    Columns are identified by their `id`, and a new column can have the key of another one.

    :param before: Columns of the copy before the change: those of the previous `schema` change.
    :param after: Columns of the change.
    """
    keys = {column["id"]: column["key"] for column in after}
    return {
        keys[column["id"]]: values[column["key"]]
        for column in before
        if column["id"] in keys and column["key"] in values
    }


class Rows:
    """Rows of one datagrid."""

    def __init__(self, transport: Transport, datagrid_id: str) -> None:
        self._transport = transport
        self._path = f"/datagrids/{datagrid_id}"

    def get(self, row_id: int) -> Row:
        return cast(Row, self._transport.data("GET", f"{self._path}/rows/{row_id}"))

    def get_with_etag(self, row_id: int) -> Tuple[Row, str]:
        """Returns a row and its ETag, for `if_match` of a write."""
        body, headers = self._transport.request("GET", f"{self._path}/rows/{row_id}")
        return body["data"], headers["etag"]

    def page(self, page: int = 1, limit: int = 20, **query: Any) -> RowPage:
        """Returns one page with the exact total, for a query of any length.

        Takes `filter`, `sort`, `q`, `fields`, `view` and `expand`.
        """
        body = {"page": page, "limit": limit, **_body_query(query)}
        return cast(RowPage, self._transport.body("POST", f"{self._path}/rows/query", json_body=body))

    def pages(self, limit: int = 200, **query: Any) -> Iterator[RowPage]:
        """Yields pages by number."""
        number = 1
        while True:
            page = self.page(number, limit, **query)
            yield page
            if number >= page["meta"]["totalPages"]:
                return
            number += 1

    def list(self, limit: int = 200, **query: Any) -> Iterator[Row]:
        """Yields all rows with a cursor: each row once, whatever is written in the meantime."""
        cursor: Optional[str] = ""
        while cursor is not None:
            body = {"cursor": cursor, "limit": limit, **_body_query(query)}
            page = self._transport.body("POST", f"{self._path}/rows/query", json_body=body)
            yield from page["data"]
            cursor = page["meta"]["nextCursor"]

    def aggregate(self, **query: Any) -> Dict[str, Any]:
        """Groups rows. Takes `groupBy`, `aggregates`, `filter`, `q`, `sort`, `limit` and `view`."""
        body = self._transport.body("POST", f"{self._path}/rows/aggregate", json_body=query)
        return cast(Dict[str, Any], body)

    def create(self, values: Values, **call: Any) -> Row:
        body = {"values": values}
        return cast(Row, self._transport.data("POST", f"{self._path}/rows", json_body=body, **call))

    def create_many(self, rows: Sequence[Values], *, minimal: bool = False, **call: Any) -> List[Row]:
        """Creates up to 1,000 rows, all or none. With `minimal`, the results have no values."""
        body = {"rows": [{"values": values} for values in rows]}
        return cast(List[Row], self._write("POST", "/rows", body, minimal, call))

    def update(self, row_id: int, values: Values, *, if_match: Optional[str] = None, **call: Any) -> Row:
        """Changes values. `None` clears a value."""
        return self._change("PATCH", row_id, values, if_match, call)

    def replace(self, row_id: int, values: Values, *, if_match: Optional[str] = None, **call: Any) -> Row:
        """Replaces all values. Those that are not given are cleared, but those that the service sets stay.

        Leave out values of `lookup` and `count` columns, which a row has when it is read: with them, the
        call fails with 400.
        """
        return self._change("PUT", row_id, values, if_match, call)

    def delete(self, row_id: int, *, if_match: Optional[str] = None, **call: Any) -> None:
        self._transport.request("DELETE", f"{self._path}/rows/{row_id}", headers=_if_match(if_match), **call)

    def upsert(
        self, match_on: Sequence[str], rows: Sequence[Values], *, minimal: bool = False, **call: Any
    ) -> List[OperationResult]:
        """Updates the rows that match by unique columns, and creates the others: up to 1,000, all or none."""
        body = {"matchOn": list(match_on), "rows": [{"values": values} for values in rows]}
        return cast(List[OperationResult], self._write("PUT", "/rows", body, minimal, call)["results"])

    def batch(
        self,
        operations: Sequence[Mapping[str, Any]],
        *,
        mode: str = "atomic",
        dry_run: bool = False,
        minimal: bool = False,
        **call: Any,
    ) -> Dict[str, Any]:
        """Runs up to 1,000 operations, in order. Returns `results` and `revision`."""
        body = {"mode": mode, "dryRun": dry_run, "operations": list(operations)}
        return cast(Dict[str, Any], self._write("POST", "/rows/batch", body, minimal, call))

    def delete_where(self, filter: Mapping[str, Any], **options: Any) -> int:
        """Deletes the rows that match, and returns their number. Takes `maxAffected` and `dryRun`."""
        body = {"filter": filter, **options}
        return int(self._transport.data("POST", f"{self._path}/rows/delete", json_body=body)["deleted"])

    def upsert_all(
        self,
        match_on: Sequence[str],
        rows: Iterable[Values],
        *,
        batch_rows: int = MAX_ROWS,
        on_progress: Optional[Callable[[UpsertTotals], None]] = None,
    ) -> UpsertTotals:
        """Upserts any number of rows, also from a generator, in batches.

        Each batch is all or nothing, and is retried with its own key. After an error, run it again:
        rows that were written are then unchanged.
        """
        totals: UpsertTotals = {"created": 0, "updated": 0, "unchanged": 0}

        def write(batch: Sequence[Values]) -> None:
            try:
                for result in self.upsert(match_on, batch, minimal=True):
                    totals[result["status"]] += 1  # type: ignore[literal-required]
            except ApiError as error:
                is_large = error.status == 413 or any(each["code"] == "too_large" for each in error.details)
                if len(batch) == 1 or not is_large:
                    raise
                # Nothing was written. Stored rows can be much larger than those that are sent.
                half = (len(batch) + 1) // 2
                write(batch[:half])
                write(batch[half:])

        for batch in _batches(rows, match_on, min(batch_rows, MAX_ROWS)):
            write(batch)
            if on_progress:
                on_progress(cast(UpsertTotals, dict(totals)))
        return totals

    def changes(
        self,
        cursor: Optional[str] = None,
        *,
        limit: int = 1_000,
        wait_seconds: int = 30,
        authors: bool = False,
        follow: bool = True,
    ) -> Iterator[ChangePage]:
        """Yields pages of changes. Store the cursor of each page in the transaction that applies it.

        With `follow`, waits for further changes, and survives outages of any length. If the cursor has
        expired, it starts over: rows that are not returned until `is_up_to_date` no longer exist.
        """
        is_restart = cursor is None
        wait = wait_seconds if follow else None
        attempts = float("inf") if follow else None
        while True:
            query = {"cursor": cursor, "limit": limit, "wait": wait, "include": "author" if authors else None}
            call = {"query": query, "timeout": 60 + (wait or 0), "max_attempts": attempts}
            try:
                page = self._transport.body("GET", f"{self._path}/changes", **call)
            except ApiError as error:
                if error.code != "cursor_expired" or cursor is None:
                    raise
                cursor, is_restart = None, True
                continue
            meta = page["meta"]
            cursor = str(meta["nextCursor"])
            yield ChangePage(page["data"], cursor, meta["upToDate"], is_restart)
            is_restart = False
            if not follow and meta["upToDate"]:
                return

    def export(self, *, format: str = "ndjson", max_attempts: Optional[int] = None, **query: Any) -> Export:
        """Starts an export. Takes the parameters of the API, such as `filter`, `sort` and `shape`."""
        return export_file(self._transport, self._path, {"format": format, **query}, max_attempts)

    def import_file(
        self,
        source: ImportSource,
        *,
        format: str,
        is_gzip: bool = False,
        on_progress: Optional[Callable[[ImportReport], None]] = None,
        idempotency_key: Optional[str] = None,
        max_attempts: Optional[int] = None,
        **query: Any,
    ) -> ImportReport:
        """Imports text, bytes, a file or an iterable of bytes, and waits until the import ends.

        Pass a function that opens the file, so that the import can be retried. Takes the parameters of
        the API, such as `mode`, `matchOn`, `linkKeys`, `onError` and `startLine`. `on_progress` receives
        the reports of an import that is still running 2 seconds after the whole file has been sent. It is
        not called while the file is being sent.

        :raises ImportFailed: if it failed after it started.
        """
        return import_file(
            self._transport,
            self._path,
            source,
            file_format=format,
            query=query,
            is_gzip=is_gzip,
            on_progress=on_progress,
            idempotency_key=idempotency_key,
            max_attempts=max_attempts,
        )

    def _change(self, method: str, row_id: int, values: Values, tag: Optional[str], call: Dict[str, Any]) -> Row:
        path, body = f"{self._path}/rows/{row_id}", {"values": values}
        data = self._transport.data(method, path, json_body=body, headers=_if_match(tag), **call)
        return cast(Row, data)

    def _write(self, method: str, path: str, body: Any, minimal: bool, call: Dict[str, Any]) -> Any:
        headers = MINIMAL if minimal else None
        return self._transport.data(method, self._path + path, json_body=body, headers=headers, **call)


def _if_match(tag: Optional[str]) -> Dict[str, str]:
    return {} if tag is None else {"if-match": tag}


def _body_query(query: Mapping[str, Any]) -> Dict[str, Any]:
    """In a body, lists of columns are text."""
    return {
        name: ",".join(value) if isinstance(value, (list, tuple)) else value
        for name, value in query.items()
        if value is not None
    }


def _batches(rows: Iterable[Values], match_on: Sequence[str], most: int) -> Iterator[List[Values]]:
    """Splits rows. If the same key comes twice, the second row is in a later batch."""
    batch: List[Values] = []
    keys: set[str] = set()
    size = 0
    for row in rows:
        key = json.dumps([row.get(name) for name in match_on])
        length = len(json.dumps(row, ensure_ascii=False).encode())
        if batch and (len(batch) >= most or size + length > MAX_BYTES or key in keys):
            yield batch
            batch, keys, size = [], set(), 0
        batch.append(row)
        keys.add(key)
        size += length
    if batch:
        yield batch
