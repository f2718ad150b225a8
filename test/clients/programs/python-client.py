"""The scenario of scenario.ts with the client that openapi-python-client generates."""

import json
import os
from io import BytesIO
from uuid import UUID

from generated.python_client import AuthenticatedClient
from generated.python_client.api.datagrids import create_datagrid, delete_datagrid
from generated.python_client.api.rows import (
    batch_rows,
    create_row,
    export_rows,
    get_row,
    import_rows,
    list_rows,
    query_rows,
    upsert_rows,
)
from generated.python_client.api.trash import restore_trash_item
from generated.python_client.api.workspaces import create_workspace, delete_workspace
from generated.python_client.models import (
    Batch,
    BatchMode,
    BatchOperation,
    BatchOperationOp,
    BatchOperationValues,
    ColumnOptionsInput,
    CreateColumn,
    CreateColumnType,
    CreateDatagrid,
    CreateRowPrefer,
    CreateWorkspace,
    Error,
    ImportRowsFormat,
    RowInput,
    RowInputValues,
    RowListInput,
    RowQuery,
    RowQueryFilter,
    Upsert,
)
from generated.python_client.types import File

client = AuthenticatedClient(base_url=os.environ["ORIGIN"], token=os.environ["API_KEY"])


def row(**values: str) -> RowInput:
    return RowInput(values=RowInputValues.from_dict(values))


def read(response):
    """Returns the body of a success."""
    assert response is not None and not isinstance(response, Error), response
    return response


workspace = read(
    create_workspace.sync(client=client, body=CreateWorkspace(name="openapi-python-client"))
).data
datagrid = read(
    create_datagrid.sync(
        workspace.id,
        client=client,
        body=CreateDatagrid(
            name="Airports",
            columns=[
                CreateColumn(key="iata", type_=CreateColumnType.TEXT, required=True, unique=True),
                CreateColumn(key="name", type_=CreateColumnType.TEXT),
                CreateColumn(
                    key="size",
                    type_=CreateColumnType.SELECT,
                    options=ColumnOptionsInput(choices=["small", "large"]),
                ),
                CreateColumn(
                    key="tags",
                    type_=CreateColumnType.MULTISELECT,
                    options=ColumnOptionsInput(choices=["eu"]),
                    default_value=["eu"],
                ),
            ],
        ),
    )
).data
assert isinstance(datagrid.id, UUID)
grid = datagrid.id

created = read(
    create_row.sync(
        grid,
        client=client,
        body=RowListInput(
            rows=[
                row(iata="ZRH", name="Zurich", size="large"),
                row(iata="BRN", name="Bern", size="small"),
                row(iata="BSL", name="Basel", size="small"),
            ]
        ),
    )
).data

first_page = read(list_rows.sync(grid, client=client, page=1, limit=2))
cursor_pages = []
cursor = ""
while isinstance(cursor, str):
    page = read(list_rows.sync(grid, client=client, cursor=cursor, limit=2))
    cursor_pages.append([each.id for each in page.data])
    cursor = page.meta.next_cursor

found = read(
    query_rows.sync(
        grid,
        client=client,
        body=RowQuery(filter_=RowQueryFilter.from_dict({"size": "small"}), sort="-iata"),
    )
).data
upserted = read(
    upsert_rows.sync(
        grid,
        client=client,
        body=Upsert(
            match_on=["iata"],
            rows=[row(iata="ZRH", name="Zürich"), row(iata="SIR", name="Sion")],
        ),
    )
).data
batch = read(
    batch_rows.sync(
        grid,
        client=client,
        body=Batch(
            mode=BatchMode.ATOMIC,
            operations=[
                BatchOperation(
                    op=BatchOperationOp.CREATE,
                    values=BatchOperationValues.from_dict({"iata": "ACH"}),
                ),
                BatchOperation(
                    op=BatchOperationOp.UPDATE,
                    id=1,
                    values=BatchOperationValues.from_dict({"name": "Zurich"}),
                ),
                BatchOperation(op=BatchOperationOp.DELETE, id=2),
            ],
        ),
    )
).data
alone = read(
    create_row.sync(
        grid, client=client, body=row(iata="EML"), prefer=CreateRowPrefer.RETURNMINIMAL
    )
).data

imported = read(
    import_rows.sync(
        grid,
        client=client,
        body=File(payload=BytesIO(b"iata,name,size\nGVA,Geneva,large\nLUG,Lugano,small\n")),
        format_=ImportRowsFormat.CSV,
    )
).data
exported = read(export_rows.sync(grid, client=client, sort="iata", fields="iata"))

missing = get_row.sync_detailed(grid, 999, client=client)
duplicate = create_row.sync_detailed(grid, client=client, body=row(iata="ZRH"))
assert isinstance(missing.parsed, Error) and isinstance(duplicate.parsed, Error)

delete_datagrid.sync_detailed(grid, client=client)
restored = read(restore_trash_item.sync(grid, client=client)).data
delete_workspace.sync_detailed(workspace.id, client=client, cascade=True)
restored_workspace = read(restore_trash_item.sync(workspace.id, client=client)).data

print(
    json.dumps(
        {
            "columns": [column.key for column in datagrid.columns],
            "defaultValue": datagrid.columns[3].default_value,
            "created": [each.values["name"] for each in created],
            "createdAlone": alone.id,
            "page": {
                "ids": [each.id for each in first_page.data],
                "total": first_page.meta.total,
                "totalPages": first_page.meta.total_pages,
            },
            "cursorPages": cursor_pages,
            "found": [each.values["name"] for each in found],
            "upserted": [each.status.value for each in upserted.results],
            "batch": [each.status.value for each in batch.results],
            "imported": imported.created,
            "exported": [json.loads(line)["iata"] for line in exported.splitlines()],
            "missing": {"status": missing.status_code, "code": missing.parsed.error.code},
            "duplicate": {
                "status": duplicate.status_code,
                "code": duplicate.parsed.error.code,
                "fields": [detail.field for detail in duplicate.parsed.error.details or []],
            },
            "restoredColumns": len(restored.columns),
            "restoredWorkspace": restored_workspace.name,
        }
    )
)
