"""A WSGI application in threads, by the standard library's own server."""

from __future__ import annotations

import socketserver
import threading
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from typing_extensions import override

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

POLL = 0.01
"""Real seconds after which the server notices that it is to stop."""


class WsgiHost:
    """Serves each request in a thread of its own, as production servers do: a slow one holds up nobody."""

    def __init__(self, app: WSGIApplication, host: str) -> None:
        self._server = _Server((host, 0), _Handler)
        self._server.set_app(app)
        self.url = f"http://{host}:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL,), name="paymos-receiver", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True

    @override
    def server_bind(self) -> None:
        # The standard one asks the name service who we are, which may take seconds.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()


class _Handler(WSGIRequestHandler):
    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Print no line for each request; the report of the test has them."""
