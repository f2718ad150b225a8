"""Copies a datagrid into an SQLite file: reads the feed of changes until it is up to date, and ends.

Written from docs/api/changes.md alone, with the standard library only. Unlike the other copier, it stores
each value by the ID of its column, so that a new key of a column changes no row.
"""

import http.client
import json
import sqlite3
import sys
import urllib.error
import urllib.parse
import urllib.request

URL, KEY, FILE, FORM, LIMIT = sys.argv[1:6]
# Connections that may fail in a row, so that a copier ends when its service has ended.
MAX_FAILURES = 50
failures = 0

copy = sqlite3.connect(FILE)
copy.executescript("""
    CREATE TABLE IF NOT EXISTS state (cursor TEXT);
    INSERT INTO state SELECT NULL WHERE NOT EXISTS (SELECT * FROM state);
    CREATE TABLE IF NOT EXISTS columns (id INTEGER PRIMARY KEY, key TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS rows (
        id INTEGER PRIMARY KEY, revision INTEGER NOT NULL, is_old INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE IF NOT EXISTS cells (
        row INTEGER NOT NULL, "column" INTEGER NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (row, "column"));
""")


def commit(items, cursor, up_to_date):
    """Stores items and their cursor in one transaction."""
    with copy:
        for item in items:
            if item["op"] == "set":
                store_row(item["row"])
            elif item["op"] == "delete":
                delete_rows("id = ?", item["id"])
            elif item["op"] == "schema":
                store_columns(item["columns"])
        if up_to_date:
            delete_rows("is_old")
        copy.execute("UPDATE state SET cursor = ?", (cursor,))


def store_row(row):
    ids = {key: column for column, key in copy.execute("SELECT id, key FROM columns")}
    delete_rows("id = ?", row["id"])
    copy.execute("INSERT INTO rows (id, revision) VALUES (?, ?)", (row["id"], row["revision"]))
    for key, value in row["values"].items():
        cell = (row["id"], ids[key], json.dumps(value))
        copy.execute("INSERT INTO cells VALUES (?, ?, ?)", cell)


def delete_rows(condition, *values):
    copy.execute(f"DELETE FROM cells WHERE row IN (SELECT id FROM rows WHERE {condition})", values)
    copy.execute(f"DELETE FROM rows WHERE {condition}", values)


def store_columns(columns):
    copy.execute("DELETE FROM columns")
    pairs = [(column["id"], column["key"]) for column in columns]
    copy.executemany("INSERT INTO columns VALUES (?, ?)", pairs)
    copy.execute('DELETE FROM cells WHERE "column" NOT IN (SELECT id FROM columns)')


def start_over():
    with copy:
        copy.execute("UPDATE rows SET is_old = 1")
        copy.execute("UPDATE state SET cursor = NULL")


def get(accept):
    """Returns a response; None after a failure, if the request must be repeated."""
    global failures
    [cursor] = copy.execute("SELECT cursor FROM state").fetchone()
    query = {"limit": LIMIT, **({} if cursor is None else {"cursor": cursor})}
    headers = {"Authorization": f"Bearer {KEY}", "Accept": accept}
    request = urllib.request.Request(f"{URL}?{urllib.parse.urlencode(query)}", headers=headers)
    try:
        response = urllib.request.urlopen(request)
        failures = 0
        return response
    except urllib.error.HTTPError as error:
        if error.code == 410:
            start_over()
        elif error.code < 500 and error.code != 429:
            sys.exit(f"{error.code} {error.read().decode()}")
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        failures += 1
        if failures > MAX_FAILURES:
            sys.exit(f"No connection: {error}")
    return None


def read_page():
    """Reads a page, and returns whether it is the last one."""
    try:
        response = get("application/json")
        page = response and json.loads(response.read())
    except (http.client.HTTPException, OSError):
        return False  # The connection broke.
    if not page:
        return False
    commit(page["data"], page["meta"]["nextCursor"], page["meta"]["upToDate"])
    return page["meta"]["upToDate"]


def read_lines():
    is_complete, items = False, []
    try:
        for line in get("application/x-ndjson") or ():
            if not line.endswith(b"\n"):
                break  # The connection broke.
            item = json.loads(line)
            if item["op"] != "cursor":
                items.append(item)
                continue
            commit(items, item["cursor"], item["upToDate"])
            is_complete, items = item["upToDate"], []
    except (http.client.HTTPException, OSError):
        pass  # The connection broke.
    return is_complete


while not (read_lines() if FORM == "lines" else read_page()):
    pass
