"""Reads, creates and drops tables with pyiceberg. A request and a response are a line of JSON each."""

import datetime
import json
import sys

import pyarrow
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchTableError

properties = json.loads(sys.argv[1])
namespace = properties.pop("namespace")
catalog = load_catalog("test", type="rest", **properties)


def printed(value):
    if isinstance(value, datetime.datetime):
        text = value.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds")
        return text.replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, datetime.date) else value


def read(name):
    try:
        table = catalog.load_table((namespace, name))
    except NoSuchTableError:
        return None
    rows = table.scan().to_arrow().to_pylist()
    return [{key: printed(value) for key, value in row.items()} for row in rows]


def create(name):
    rows = pyarrow.table({"id": [1]})
    catalog.create_namespace_if_not_exists(namespace)
    catalog.create_table((namespace, name), rows.schema).append(rows)


def drop(name):
    catalog.drop_table((namespace, name))


def append(name):
    """Writes a row to a table, as its owner could."""
    table = catalog.load_table((namespace, name))
    table.append(pyarrow.Table.from_pylist([{"_id": 999999}], schema=table.schema().as_arrow()))


def tables():
    return sorted(name for _, name in catalog.list_tables(namespace))


def describe(name):
    table = catalog.load_table((namespace, name))
    return {
        "location": table.location(),
        "properties": dict(table.properties),
        "snapshots": len(table.snapshots()),
        "history": [one.snapshot_id for one in table.history()],
        "manifests": table.inspect.manifests().num_rows,
        "schemas": len(table.metadata.schemas),
        "columns": {one.name: str(one.field_type) for one in table.schema().fields},
        "files": [one["file_path"] for one in table.inspect.files().to_pylist()],
    }


methods = {each.__name__: each for each in (read, create, drop, append, tables, describe)}
for line in sys.stdin:
    request = json.loads(line)
    try:
        response = {"result": methods[request["method"]](*request["parameters"])}
    except Exception as error:
        response = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(response), flush=True)
