"""Types of the objects of the API. They are plain dictionaries."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, TypedDict

from ._errors import ErrorDetail

#: Values of a row by the keys of the columns.
Values = Mapping[str, Any]


class Row(TypedDict):
    id: int
    values: Dict[str, Any]
    revision: int
    createdAt: str
    updatedAt: str


class _PageMeta(TypedDict):
    total: int
    page: int
    pageSize: int
    totalPages: int


class PageMeta(_PageMeta, total=False):
    #: `cursor` of the next page; None on the last one. Only in pages of rows without `sort`.
    nextCursor: Optional[str]
    #: Linked rows by the path in `expand`, and by ID as text.
    linked: Dict[str, Dict[str, Row]]
    #: Keys of computed columns whose values the API key has no access to.
    withheld: List[str]


class RowPage(TypedDict):
    data: List[Row]
    meta: PageMeta


class Workspace(TypedDict):
    id: str
    name: str
    description: str
    createdAt: str
    updatedAt: str


class Column(TypedDict, total=False):
    key: str
    title: str
    type: str
    required: bool
    unique: bool
    indexed: bool
    options: Dict[str, Any]
    defaultValue: Any


class Datagrid(TypedDict):
    id: str
    workspaceId: str
    name: str
    description: str
    history: bool
    columns: List[Column]
    rowCount: int
    revision: int
    createdAt: str
    updatedAt: str


class OperationResult(TypedDict, total=False):
    """Result of an operation of a batch, or of a row of an upsert."""

    status: str
    id: int
    row: Row
    revision: int
    error: Dict[str, Any]


class UpsertTotals(TypedDict):
    created: int
    updated: int
    unchanged: int


class SqlTable(TypedDict):
    name: str
    datagridId: str
    datagridName: str


class SqlColumn(TypedDict):
    name: str
    #: Type of DuckDB, such as `BIGINT`.
    type: str


class SqlMeta(TypedDict):
    columns: List[SqlColumn]
    #: Revision of each datagrid that was read, by the name of its table.
    revisions: Dict[str, int]
    #: Whether the result has more rows than `data`.
    truncated: bool


class SqlResult(TypedDict):
    data: List[Dict[str, Any]]
    meta: SqlMeta


class Failure(TypedDict):
    code: str
    message: str


class RejectedLine(TypedDict):
    line: int
    details: List[ErrorDetail]


class _ImportReport(TypedDict):
    id: str
    datagridId: str
    state: str
    rowsRead: int
    created: int
    updated: int
    unchanged: int
    rejected: int
    committedRows: int
    nextLine: Optional[int]
    errors: List[RejectedLine]


class ImportReport(_ImportReport, total=False):
    failure: Failure
