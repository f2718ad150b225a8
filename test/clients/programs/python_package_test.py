"""Tests the installed package datagrid-client against a running service, and against servers that fail."""

import json
import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from datagrid_client import (
    ApiError,
    Client,
    ConnectionFailed,
    ImportFailed,
    SourceError,
    WebhookVerificationError,
    moved_values,
    verify_webhook,
)

COLUMNS = [
    {"key": "number", "type": "text", "unique": True},
    {"key": "seats", "type": "integer"},
]


class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.client = Client(os.environ["ORIGIN"], os.environ["API_KEY"])
        workspace = self.client.create_workspace(f"Python {self.id()}")
        self.datagrid = self.client.create_datagrid(workspace["id"], "Flights", COLUMNS)
        self.rows = self.client.rows(self.datagrid["id"])

    def tearDown(self):
        self.client.close()

    def values(self, **query):
        return [row["values"] for row in self.rows.list(**query)]

    def test_writes_and_reads_rows(self):
        self.assertEqual(self.client.me()["role"], "owner")
        row = self.rows.create({"number": "Zürich 1", "seats": 3})
        self.assertEqual([each["id"] for each in self.rows.create_many([{"number": "B"}, {"number": "C"}])], [2, 3])
        self.assertNotIn("values", self.rows.create_many([{"number": "D"}], minimal=True)[0])
        self.assertEqual(self.rows.update(row["id"], {"seats": None})["values"], {"number": "Zürich 1"})
        self.assertEqual(self.rows.replace(2, {"seats": 9})["values"], {"seats": 9})
        self.rows.delete(4)
        results = self.rows.upsert(["number"], [{"number": "C", "seats": 1}, {"number": "E"}])
        self.assertEqual([each["status"] for each in results], ["updated", "created"])
        batch = self.rows.batch([{"op": "delete", "id": 2}], dry_run=True)
        self.assertEqual(batch["results"], [{"status": "deleted", "id": 2}])
        self.assertEqual(self.values(fields=["number"], sort="-number", limit=1)[:1], [{"number": "Zürich 1"}])
        self.assertEqual(self.values(filter={"seats": {"$gte": 9}}), [{"seats": 9}])
        self.assertEqual([len(page["data"]) for page in self.rows.pages(limit=3)], [3, 1])
        self.assertEqual(self.rows.page(filter={"number": "C"})["meta"]["total"], 1)
        self.assertEqual(self.rows.aggregate()["data"][0]["values"], {"count": 4})
        self.assertEqual(self.rows.delete_where({"number": "C"}, maxAffected=1), 1)
        self.assertEqual(self.client.datagrid(self.datagrid["id"])["rowCount"], 3)
        found = [each["id"] for each in self.client.datagrids(self.datagrid["workspaceId"])]
        self.assertEqual(found, [self.datagrid["id"]])
        self.assertIn(self.datagrid["workspaceId"], [each["id"] for each in self.client.workspaces()])

    def test_changes_workspaces_datagrids_and_columns(self):
        client, grid = self.client, self.datagrid["id"]
        workspace = self.datagrid["workspaceId"]
        self.assertEqual(client.update_workspace(workspace, description="Old")["description"], "Old")
        self.assertEqual(client.workspace(workspace)["description"], "Old")
        self.assertTrue(client.update_datagrid(grid, history=True)["history"])
        self.assertEqual(client.add_column(grid, {"key": "note", "type": "text"})["key"], "note")
        self.assertEqual(client.update_column(grid, "note", key="remark", title="Remark")["key"], "remark")
        client.delete_column(grid, "seats")
        self.assertEqual([each["key"] for each in client.datagrid(grid)["columns"]], ["number", "remark"])
        body, headers = client.request("GET", f"/datagrids/{grid}/rows", query={"limit": 1})
        self.assertEqual((body["meta"]["total"], headers["content-type"][:16]), (0, "application/json"))
        with self.assertRaises(TypeError):
            client.request("GET", "/me", body={})
        with self.assertRaises(ApiError) as raised:
            client.delete_workspace(workspace)
        self.assertEqual(raised.exception.status, 409)
        other = client.create_datagrid(workspace, "Other", COLUMNS)["id"]
        client.delete_datagrid(other)
        self.assertEqual([each["id"] for each in client.datagrids(workspace)], [grid])
        client.delete_workspace(workspace, cascade=True)
        self.assertNotIn(workspace, [each["id"] for each in client.workspaces()])

    def test_moves_values_to_the_new_keys_of_columns(self):
        self.rows.create({"number": "A", "seats": 3})
        [first] = self.rows.changes(follow=False)
        columns, values = first.changes[0]["columns"], first.changes[1]["row"]["values"]
        self.client.update_column(self.datagrid["id"], "number", key="flight")
        self.client.delete_column(self.datagrid["id"], "seats")
        [page] = self.rows.changes(first.cursor, follow=False)
        self.assertEqual([each["op"] for each in page.changes], ["schema"])
        moved = moved_values(values, columns, page.changes[0]["columns"])
        self.assertEqual(moved, {"flight": "A"})
        self.assertEqual(self.values(), [moved])

    def test_raises_the_errors_of_the_service(self):
        row = self.rows.create({"number": "A"})
        _, etag = self.rows.get_with_etag(row["id"])
        self.rows.update(row["id"], {"seats": 1}, if_match=etag)
        with self.assertRaises(ApiError) as raised:
            self.rows.update(row["id"], {"seats": 2}, if_match=etag)
        self.assertEqual((raised.exception.status, raised.exception.code), (412, "precondition_failed"))
        with self.assertRaises(ApiError) as raised:
            self.rows.create({"number": "A"})
        self.assertEqual((raised.exception.code, raised.exception.field), ("conflict", "values.number"))
        self.assertTrue(raised.exception.request_id)

    def test_upserts_any_number_of_rows(self):
        source = ({"number": str(n % 2_500), "seats": n} for n in range(2_600))
        progress = []
        totals = self.rows.upsert_all(["number"], source, on_progress=progress.append)
        self.assertEqual(totals, {"created": 2_500, "updated": 100, "unchanged": 0})
        self.assertEqual(progress[-1], totals)
        self.assertEqual(self.client.datagrid(self.datagrid["id"])["rowCount"], 2_500)

    def test_imports_and_exports_files(self):
        lines = "number,seats\n" + "".join(f"N{n},{n}\n" for n in range(5_000))
        report = self.rows.import_file(lambda: iter([lines[:100].encode(), b"", lines[100:].encode()]), format="csv")
        self.assertEqual((report["state"], report["created"]), ("completed", 5_000))
        with self.rows.export(format="csv", fields=["number", "seats"]) as export:
            self.assertEqual(export.read().decode().replace("\r\n", "\n"), lines)
        self.assertEqual(export.rows, 5_000)
        empty = self.rows.export(filter={"number": "none"})
        self.assertEqual((empty.read(), empty.rows), (b"", 0))
        with self.assertRaises(ImportFailed) as raised:
            self.rows.import_file("number,seats\nX,many\n", format="csv")
        self.assertEqual(raised.exception.report["errors"][0]["line"], 2)

        def broken():
            yield b"number\n"
            raise ValueError("no disk")

        with self.assertRaisesRegex(SourceError, "no disk"):
            self.rows.import_file(broken, format="csv")

    def test_follows_changes(self):
        self.rows.create_many([{"number": "A"}, {"number": "B"}])
        first = list(self.rows.changes(follow=False))
        self.assertEqual([each["op"] for page in first for each in page.changes], ["schema", "set", "set"])
        self.assertTrue(first[0].is_restart and first[-1].is_up_to_date)
        self.rows.delete(1)
        page = next(self.rows.changes(first[-1].cursor))
        self.assertEqual([(each["op"], each["id"]) for each in page.changes], [("delete", 1)])
        self.assertFalse(page.is_restart)


    def test_runs_sql(self):
        self.rows.create_many([{"number": "A", "seats": 3}, {"number": "Zürich", "seats": None}])
        workspace = self.datagrid["workspaceId"]
        self.assertEqual([each["name"] for each in self.client.sql_tables(workspace)], ["flights"])
        result = self.client.sql(workspace, "SELECT number, seats FROM flights WHERE number > ?", ["A"])
        self.assertEqual(result["data"], [{"number": "Zürich", "seats": None}])
        self.assertEqual([each["type"] for each in result["meta"]["columns"]], ["VARCHAR", "BIGINT"])
        self.assertEqual(result["meta"]["revisions"], {"flights": 1})
        named = self.client.sql(workspace, "SELECT number FROM flights WHERE seats = $n", {"n": 3}, limit=1)
        self.assertEqual((named["data"], named["meta"]["truncated"]), ([{"number": "A"}], False))
        rows = self.client.sql_rows(workspace, "SELECT n FROM range(20000) AS t(n)")
        self.assertEqual(sum(row["n"] for row in rows), 20_000 * 19_999 // 2)
        file = self.client.sql_parquet(workspace, "SELECT n FROM range($n) AS t(n)", {"n": 20_000})
        self.assertEqual((file[:4], file[-4:]), (b"PAR1", b"PAR1"))
        with self.assertRaises(ApiError) as raised:
            list(self.client.sql_rows(workspace, "SELECT * FROM nothing"))
        self.assertEqual((raised.exception.code, raised.exception.field), ("invalid_request", "sql"))


class FailingServer:
    """Answers each request with the next of these functions."""

    def __init__(self, *answers):
        self.headers = []
        waiting = list(answers)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def respond(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                outer.headers.append(dict(self.headers.items()))
                waiting.pop(0)(self)

            do_GET = do_POST = respond

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


CHUNKED = {"Transfer-Encoding": "chunked"}


def answer(status, body, **headers):
    def send(handler):
        handler.send_response(status)
        length = {} if "Transfer-Encoding" in headers else {"Content-Length": str(len(body))}
        for name, value in {**length, "Connection": "close", **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return send


def cut(handler):
    handler.close_connection = True


class FailureTest(unittest.TestCase):
    def failing(self, *answers):
        server = FailingServer(*answers)
        self.addCleanup(server.close)
        return server

    def test_retries_a_write_with_the_same_key(self):
        error = json.dumps({"error": {"code": "unavailable", "message": "Retry.", "requestId": "r"}}).encode()
        retry_after = {"Retry-After": "7"}
        server = self.failing(
            answer(503, error, **retry_after), cut, answer(201, b'{"data":{"id":1}}')
        )
        waits = []
        traces = iter(["00-a", "00-b", "00-c"])
        client = Client(server.url, "mk_x", sleep=waits.append, traceparent=lambda: next(traces))
        self.assertEqual(client.rows("g").create({"a": 1}), {"id": 1})
        self.assertEqual(len({each["idempotency-key"] for each in server.headers}), 1)
        self.assertEqual([each["traceparent"] for each in server.headers], ["00-a", "00-b", "00-c"])
        self.assertTrue(7 <= waits[0] <= 7.3 and 0.5 <= waits[1] <= 1)

    def test_does_not_retry_other_errors(self):
        for status, body in [(400, b"{}"), (302, b""), (500, b"<html>")]:
            server = self.failing(answer(status, body))
            with self.assertRaises(ApiError) as raised:
                Client(server.url, "mk_x", sleep=self.fail).me()
            self.assertEqual((raised.exception.status, raised.exception.code), (status, "unexpected_response"))

    def test_rejects_an_export_without_its_end_line(self):
        whole = b'{"a":1}\n{"_end":{"rows":1}}\n'
        for body in (b"", b'{"a":1}\n', whole[:-2], whole + b"\n"):
            server = self.failing(answer(200, body))
            with self.assertRaises(ConnectionFailed):
                Client(server.url, "mk_x").rows("g").export().read()
        server = self.failing(answer(200, whole))
        self.assertEqual(Client(server.url, "mk_x").rows("g").export().read(), b'{"a":1}\n')

    def test_rejects_rows_of_sql_that_end_early(self):
        chunk = b'8\r\n{"a":1}\n\r\n'
        end = b'14\r\n{"_end":{"rows":1}}\n\r\n0\r\n\r\n'
        for body in (b"", chunk, chunk + b"0\r\n\r\n", chunk + end[:-5]):
            server = self.failing(answer(200, body, **CHUNKED))
            with self.assertRaises(ConnectionFailed):
                list(Client(server.url, "mk_x").sql_rows("w", "SELECT 1 AS a"))
        server = self.failing(cut, answer(200, chunk + end, **CHUNKED))
        client = Client(server.url, "mk_x", sleep=lambda _: None)
        self.assertEqual(list(client.sql_rows("w", "SELECT 1 AS a")), [{"a": 1}])
        self.assertEqual({each["accept"] for each in server.headers}, {"application/x-ndjson"})

    def test_rejects_a_parquet_file_that_ends_early(self):
        begin = b"c\r\nPAR1........\r\n"
        end = b"4\r\nPAR1\r\n0\r\n\r\n"
        for body in (b"", begin, begin + b"0\r\n\r\n", begin + end[:-5], end):
            server = self.failing(answer(200, body, **CHUNKED))
            with self.assertRaises(ConnectionFailed):
                Client(server.url, "mk_x").sql_parquet("w", "SELECT 1 AS a")
        server = self.failing(cut, answer(200, begin + end, **CHUNKED))
        client = Client(server.url, "mk_x", sleep=lambda _: None)
        self.assertEqual(client.sql_parquet("w", "SELECT 1 AS a"), b"PAR1........PAR1")
        self.assertEqual({each["accept"] for each in server.headers}, {"application/vnd.apache.parquet"})

    def test_starts_over_if_the_cursor_of_changes_has_expired(self):
        gone = json.dumps({"error": {"code": "cursor_expired", "message": "Gone.", "requestId": "r"}}).encode()
        page = json.dumps({"data": [], "meta": {"nextCursor": "n", "upToDate": True}}).encode()
        server = self.failing(answer(410, gone), answer(200, page))
        [found] = Client(server.url, "mk_x").rows("g").changes("old", follow=False)
        self.assertTrue(found.is_restart)
        self.assertEqual(found.cursor, "n")


class WebhookTest(unittest.TestCase):
    def test_accepts_only_valid_signatures(self):
        signed = json.loads(os.environ["SIGNED"])
        body, headers, secret = signed["body"], signed["headers"], signed["secret"]
        now = int(headers["webhook-timestamp"])
        self.assertEqual(verify_webhook(body, headers, secret, now=now)["type"], "rows.changed")
        other = "whsec_" + "A" * 32
        self.assertEqual(verify_webhook(body.encode(), headers, [other, secret], now=now)["type"], "rows.changed")
        for wrong in (
            lambda: verify_webhook(body + " ", headers, secret, now=now),
            lambda: verify_webhook(body, headers, other, now=now),
            lambda: verify_webhook(body, headers, secret, now=now + 301),
            lambda: verify_webhook(body, headers, secret, now=now - 301),
            lambda: verify_webhook(body, {}, secret, now=now),
        ):
            with self.assertRaises(WebhookVerificationError):
                wrong()


if __name__ == "__main__":
    unittest.main()
