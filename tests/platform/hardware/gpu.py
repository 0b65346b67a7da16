"""What the checks on real GPUs share: a machine, rows that were seen, failed or left out, and the rows of both vendors.

Each row is a function of the machine that returns its figures; its docstring is its name in the table. It is judged by what the
vendor's tools, the runtime's events or PyTorch say, never by rooftop's own word alone.
"""
import collections
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 120  # seconds for any one command
COSTS = {"deferred": 5, "layer": 20, "immediate": 200}  # % that the seed "BrickProfiler v2" promises, "Deferred Sync Mode"


class LeftOut(Exception):
    """Why a row cannot be tried here."""


class Failed(Exception):
    """What a row found wrong."""


def expect(right, text):
    if not right:
        raise Failed(text)


def close(ours, theirs, share, least=0.0):
    return abs(ours - theirs) <= max(share * abs(theirs), least)


def tool(name, *folders):
    """A program in PATH or in one of these folders, or None."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


class Machine:
    """rooftop and sources: paths. out: a folder that keeps all documents. compiler: [program, options…, "SOURCE"] for spans.cu, or None. ask():
    {member of a device in rooftop's snapshot: what the vendor's tool says, in rooftop's unit}."""

    def __init__(self, rooftop, sources, out, name, compiler, ask):
        self.rooftop, self.sources, self.out = os.path.abspath(rooftop), pathlib.Path(sources).resolve(), pathlib.Path(out).resolve()
        self.name, self.compiler, self.ask = name, compiler, ask
        self.python = self.find_torch()
        self.spans = None

    @staticmethod
    def find_torch():
        for name in dict.fromkeys([shutil.which("python3"), sys.executable]):
            if name and subprocess.run([name, "-c", "import torch; assert torch.cuda.is_available()"], capture_output=True, check=False).returncode == 0:
                return name
        return None

    def run(self, command, name, status=(0,), limit=LIMIT):
        """Runs it; its outputs stay in OUT/name.*; returns standard output."""
        try:
            done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                  text=True, errors="replace", timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"{name}: still running after {limit} s") from None
        (self.out / f"{name}.out").write_text(done.stdout, encoding="utf-8")
        (self.out / f"{name}.err").write_text(done.stderr, encoding="utf-8")
        if done.returncode not in status:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise Failed(f"{name}: status {done.returncode}: {''.join(last)[:200]}")
        return done.stdout

    def document(self, arguments, name):
        """A document of rooftop's, by way of a file: what it prints beside belongs to the command that it runs."""
        file = self.out / f"{name}.json"
        at = arguments.index("--") if "--" in arguments else len(arguments)
        self.run([self.rooftop, *arguments[:at], "--format", "json", "-o", file, *arguments[at:]], name)
        return json.loads(file.read_text(encoding="utf-8"))

    def torch(self, *arguments):
        if not self.python:
            raise LeftOut("no python3 here has a PyTorch that sees the GPU")
        return [self.python, HERE / "runs.py", *arguments]

    def compiled(self):
        if not self.spans:
            self.spans = self.compile(HERE / "spans.cu", "spans")
        return self.spans

    def compile(self, source, name):
        if not self.compiler:
            raise LeftOut("no compiler for this GPU: nvcc or hipcc")
        target = self.out / name
        command = [source if word == "SOURCE" else word for word in self.compiler]
        self.run([*command, "-O2", f"-I{self.sources}/include", self.sources / "librooftop.a", "-lpthread", "-o", target], f"compile-{name}")
        return target


# --- telemetry beside the vendor's tool ---

# Member of the snapshot: share and least difference that is still the same, since both are asked one after the other.
SAME = {
    "mem_total": (0.0, 2 << 20), "mem_used": (0.02, 64 << 20), "power": (0.15, 15), "power_cap": (0.0, 0.5), "temp_edge": (0.0, 4),
    "temp_junction": (0.0, 5), "temp_mem": (0.0, 4), "gfx_hz": (0.10, 15e6), "mem_hz": (0.01, 1e6), "gfx_busy": (0.0, 10),
    "ecc_uncorrected": (0.0, 0), "pcie_width": (0.0, 0),
}


def value_of(device, name):
    v = device["now"].get(name, device.get(name))
    return v["value"] if v and v["valid"] else None


def telemetry(m, name):
    """What rooftop says must lie between the vendor's answers before and after."""
    before = m.ask()
    devices = (m.document(["--headless"], name).get("gpus") or {}).get("devices") or []
    expect(devices, "the snapshot has no GPU")
    after, same, wrong, missing = m.ask(), [], [], []
    for member, (share, least) in SAME.items():
        ours, theirs = value_of(devices[0], member), [a[member] for a in (before, after) if a.get(member) is not None]
        if not theirs:
            continue
        if ours is None:
            missing.append(member)
            continue
        slack = max(share * max(theirs), least)
        right = min(theirs) - slack <= ours <= max(theirs) + slack
        (same if right else wrong).append(member if right else f"{member} {ours:g}, the vendor's tool {min(theirs):g} to {max(theirs):g}")
    expect(not wrong, "; ".join(wrong))
    expect(not missing, "n/a, though the vendor's tool has it: " + ", ".join(missing))
    expect(len(same) >= 4, f"only {len(same)} numbers could be compared: {', '.join(same)}")
    return f"{len(same)} numbers as the vendor's tool: {', '.join(same)}"


