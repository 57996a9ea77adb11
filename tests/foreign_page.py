"""A page of another origin that the operator's browser opens, and what its script tries against a page of ours."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ATTACK = """
async ({host, token, version}) => {
  const own = `http://${host}`, ways = [`/`, `/?token=${token}`, `/index.html`];
  const done = {};
  for (const way of ways) {
    for (const mode of ["cors", "no-cors"]) {
      try {
        const answer = await fetch(own + way, {mode, credentials: "include"});
        done[`fetch ${mode} ${way.slice(0, 8)}`] = (await answer.text()).length > 0;
      } catch { done[`fetch ${mode} ${way.slice(0, 8)}`] = false; }
    }
    done[`websocket ${way.slice(0, 8)}`] = await new Promise((answer) => {
      const line = new WebSocket(`ws://${host}${way}`, [`viser-v${version}`]);
      line.onopen = () => answer(true);
      line.onerror = line.onclose = () => answer(false);
    });
    done[`frame ${way.slice(0, 8)}`] = await new Promise((answer) => {
      const frame = document.createElement("iframe");
      frame.src = own + way;
      frame.onload = () => setTimeout(() => answer(frame.contentWindow.length > 0), 200);
      frame.onerror = () => answer(false);
      document.body.append(frame);
    });
    done[`script ${way.slice(0, 8)}`] = await new Promise((answer) => {
      const script = document.createElement("script");
      script.src = own + way;
      script.onload = () => answer(true);
      script.onerror = () => answer(false);
      document.body.append(script);
    });
  }
  const opened = window.open(own + "/");
  await new Promise((answer) => setTimeout(answer, 1500));
  let reached = false;
  try { reached = Boolean(opened && opened.document && opened.document.querySelector("canvas")); } catch { reached = false; }
  done["window that is read"] = reached;
  if (opened) opened.close();
  return done;
}
"""


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<!doctype html><title>foreign</title><body>foreign</body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve_foreign_page() -> Iterator[int]:
    """Serve a page at another port of this machine; return the port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()
