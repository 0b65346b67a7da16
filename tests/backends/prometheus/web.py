"""A web server for tests: web.py FOLDER FILE writes its port to FILE. What a path answers:
/files/NAME the file (as text/plain, with gzip where it is asked for); /late/NAME the file where the form says nocache=1,
else that nothing is known, as VictoriaMetrics does of the last 30 s; /status/N; /html; /loop redirects to itself;
/to/PATH redirects to PATH; /huge never ends (text); /big says
that it has 1 GiB; /hold/N sends N bytes and no more; /dribble a byte a second; /slow waits 30 s, /never an hour; /silent closes; /garbage random bytes;
/bomb 1 GiB of zeros in gzip; /auth/NAME the file for "Bearer secret" and "Basic" user:word only."""
import base64
import gzip
import http.server
import os
import sys
import time
import zlib

folder = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def answer(self, body, kind="text/plain; version=0.0.4", status=200, packed=False, size=None):
        if packed:
            body = gzip.compress(body)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(size or len(body)))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def file(self, name):
        path = os.path.join(folder, os.path.basename(name))
        kind = "text/plain; version=0.0.4"
        if name.endswith(".om"):
            kind = "application/openmetrics-text; version=1.0.0; charset=utf-8"
        if name.endswith(".json"):
            kind = "application/json"
        with open(path, "rb") as f:
            self.answer(f.read(), kind, packed="gzip" in self.headers.get("Accept-Encoding", ""))

    def redirect(self, to):
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def stream(self, chunk, encoding=None):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(chunk())
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    form = b""

    def do_POST(self):
        self.form = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.do_GET()

    def do_GET(self):
        parts = self.path.split("?")[0].strip("/").split("/")
        what, rest = parts[0], "/".join(parts[1:])
        if what == "files":
            self.file(rest)
        elif what == "late" and b"nocache=1" in self.form.split(b"&"):
            self.file(rest)
        elif what == "late":
            self.answer(b'{"status":"success","data":{"result":[]}}', "application/json")
        elif what == "status":
            self.answer(b"no", status=int(parts[1]))
        elif what == "html":
            self.answer(b"<!DOCTYPE html><html><body>Exporter</body></html>", "text/html; charset=utf-8")
        elif what == "loop":
            self.redirect("/loop")
        elif what == "to":
            self.redirect("/" + rest)
        elif what == "huge":
            line = b"a_metric{label=\"value\"} 1\n" * 4000
            self.stream(lambda: line)
        elif what == "bomb":
            z = zlib.compressobj(9, zlib.DEFLATED, 31)
            zeros = bytes(1 << 20)
            left = [1024]

            def chunk():
                left[0] -= 1
                if left[0] < 0:
                    raise BrokenPipeError
                return z.compress(zeros)
            self.stream(chunk, "gzip")
        elif what == "big":
            self.answer(b"a 1\n", size=1 << 30)
            time.sleep(3600)
        elif what == "hold":
            self.answer(b"\n" * int(rest), size=1 + int(rest))
            time.sleep(3600)
        elif what == "dribble":
            def byte():
                time.sleep(1)
                return b"a"
            self.stream(byte)
        elif what == "slow":
            time.sleep(30)
        elif what == "never":
            time.sleep(3600)
        elif what == "silent":
            self.close_connection = True
        elif what == "garbage":
            self.answer(os.urandom(5000))
        elif what == "auth":
            given = self.headers.get("Authorization", "")
            basic = "Basic " + base64.b64encode(b"user:word").decode()
            self.file(rest) if given in ("Bearer secret", basic) else self.answer(b"who?", status=401)
        else:
            self.answer(b"not here", status=404)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(sys.argv[2] + ".part", "w", encoding="ascii") as f:
    f.write(str(server.server_address[1]))
os.rename(sys.argv[2] + ".part", sys.argv[2])
server.serve_forever()