def idle(m):
    """telemetry, idle"""
    return telemetry(m, "idle")


def loaded(m):
    """telemetry and processes under load"""
    with subprocess.Popen([str(c) for c in m.torch("load", "25")], stdout=subprocess.PIPE, text=True) as process:
        try:
            told = json.loads(process.stdout.readline() or "{}")
            expect("pid" in told, "the load did not start")
            time.sleep(3)  # clocks and power settle: a state is compared, not how it is reached
            text = telemetry(m, "loaded")
            document = json.loads((m.out / "loaded.json").read_text(encoding="utf-8"))
            expect(any(p.get("pid") == told["pid"] for p in document["gpus"]["processes"]), f"process {told['pid']} is not listed")
            return text + f"; process {told['pid']} is listed"
        finally:
            process.kill()


def view(m):
    """view 0 as text"""
    text = m.run([m.rooftop, "--headless", "--view", "gpu"], "view")
    word = next((w for w in m.name.split() if w.upper() not in ("NVIDIA", "AMD", "INSTINCT", "RADEON")), m.name)
    expect(word in text, f"the view does not name {m.name}")
    return m.name


def doctor(m, source):
    row = next((c for c in m.document(["doctor"], "doctor")["capabilities"] if c["source"] == source), None)
    expect(row and row["state"] == "yes", f"doctor says {row}")
    return f"{row['label']}: {row['why']}"


# --- bricks on the device ---

def costs(m):
    """cost of device bricks"""
    spans, lines, wrong = m.compiled(), [], []
    for us in (10, 100):
        walls = {mode: json.loads(m.run([spans, "cost", us, mode], f"cost-{us}-{mode}"))["wall_ns"] for mode in ("off", *COSTS)}
        more = {mode: 100 * (walls[mode] / walls["off"] - 1) for mode in COSTS}
        lines.append(f"kernels of {us} us: " + ", ".join(f"{mode} {p:+.1f} %" for mode, p in more.items()))
        if us == 100:
            wrong = [f"{mode} {p:+.1f} %, promised {COSTS[mode]}" for mode, p in more.items() if p > COSTS[mode]]
    expect(not wrong, "; ".join(wrong + lines))
    return "; ".join(lines)


def times(m):
    """spans of bricks beside the runtime's events"""
    nodes = m.document(["tree", "--", m.compiled(), "times"], "times")["nodes"]
    told = next(json.loads(line) for line in (m.out / "times.out").read_text().splitlines() if line.startswith('{"kernels"'))
    lines = []
    for kernel in told["kernels"]:
        ours = [n for n in nodes if n["name"] == kernel["name"]]
        total, calls = sum(n["duration_ns"] for n in ours), sum(n.get("calls", 1) for n in ours)
        expect(calls == kernel["calls"], f"{kernel['name']}: {calls} calls of {kernel['calls']}")
        per = (total - kernel["event_ns"]) / calls
        lines.append(f"{kernel['name']} {per / 1e3:+.2f} us a call")
        # The brick's two events lie outside of the kernel's own two: longer, by what four events take on the stream.
        expect(-1e3 <= per <= max(0.02 * kernel["event_ns"] / calls, 10e3), f"{kernel['name']}: {per:+.0f} ns a call")
    return "longer than the events inside by: " + ", ".join(lines)


def roofs(m):
    """bricks under measured roofs"""
    document = m.document(["roofline", "--", m.compiled(), "roofs"], "roofs")
    told = next(json.loads(line) for line in (m.out / "roofs.out").read_text().splitlines() if line.startswith('{"flops"'))
    points = {p["name"]: p for p in document["points"]}
    expect({"multiply_add", "triad"} <= set(points), f"points: {sorted(points)}")
    flops, rate = points["multiply_add"]["flop_per_s"], points["triad"]["bytes_per_s"]
    expect(close(flops, told["flops"], 0.05), f"multiply_add {flops:.4g} FLOP/s, by its own events {told['flops']:.4g}")
    expect(close(rate, told["bytes"], 0.05), f"triad {rate:.4g} bytes/s, by its own events {told['bytes']:.4g}")
    return f"{told['flops'] / 1e12:.1f} TFLOP/s (f32), {told['bytes'] / 1e12:.2f} TB/s"


