"""Sends requests, with the key of the client, and retries them."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import threading
import time
import uuid
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import urlencode, urlsplit

from ._errors import UNEXPECTED_RESPONSE, ApiError, ConnectionFailed, DatagridError, error_of

API = "/api/v1/public"
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0
#: A longer `Retry-After` is not waited for: the error is raised.
LONGEST_RETRY_AFTER_SECONDS = 120.0
TRANSIENT_STATUSES = frozenset({408, 429, 502, 503, 504})
#: The service closes idle connections after 65 seconds.
MAX_IDLE_SECONDS = 30.0

T = TypeVar("T")
Body = Union[bytes, Iterable[bytes]]
#: Called before each retry with the error, the number of attempts so far, and the wait in seconds.
OnRetry = Callable[[DatagridError, int, float], None]


class Transport:
    """Connections to one service. Threads can share it."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        max_attempts: int,
        timeout: float,
        on_retry: Optional[OnRetry],
        traceparent: Optional[Callable[[], Optional[str]]],
        ssl_context: Optional[ssl.SSLContext],
        sleep: Callable[[float], None],
    ) -> None:
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError("base_url must be the URL of the service, such as https://data.example.com")
        self._is_tls = url.scheme == "https"
        self._host, self._port = url.hostname, url.port
        self.origin = f"{url.scheme}://{url.netloc}"
        self._key = api_key
        self.max_attempts = max_attempts
        self._timeout = timeout
        self._on_retry = on_retry
        self._traceparent = traceparent
        self._ssl = ssl_context or (ssl.create_default_context() if self._is_tls else None)
        self.sleep = sleep
        self._lock = threading.Lock()
        self._idle: List[Tuple[float, http.client.HTTPConnection]] = []

    def close(self) -> None:
        """Closes idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def data(self, method: str, path: str, **call: Any) -> Any:
        """Returns `data` of the response."""
        return self.body(method, path, **call)["data"]

    def body(self, method: str, path: str, **call: Any) -> Any:
        """Returns the response as JSON; `None` if it is empty."""
        return self.request(method, path, **call)[0]

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
        """Sends a request with a JSON body, and returns the JSON of the response, and its headers."""
        content = None
        sent = dict(headers or {})
        if json_body is not None:
            content = json.dumps(json_body, ensure_ascii=False, allow_nan=False).encode()
            sent["content-type"] = "application/json"
        sent.update(self._key_of(method, idempotency_key))
        url = url_of(path, query)

        def attempt() -> Tuple[Any, Dict[str, str]]:
            connection, response, received = self.open(method, url, sent, content, timeout)
            text = read_all(connection, response)
            self.release(connection, response)
            try:
                return (json.loads(text) if text else None), received
            except ValueError:
                raise ApiError(
                    "The response is not JSON.",
                    status=response.status,
                    code=UNEXPECTED_RESPONSE,
                    request_id=received.get("x-request-id"),
                ) from None

        return self.retry(attempt, max_attempts=max_attempts)

    def open(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Optional[Body],
        timeout: Optional[float] = None,
    ) -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse, Dict[str, str]]:
        """Makes one attempt, and returns the response without having read its body."""
        sent = {**headers, "authorization": f"Bearer {self._key}", "user-agent": "datagrid-client-python"}
        traceparent = self._traceparent() if self._traceparent else None
        if traceparent:
            sent["traceparent"] = traceparent
        connection = self._connection(self._timeout if timeout is None else timeout)
        try:
            connection.request(method, url, body=body, headers=sent, encode_chunked=is_chunked(body, sent))
            response = connection.getresponse()
            received = {name.lower(): value for name, value in response.getheaders()}
            if response.status < 300:
                return connection, response, received
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ConnectionFailed(f"The connection to {self.origin} failed: {error}.") from error
        except BaseException:
            connection.close()
            raise
        self.release(connection, response)
        # A redirect is an error, too: a redirected POST would become a GET.
        raise error_of(response.status, received, content)

    def retry(
        self,
        work: Callable[[], T],
        *,
        max_attempts: Optional[float] = None,
        may_repeat: Callable[[], bool] = lambda: True,
    ) -> T:
        """Runs `work`, and repeats it after a transient error."""
        most = self.max_attempts if max_attempts is None else max_attempts
        attempt = 1
        while True:
            try:
                return work()
            except (ApiError, ConnectionFailed) as error:
                if not is_transient(error) or attempt >= most or not may_repeat():
                    raise
                wait = _wait_for(attempt, error)
                if self._on_retry:
                    self._on_retry(error, attempt, wait)
                self.sleep(wait)
                attempt += 1

    def release(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        """Keeps a connection whose response was read to its end."""
        if response.will_close:
            connection.close()
            return
        with self._lock:
            self._idle.append((time.monotonic(), connection))

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if time.monotonic() - since < MAX_IDLE_SECONDS and connection.sock:
                    connection.timeout = timeout
                    connection.sock.settimeout(timeout)
                    return connection
                connection.close()
        if self._is_tls:
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._ssl)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def _key_of(self, method: str, key: Optional[str]) -> Dict[str, str]:
        """All attempts of a write have the same key."""
        return {} if method == "GET" else {"idempotency-key": key or str(uuid.uuid4())}

    def write_headers(self, key: Optional[str]) -> Dict[str, str]:
        return self._key_of("POST", key)


def read_all(connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        raise ConnectionFailed(f"The response ended early: {error}.") from error


def is_chunked(body: Optional[Body], headers: Mapping[str, str]) -> bool:
    return body is not None and not isinstance(body, bytes) and "content-length" not in headers


def url_of(path: str, query: Optional[Mapping[str, Any]]) -> str:
    pairs = [(name, _text_of(value)) for name, value in (query or {}).items() if value is not None]
    url = path if path.startswith(f"{API}/") else API + path
    return f"{url}?{urlencode(pairs)}" if pairs else url


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(item) for item in value)
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def is_transient(error: DatagridError) -> bool:
    """Returns whether the same request, with the same key, may succeed later."""
    if isinstance(error, ConnectionFailed):
        return True
    # An import that has started is not started again. Its report is at `Location`.
    if not isinstance(error, ApiError) or error.location is not None:
        return False
    if (error.retry_after or 0) > LONGEST_RETRY_AFTER_SECONDS:
        return False
    return error.status in TRANSIENT_STATUSES or error.code == "idempotency_key_in_use"


def _wait_for(attempt: int, error: DatagridError) -> float:
    requested = error.retry_after if isinstance(error, ApiError) else None
    if requested is not None:
        return requested * (1 + random.random() / 25)
    longest = min(FIRST_WAIT_SECONDS * 2.0 ** min(attempt - 1, 10), LONGEST_WAIT_SECONDS)
    return longest * (0.5 + random.random() / 2)
