"""fleet_cost.py ROOFTOP HOSTS PICTURES [scrape]: the CPU time and memory of a rooftop that watches
hosts through one server of the query API (20 metrics a host), or as so many exporters."""

import http.server
import json
import os
import re
import subprocess
import sys
import threading
import urllib.parse

ROWS = 20


def answer(rows, hosts):
    """What a server says of these rows of rooftop's table."""
    series = [
        {"metric": {"instance": f"node{h:04d}:9100", "rooftop_row": row}, "value": [1, str(1 + (h * 7 + i) % 50)]}
        for i, row in enumerate(rows)
        for h in range(hosts)
    ]
    return json.dumps({"status": "success", "data": {"resultType": "vector", "result": series}}).encode()


def page():
    """A page of the size that a node_exporter has."""
    lines = ["node_load1 3", "node_memory_MemTotal_bytes 8e9", "node_memory_MemAvailable_bytes 5e9"]
    lines += [f'node_cpu_seconds_total{{cpu="{c}",mode="{m}"}} {c}' for c in range(64) for m in ("idle", "user", "system")]
    lines += [f'node_other_thing_total{{name="n{i}"}} {i}' for i in range(900)]
    return "\n".join(lines + [""]).encode()


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hosts, answers, text = 0, {}, page()

    def log_message(self, *_):
        pass

    def give(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        rows = re.findall(r'"rooftop_row","(\w+)"', urllib.parse.parse_qs(form)["query"][0])
        key = tuple(rows[:ROWS])
        if key not in self.answers:
            self.answers[key] = answer(key, self.hosts)
        self.give(self.answers[key], "application/json")

    def do_GET(self):
        self.give(self.text, "text/plain")


def main():
    rooftop, hosts, pictures = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    scrape = len(sys.argv) > 4
    Server.hosts = hosts
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.request_queue_size = 512
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    where = [f"prom:http://127.0.0.1:{port}"]
    if scrape:
        # each of 127.0.0.0/8 is this host: a name for each exporter
        server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        urls = ",".join(f"http://127.0.{1 + h // 250}.{1 + h % 250}:{port}/metrics" for h in range(hosts))
        where = ["--scrape", urls]
    words = [rooftop, *where, "-d", "1", "--headless", "--format", "jsonl", "--frames", str(pictures)]
    with open(os.environ.get("KEEP", os.devnull), "w") as out:
        child = subprocess.Popen(words, stdout=out)
        _, status, used = os.wait4(child.pid, 0)
    print(f"status {os.waitstatus_to_exitcode(status)}, CPU {used.ru_utime + used.ru_stime:.2f} s, {used.ru_maxrss // 1024} MiB")


main()
