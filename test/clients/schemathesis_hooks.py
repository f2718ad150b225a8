"""What Schemathesis cannot learn of the API from its description."""

import itertools
import re

import schemathesis
from schemathesis.generation.meta import TestPhase
from schemathesis.specs.openapi.checks import AcceptedNegativeData, RejectedPositiveData

# Errors of requests that fit the schema: patterns of `field code`, each with the reason why a schema
# cannot exclude such requests.
BEYOND_SCHEMAS = [
    # Objects exist or do not, and a column is unique or indexed, or is not.
    r".* (unknown_column|unknown_datagrid|not_unique|not_indexed)",
    # A column that exists may have another type.
    r"linkKeys wrong_type",
    # A member of a list repeats another one. `uniqueItems` compares whole members.
    r".* (duplicate|duplicate_\w+|ambiguous_match)",
    # Some parameters exclude each other, depend on each other, or depend on the type of the file.
    r".* incompatible_parameters",
    r"(matchOn|format) required",
    # Either `query` or `table` is needed.
    r"query required",
    # The properties of an operation of a batch depend on `op`, and those of an aggregate on `function`.
    r"(operations|aggregates|groupBy)\.\d+\.\w+ \w+",
    # Settings and modes depend on the type of the destination.
    r"(settings|secret|deletions|intervalSeconds)\b.* \w+",
    # Values, files, filters, default values and options depend on the columns of the datagrid.
    r"(rows\.\d+\.)?values\b.* \w+",
    r"(header|line)\b.* \w+",
    r"filter\b.* \w+",
    r"(columns\.\d+\.)?(defaultValue|options|unique|indexed)\b.* \w+",
    # A sort order has at most four keys.
    r"sort \w+",
    # Cursors are opaque. Clients do not make any.
    r"cursor \w+",
    # NUL and halves of surrogate pairs, in any text.
    r".* invalid_text",
    # Numbers that a 64-bit double cannot hold, in any value.
    r".* inexact_number",
    # Times are compared with the time of the request.
    r"(expiresAt|since) out_of_range",
    # The pattern needs classes of Unicode, which not all validators know.
    r"table invalid_format",
    # A schema knows neither the grammar of SQL nor the tables, nor which values its parameters can have.
    r"(sql|parameters)\b.* \w+",
    # URLs must lead to a public host.
    r"url \w+",
]


# Bodies with which sequences go on: most generated ones name columns that do not exist, and create nothing.
FERTILE_BODIES = {
    "createWorkspace": lambda name: {"name": name},
    "createDatagrid": lambda name: {
        "name": name,
        "history": True,
        "columns": [
            {"key": "iata", "type": "text", "required": True, "unique": True},
            {"key": "name", "type": "text"},
        ],
    },
    "createRow": lambda name: {"values": {"iata": name}},
    "updateRow": lambda name: {"values": {"name": name}},
    "replaceRow": lambda name: {"values": {"iata": name, "name": name}},
    "queryRows": lambda name: {"filter": {"iata": {"$ne": name}}, "sort": "-name"},
    "aggregateRows": lambda name: {"groupBy": [{"column": "name"}]},
    "runSql": lambda name: {"sql": "SELECT 1"},
    "batchRows": lambda name: {
        "mode": "partial",
        "operations": [{"op": "create", "values": {"iata": name}}, {"op": "delete", "id": 1}],
    },
    "addColumn": lambda name: {"key": f"k{name}", "type": "text"},
    "updateColumn": lambda name: {"type": "json", "convert": True},
    "createView": lambda name: {"name": name, "filter": {"name": name}},
    "createSqlQuery": lambda name: {"name": name, "sql": "SELECT 1"},
    "createViewLink": lambda name: {},
    "createWebhook": lambda name: {"url": "https://receiver.invalid/", "enabled": False},
    "createConnection": lambda name: {
        "name": name,
        "type": "postgresql",
        "settings": {"host": "warehouse.invalid", "database": "a", "user": "a"},
        "enabled": False,
    },
}
FERTILE_FILE = b"iata,name\nZRH,Zurich\n"

# Name of the path parameter that has the ID of what an operation creates.
CREATED = {
    "createWorkspace": "workspaceId",
    "createDatagrid": "datagridId",
    "addColumn": "key",
    "createRow": "rowId",
    "importRows": "importId",
    "createView": "viewId",
    "createSqlQuery": "queryId",
    "createWebhook": "webhookId",
    "createConnection": "connectionId",
}

serial = itertools.count()
# Path parameters of objects that exist, the newest last, and the values of all that ever existed.
paths = []
values = set()


def in_sequence(case):
    return case.meta is not None and case.meta.phase.name is TestPhase.STATEFUL


def id_of(case):
    return case.operation.definition.raw["operationId"]


def within(path, other):
    return path.items() <= other.items()


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """
    Lets sequences begin with objects that exist, in place of random IDs. In three of four requests, it also
    replaces bodies, preconditions and keys.
    """
    if not in_sequence(case):
        return
    names = set(case.path_parameters)
    if not values.intersection(case.path_parameters.values()):
        known = [path for path in paths if names <= set(path)]
        if known:
            case.path_parameters.update({name: known[-1][name] for name in names})
    number = next(serial)
    if number % 4 == 0:
        return
    case.headers.pop("If-Match", None)
    case.headers.pop("Idempotency-Key", None)
    if id_of(case) in FERTILE_BODIES:
        case.body = FERTILE_BODIES[id_of(case)](f"n{number}")
    elif id_of(case) == "importRows":
        case.query, case.body, case.media_type = {}, FERTILE_FILE, "text/csv"


@schemathesis.hook
def after_call(_context, case, response):
    """Remembers what was created, and forgets what was deleted."""
    if not in_sequence(case):
        return
    path = dict(case.path_parameters)
    name = CREATED.get(id_of(case))
    if response.status_code == 201 and name is not None:
        data = response.json()["data"]
        if isinstance(data, dict):
            value = data["key" if name == "key" else "id"]
            parent = next((each for each in reversed(paths) if within(path, each)), path)
            paths.append({**parent, name: value})
            values.add(value)
    elif response.status_code == 204 and case.method == "DELETE":
        paths[:] = [each for each in paths if not within(path, each)]


@schemathesis.serializer("application/x-ndjson")
def ndjson(_context, value):
    """Sends a file as it was generated."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def filter_failure(_context, failure, case, response):
    """Returns whether a failure counts."""
    if isinstance(failure, RejectedPositiveData) and response.status_code == 400:
        # In some cases, Schemathesis uses only letters and digits in headers, whatever the pattern.
        if re.fullmatch(r"\w+", case.headers.get("If-Match", "")):
            return False
        error = response.json()["error"]
        if error["code"] == "query_too_expensive":
            return False
        details = error.get("details", [])
        errors = [f"{each['field']} {each['code']}" for each in details]
        return not errors or not all(
            any(re.fullmatch(pattern, each, re.DOTALL) for pattern in BEYOND_SCHEMAS)
            for each in errors
        )
    if isinstance(failure, AcceptedNegativeData):
        # RFC 7240: unknown preferences are ignored. The schema lists those that have an effect. In
        # sequences, `before_call` has replaced the body.
        return "parameter `Prefer` in header" not in failure.message and not in_sequence(case)
    return True
