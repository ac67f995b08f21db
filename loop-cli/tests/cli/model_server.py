"""Imitates llama-server: ready at the second question, one scripted event per request in the file `script`."""
import json, os, signal, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
port = int(sys.argv[1])
note = lambda text: open("log", "a").write(text + "\n")
note(f"start {port} {os.getpid()}")
asked = 0


def next_event():
    lines = open("script").read().split("\n") if os.path.exists("script") else []
    open("script", "w").write("\n".join(lines[1:]))
    return lines[0] if lines and lines[0] else "Hello."


class Page(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def page(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        global asked
        if self.path == "/health":
            asked += 1
            return self.page(200 if asked > 1 else 503, b"ok")
        if self.path == "/props":
            return self.page(200, json.dumps({"default_generation_settings": {"n_ctx": 8192}}).encode())
        self.page(404, b"{}")

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        event = next_event()
        note(f"reply {event}")
        if event == "die":
            os._exit(7)
        if event == "wait":
            signal.pause()
        if event == "full":
            error = {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds the available context size"}
            return self.page(400, json.dumps({"error": error}).encode())
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        text = "Half" if event == "half" else event
        call = event.startswith("call ")
        delta = {"content": text}
        if call:
            function = {"name": "write_file", "arguments": json.dumps({"path": "made", "content": "x"})}
            delta = {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": function}]}
        self.wfile.write(b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n")
        self.wfile.flush()
        if event == "half":
            os._exit(8)
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"}]}
        self.wfile.write(b"data: " + json.dumps(end).encode() + b"\n\ndata: [DONE]\n\n")


HTTPServer(("127.0.0.1", port), Page).serve_forever()