def blas(m):
    """roofs beside the vendor's BLAS and a copy"""
    told = json.loads(m.run(m.torch("blas"), "blas"))
    line = f"{told['name']}, {told['arch']}, {told['units']} units: BLAS f32 {told['float32'] / 1e12:.1f}, bf16 {told['bfloat16'] / 1e12:.0f} TFLOP/s, copy {told['copy'] / 1e12:.2f} TB/s"
    if (m.out / "roofs.out").exists():
        own = next((json.loads(l) for l in (m.out / "roofs.out").read_text().splitlines() if l.startswith('{"flops"')), None)
        if own:
            expect(told["float32"] <= 1.05 * own["flops"], f"the BLAS is above the measured roof: {line}; roof {own['flops'] / 1e12:.1f}")
            expect(close(told["copy"], own["bytes"], 0.15), f"the copy and the triad differ: {line}; triad {own['bytes'] / 1e12:.2f}")
    return line


# --- profiles made here ---

def compare_sums(m, name, trace, sums):
    rows = m.document(["kernels", trace], name)["rows"]
    ours = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        ours[row["name"]][0] += row["total_ns"]
        ours[row["name"]][1] += row["calls"]
    expect(sums, "the profiler saw no work of the GPU")
    total = sum(v["us"] for v in sums.values())
    shown = sum(v[0] for v in ours.values()) / 1e3
    calls = sum(v[1] for v in ours.values()), sum(v["calls"] for v in sums.values())
    expect(calls[0] == calls[1], f"{calls[0]} kernels and copies, the profiler has {calls[1]}")
    # The profiler's averages are in whole or tenths of microseconds in some versions.
    expect(close(shown, total, 0.005, calls[1] * 0.5), f"{shown:.1f} us in all, the profiler has {total:.1f}")
    wrong = [f"{k[:60]}: {ours[k][1]} of {v['calls']}" for k, v in sums.items() if k in ours and ours[k][1] != v["calls"]]
    expect(not wrong, "; ".join(wrong[:5]))
    return f"{calls[1]} kernels and copies, {shown / 1e3:.2f} ms; the profiler's averages {total / 1e3:.2f} ms"


def profile_here(m, what):
    folder = m.out / what
    folder.mkdir(exist_ok=True)
    m.run(m.torch(what, folder), f"torch-{what}")
    return folder / "trace.json", json.loads((folder / "sums.json").read_text(encoding="utf-8"))


def kineto(m):
    """a Kineto trace beside key_averages"""
    return compare_sums(m, "kineto", *profile_here(m, "profile"))


def kineto_path(m):
    """its path and its report"""
    trace = m.out / "profile" / "trace.json"
    if not trace.exists():
        raise LeftOut("the trace could not be made")
    path = m.document(["path", trace], "path")
    length = path.get("length_ns")
    expect(length, "no length")
    m.run([m.rooftop, "report", trace], "report")
    return f"{length / 1e6:.2f} ms; OUT/path.json, OUT/report.out"


def graphs(m):
    """graphs of the runtime"""
    return compare_sums(m, "graphs", *profile_here(m, "graph"))


def nvtx(m):
    """NVTX or rocTX ranges"""
    nodes = m.document(["tree", "--ranges", "--", *map(str, m.torch("ranges"))], "nvtx")["nodes"]
    counts = {name: sum(n.get("calls", 1) for n in nodes if n["name"] == name) for name in ("step", "forward")}
    expect(counts == {"step": 7, "forward": 7}, f"calls: {counts}, 7 and 7 were made")
    return "7 steps, 7 forwards"


def try_row(m, row):
    try:
        return "seen", row(m)
    except LeftOut as why:
        return "left out", str(why)
    except Failed as why:
        return "failed", str(why)
    except Exception as why:  # a document without a member, say: the row failed, the others go on
        return "failed", f"{type(why).__name__}: {why}"


def without_gpu(kind, why, rows):
    """Says of every row that it was left out, and why. Exit status 77."""
    for row in rows:
        print(f"| {row.__doc__} | left out | {why} |")
    print(f"skipped: {kind}: {why}")
    return 77


def main(m, rows, names):
    """Prints the table of the rows with these names, or of all, and keeps it as OUT/table.md. Exit status 1 if a row failed."""
    rows = [row for row in rows if row.__name__ in names] if names else rows
    version = subprocess.run([m.rooftop, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    table = [f"{version}, {m.name}, {platform.system()} {platform.release()}, {datetime.date.today()}", "",
             "| what | result | figures |", "|---|---|---|"]
    print("\n".join(table), flush=True)
    counts = collections.Counter()
    for row in rows:
        result, text = try_row(m, row)
        counts[result] += 1
        text = re.sub(r"[|\x00-\x1f\x7f]", " ", text)
        table.append(f"| {row.__doc__} | {result} | {text} |")
        print(table[-1], flush=True)
    (m.out / "table.md").write_text("\n".join(table) + "\n", encoding="utf-8")
    print(f"{counts['seen']} passed, {counts['failed']} failed, {counts['left out']} skipped")
    return 1 if counts["failed"] else 0
