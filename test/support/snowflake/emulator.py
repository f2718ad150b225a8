"""Runs fakesnow for the tests, with what the official driver for Node.js needs and fakesnow lacks.

fakesnow returns rows as Arrow, as the driver for Python reads them. Snowflake sends JSON to the
driver for Node.js, so this program does that. It also checks who signs in, which fakesnow does not;
responds with status 200, as Snowflake does, to conflicts of transactions and for sessions that have
ended; takes names of columns with quotes; and ends all sessions when a test says so, because fakesnow
keeps the transactions of killed clients open.

Arguments: users as JSON, `{ name: { "password", "token", "publicKey" } }`, and the names of a
database and a schema that exist. Prints its port.
"""

import base64
import json
import socket
import sys

import duckdb
import fakesnow.info_schema as info_schema
import fakesnow.server as server
import jwt
import pyarrow
import snowflake.connector.errors as errors
import uvicorn
from cryptography.hazmat.primitives import hashes, serialization
from fakesnow.cursor import FakeSnowflakeCursor
from starlette.responses import JSONResponse
from starlette.routing import Route

USERS = json.loads(sys.argv[1])
DATABASE, SCHEMA = sys.argv[2:4]


def failed(code, message):
    return JSONResponse({"data": {}, "code": code, "message": message, "success": False})


def has_signed(user, token):
    key = serialization.load_pem_public_key(user["publicKey"].encode())
    der = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    digest = hashes.Hash(hashes.SHA256())
    digest.update(der)
    print_of_key = "SHA256:" + base64.b64encode(digest.finalize()).decode()
    try:
        # The driver writes times in milliseconds.
        checks = {"verify_exp": False, "verify_iat": False}
        claims = jwt.decode(token, key, algorithms=["RS256"], options=checks)
    except jwt.InvalidTokenError:
        return False
    return claims["iss"].endswith("." + print_of_key)


async def login(request):
    # Parameters of the request name objects that the session uses. fakesnow knows no warehouses.
    body = await request.body()
    if request.headers.get("Content-Encoding") == "gzip":
        body = server.gzip.decompress(body)
    data = json.loads(body)["data"]
    user = USERS.get(data.get("LOGIN_NAME"))
    way = data.get("AUTHENTICATOR")
    if way == "SNOWFLAKE_JWT":
        if user is None or not has_signed(user, data["TOKEN"]):
            return failed("390144", "JWT token is invalid.")
    elif way == "PROGRAMMATIC_ACCESS_TOKEN":
        if user is None or data.get("TOKEN") != user["token"]:
            return failed("394400", "Programmatic access token is invalid.")
    elif user is None or data.get("PASSWORD") != user["password"]:
        return failed("390100", "Incorrect username or password was specified.")
    return await server.login_request(request)


def text_of(value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def rows_of(encoded):
    if not encoded:
        return []
    table = pyarrow.ipc.open_stream(base64.b64decode(encoded)).read_all()
    columns = [column.to_pylist() for column in table.columns]
    return [[text_of(value) for value in row] for row in zip(*columns)]


async def query(request):
    response = await server.query_request(request)
    if response.status_code == 401:
        return failed("390111", "Session no longer exists. New login required to access the service.")
    body = json.loads(response.body)
    data = body.get("data") or {}
    if data.get("queryResultFormat") == "arrow":
        data["rowset"] = rows_of(data.pop("rowsetBase64"))
        data["queryResultFormat"] = "json"
    if "rowset" in data:
        data["returned"] = len(data["rowset"])
    return JSONResponse(body, status_code=response.status_code)


async def end_sessions(_request):
    for token, connection in list(server.sessions.items()):
        del server.sessions[token]
        connection._duck_conn.interrupt()
        connection._duck_conn.close()
    return JSONResponse({})


def with_conflicts(execute):
    def run(self, *args, **kwargs):
        try:
            return execute(self, *args, **kwargs)
        except duckdb.TransactionException as error:
            raise errors.ProgrammingError(msg=str(error), errno=625, sqlstate="57014") from None

    return run


def escaped(text):
    return text.replace("'", "''")


def with_quotes(insert_sql):
    def sql(catalog, schema, table, lengths):
        names = [(escaped(name), size) for name, size in lengths]
        return insert_sql(catalog, schema, escaped(table), names)

    return sql


FakeSnowflakeCursor.execute = with_conflicts(FakeSnowflakeCursor.execute)
# fakesnow does not escape names of columns that contain a quote.
info_schema.insert_text_lengths_sql = with_quotes(info_schema.insert_text_lengths_sql)

server.shared_fs.connect(DATABASE, SCHEMA).close()
server.shared_fs.create_database_on_connect = False
server.shared_fs.create_schema_on_connect = False

own = {"/session/v1/login-request": login, "/queries/v1/query-request": query}
routes = server.app.router.routes
for index, route in enumerate(routes):
    if route.path in own:
        routes[index] = Route(route.path, own[route.path], methods=["POST"])
routes.append(Route("/end-sessions", end_sessions, methods=["POST"]))

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(server.app, log_level="critical")).run([listener])
