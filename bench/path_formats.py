#!/usr/bin/env python3
"""bench/path_formats.py BUILD [--seeds A..B] [--size N] [--truth DIR] [--keep DIR]: has a program the same path in every format?

Writes simulated programs (../shared/truth) as Kineto's JSON, as Nsight Systems' and rocprofv3's databases and as CSV files of
rocprofv3, all with the same facts: calls, kernels, copies, ranges, threads, streams, correlations. Asks `rooftop report path` about
each, and compares with Kineto's: the parts of the path in points of the whole, its steps, and what twice as fast a kernel
saves. Prints each difference, and fails if one is more than --most points or % of the whole: causes that came within a
microsecond of each other may change places. --keep keeps the files, the SQL that makes the databases, and in truth.txt the true
time and parts of the path (tests/data/path/formats is made so).
"""
import argparse
import collections
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

BASE = 1_000_000_000  # ns: the begin of the trace
PIDS = 1000  # of rank r: PIDS + 10 r; its threads count from there
MACHINE = 1 << 48
COPIES = {False: "MEMORY_COPY_HOST_TO_DEVICE", True: "MEMORY_COPY_DEVICE_TO_HOST"}
FORMATS = ("kineto", "nsys", "rocpd", "csv")

Span = collections.namedtuple("Span", "pid tid t0 t1 name correlation")  # correlation 0: a range
Work = collections.namedtuple("Work", "pid rank stream t0 t1 name copy to_host size correlation")


class Facts:
    """What all formats can say about a run, as far as it is in the window of the trace."""

    def __init__(self, truth, hip_names):
        run, begin = truth.run, truth.begin
        self.ranks = [rank.number for rank in truth.job.ranks]
        self.hip, self.spans, self.works = hip_names, [], []
        for s in run.spans:
            if s.kind in ("rt", "op", "range") and s.t1 is not None and s.t0 >= begin and s.t1 <= truth.end:
                pid = self.pid(s.rank)
                self.spans.append(Span(pid, pid + s.thread.number - 1, s.t0 - begin + BASE, s.t1 - begin + BASE, s.name,
                                       s.correlation if s.kind == "rt" else 0))
        for i in run.items:
            if i.what == "work" and i.segment.t0 >= begin:
                copy = i.work.cls == "copy"
                self.works.append(Work(self.pid(i.rank.number), i.rank.number, i.stream, i.segment.t0 - begin + BASE,
                                       i.segment.t1 - begin + BASE, i.work.name, copy, copy and i.work.a["to_host"],
                                       i.work.a["bytes"] if copy else 0, i.correlation))
        self.threads = sorted({(s.pid, s.tid) for s in self.spans})
        self.spans.sort(key=lambda s: (s.t0, -s.t1))
        self.works.sort(key=lambda w: w.t0)

    def pid(self, rank):
        return PIDS + 10 * rank


# --- Kineto ---

def kineto(facts, folder):
    events = []

    def add(cat, name, pid, tid, t0, t1, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": round(t0 / 1000, 3),
                       "dur": round((t1 - t0) / 1000, 3), "args": args})

    for s in facts.spans:
        if s.correlation:
            add("cuda_runtime", s.name, s.pid, s.tid, s.t0, s.t1, correlation=s.correlation)
        else:
            add("user_annotation", s.name, s.pid, s.tid, s.t0, s.t1)
    for w in facts.works:
        args = {"device": w.rank, "context": 1, "stream": w.stream, "correlation": w.correlation}
        if w.copy:
            args["bytes"] = w.size
        add("gpu_memcpy" if w.copy else "kernel", w.name, w.rank, w.stream, w.t0, w.t1, **args)
    path = os.path.join(folder, "kineto.json")
    properties = [{"id": r, "name": "NVIDIA H100 80GB HBM3", "numSms": 132, "computeMajor": 9, "computeMinor": 0} for r in facts.ranks]
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, "deviceProperties": properties, "traceEvents": events}, out, separators=(",", ":"))
    return [path]


# --- databases ---

class Database:
    """Tables, written as SQL and as a database."""

    def __init__(self, folder, name):
        self.path, self.sql = os.path.join(folder, name), []

    def table(self, name, columns, rows):
        self.sql.append('CREATE TABLE "%s" (%s);' % (name, columns))
        rows = ["(%s)" % ", ".join("NULL" if v is None else "'%s'" % v.replace("'", "''") if isinstance(v, str) else str(v) for v in row)
                for row in rows]
        if rows:
            self.sql.append('INSERT INTO "%s" VALUES\n%s;' % (name, ",\n".join(rows)))

    def write(self):
        text = "\n".join(self.sql) + "\n"
        with open(self.path + ".sql", "w", encoding="utf-8") as out:
            out.write(text)
        database = sqlite3.connect(self.path)
        database.executescript(text)
        database.close()
        return [self.path]


class Numbers(dict):
    """Numbers texts from 1."""

    def __missing__(self, text):
        self[text] = len(self) + 1
        return self[text]


def nsys(facts, folder):
    """The columns that rooftop reads of tables as nsys export writes them (docs/PROFILES.md)."""
    texts, db = Numbers(), Database(folder, "nsys.sqlite")

    def thread(s):
        return MACHINE + (s.pid << 24) + s.tid

    calls = [(s.t0, s.t1, 0, thread(s), s.correlation, texts[s.name + "_v3020"], 0) for s in facts.spans if s.correlation]
    ranges = [(s.t0, s.t1, 59, s.name, None, thread(s), 0) for s in facts.spans if not s.correlation]
    common = "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER"

    def where(w):
        return (w.t0, w.t1, 0, 1, w.stream, w.correlation, MACHINE + (w.pid << 24))

    kernels = [where(w) + (texts[w.name], texts[w.name], 32, 264, 1, 1, 256, 1, 1, 0, 0, 0, i)
               for i, w in enumerate(facts.works) if not w.copy]
    copies = [where(w) + (w.size, 2 if w.to_host else 1, 2 if w.to_host else 1, 1 if w.to_host else 2) for w in facts.works if w.copy]
    db.table("META_DATA_EXPORT", "name TEXT, value TEXT", [("EXPORT_SCHEMA_VERSION", "3.24.0")])
    db.table("StringIds", "id INTEGER PRIMARY KEY, value TEXT", [(n, text) for text, n in texts.items()])
    db.table("PROCESSES", "globalPid INTEGER, pid INTEGER, name TEXT",
             [(MACHINE + (facts.pid(r) << 24), facts.pid(r), "python3") for r in facts.ranks])
    db.table("TARGET_INFO_GPU", "vmId INTEGER, id INTEGER, name TEXT, smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER",
             [(MACHINE, r, "NVIDIA H100 80GB HBM3", 132, 9, 0) for r in facts.ranks])
    db.table("TARGET_INFO_CUDA_DEVICE", "gpuId INTEGER, cudaId INTEGER, pid INTEGER", [(r, 0, facts.pid(r)) for r in facts.ranks])
    db.table("CUPTI_ACTIVITY_KIND_RUNTIME", "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER,"
             " nameId INTEGER, returnValue INTEGER", calls)
    db.table("CUPTI_ACTIVITY_KIND_KERNEL", common + ", demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER,"
             " gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
             " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER, gridId INTEGER", kernels)
    db.table("CUPTI_ACTIVITY_KIND_MEMCPY", common + ", bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER", copies)
    db.table("NVTX_EVENTS", "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER,"
             " domainId INTEGER", ranges)
    db.table("ENUM_NSYS_EVENT_TYPE", "id INTEGER PRIMARY KEY, name TEXT, label TEXT", [(59, "NvtxPushPopRange", "")])
    return db.write()


def rocpd(facts, folder):
    """Schema 3. One guid for each process, as rocprofv3 writes a file for each and its tools join them."""
    files = []
    for rank in facts.ranks:
        texts, symbols, guid = Numbers(), Numbers(), "%08x" % rank
        db, pid, events = Database(folder, "rocpd%d.db" % rank), facts.pid(rank), []

        def event(category, correlation, events=events, texts=texts, guid=guid):
            events.append((len(events) + 1, guid, texts[category], correlation, 0, correlation))
            return len(events)

        regions = [(i + 1, guid, 1, pid, s.tid, s.t0, s.t1, texts[facts.hip.get(s.name, s.name)],
                    event("HIP_RUNTIME_API_EXT" if s.correlation else "MARKER_CORE_RANGE_API", s.correlation))
                   for i, s in enumerate(s for s in facts.spans if s.pid == pid)]
        own = [w for w in facts.works if w.pid == pid]
        kernels = [(i + 1, guid, 1, pid, pid, 4, symbols[w.name], i + 1, w.stream, w.stream, w.t0, w.t1, 0, 0, 256, 1, 1, 256 * 264, 1, 1,
                    event("KERNEL_DISPATCH", w.correlation)) for i, w in enumerate(own) if not w.copy]
        copies = [(i + 1, guid, 1, pid, pid, w.t0, w.t1, texts[COPIES[w.to_host]], 0 if w.to_host else 4, 4 if w.to_host else 0, w.size,
                   0, w.stream, event("MEMORY_COPY", w.correlation)) for i, w in enumerate(own) if w.copy]
        tid = "id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER"
        db.table("rocpd_metadata", "id INTEGER PRIMARY KEY, tag TEXT, value TEXT",
                 [(1, "schema_version", "3"), (2, "uuid", ""), (3, "guid", guid)])
        db.table("rocpd_string", "id INTEGER PRIMARY KEY, guid TEXT, string TEXT", [(n, guid, text) for text, n in texts.items()])
        db.table("rocpd_info_node", "id INTEGER PRIMARY KEY, guid TEXT, hash BIGINT, machine_id TEXT, hostname TEXT",
                 [(1, guid, 1, "m", "host")])
        db.table("rocpd_info_process", "id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, command TEXT",
                 [(pid, guid, 1, 1, pid, "python3 train.py")])
        db.table("rocpd_info_thread", "id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, tid INTEGER, name TEXT",
                 [(t, guid, 1, 1, p, t, None) for p, t in facts.threads if p == pid])
        db.table("rocpd_info_agent", tid + ", type TEXT, absolute_index INTEGER, name TEXT, model_name TEXT, product_name TEXT,"
                 " extdata TEXT", [(0, guid, 1, pid, "CPU", 0, "EPYC", None, None, "{}"),
                                   (4, guid, 1, pid, "GPU", 4, "gfx942", None, "AMD Instinct MI300X", "{}")])
        db.table("rocpd_info_kernel_symbol", "id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT",
                 [(n, guid, text, text) for text, n in symbols.items()])
        db.table("rocpd_event", "id INTEGER PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER,"
                 " correlation_id INTEGER", events)
        db.table("rocpd_region", tid + ", tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER", regions)
        db.table("rocpd_kernel_dispatch", tid + ", tid INTEGER, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER,"
                 " stream_id INTEGER, start BIGINT, end BIGINT, private_segment_size INTEGER, group_segment_size INTEGER,"
                 " workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER,"
                 " grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER", kernels)
        db.table("rocpd_memory_copy", tid + ", tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, dst_agent_id INTEGER,"
                 " src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER", copies)
        files += db.write()
    return files


# --- CSV ---

def rows(path, header, lines):
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join('"%s"' % h for h in header) + "\n")
        out.writelines(",".join(str(v) if isinstance(v, int) else '"%s"' % v.replace('"', '""') for v in line) + "\n" for line in lines)


def csv(facts, folder):
    files = []
    call = ("Domain", "Function", "Process_Id", "Thread_Id", "Correlation_Id", "Start_Timestamp", "End_Timestamp")
    kernel = ("Kind", "Agent_Id", "Queue_Id", "Stream_Id", "Thread_Id", "Dispatch_Id", "Kernel_Id", "Kernel_Name", "Correlation_Id",
              "Start_Timestamp", "End_Timestamp", "Workgroup_Size_X", "Workgroup_Size_Y", "Workgroup_Size_Z", "Grid_Size_X",
              "Grid_Size_Y", "Grid_Size_Z")
    copy = ("Kind", "Direction", "Stream_Id", "Source_Agent_Id", "Destination_Agent_Id", "Correlation_Id", "Start_Timestamp",
            "End_Timestamp")
    for rank in facts.ranks:
        pid, symbols = facts.pid(rank), Numbers()
        spans, works = [s for s in facts.spans if s.pid == pid], [w for w in facts.works if w.pid == pid]
        stem = os.path.join(folder, "%d_" % pid)
        for name, domain, some in (("hip_api", "HIP_RUNTIME_API_EXT", [s for s in spans if s.correlation]),
                                   ("marker_api", "MARKER_CORE_RANGE_API", [s for s in spans if not s.correlation])):
            rows(stem + name + "_trace.csv", call, [(domain, facts.hip.get(s.name, s.name), s.pid, s.tid, s.correlation or 10**6 + i, s.t0,
                                                     s.t1) for i, s in enumerate(some)])
        rows(stem + "kernel_trace.csv", kernel, [("KERNEL_DISPATCH", "Agent 4", w.stream, w.stream, pid, i, symbols[w.name], w.name,
                                                  w.correlation, w.t0, w.t1, 256, 1, 1, 256 * 264, 1, 1)
                                                 for i, w in enumerate(works, 1) if not w.copy])
        rows(stem + "memory_copy_trace.csv", copy, [("MEMORY_COPY", COPIES[w.to_host], w.stream, "Agent %d" % (4 if w.to_host else 0),
                                                     "Agent %d" % (0 if w.to_host else 4), w.correlation, w.t0, w.t1)
                                                    for w in works if w.copy])
        rows(stem + "agent_info.csv", ("Node_Id", "Agent_Type", "Name", "Product_Name"),
             [(0, "CPU", "EPYC", "EPYC"), (4, "GPU", "gfx942", "AMD Instinct MI300X")])
        files += [stem + n for n in ("hip_api_trace.csv", "marker_api_trace.csv", "kernel_trace.csv", "memory_copy_trace.csv",
                                     "agent_info.csv")]
    return files


WRITERS = {"kineto": kineto, "nsys": nsys, "rocpd": rocpd, "csv": csv}


# --- answers ---

def ask(build, files, *more):
    done = subprocess.run([f"{build}/rooftop", "path", "--no-config", "--format", "json", *more, *files], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(files), done.stderr.decode("utf-8", "replace").strip()))
    return json.loads(done.stdout)


def answer(build, files, facts):
    """Parts in ns, steps (part, from, length), savings of twice as fast kernels. Names of calls and copies differ between vendors."""
    path = ask(build, files)
    begin = min([s["start_ns"] for s in path["steps"]] or [0])
    steps = [(s["part"], s["start_ns"] - begin, s["length_ns"]) for s in path["steps"]]
    kernels = collections.Counter()
    for w in facts.works:
        kernels[w.name] += 0 if w.copy else w.t1 - w.t0
    saved = {name: ask(build, files, "--what-if", name + "=2")["what_if"]["gain_ns"] for name, _ in kernels.most_common(2)}
    return {"length": path["length_ns"], "parts": {p: v["ns"] for p, v in path["shares"].items()}, "steps": steps, "what_if": saved}


def differences(a, b):
    total = max(1, a["length"], b["length"])
    points = 50.0 * sum(abs(ns - b["parts"][p]) for p, ns in a["parts"].items()) / total
    saved = max((100.0 * abs(ns - b["what_if"][n]) / total for n, ns in a["what_if"].items()), default=0)
    steps = sum((collections.Counter(a["steps"]) - collections.Counter(b["steps"])).values())
    return points, steps, saved


def write_truth(truth, path):
    parts = collections.Counter()
    for part, ns in truth.path.parts().items():
        parts[part if part in ("compute", "communication", "copy", "launch") else "cpu"] += ns
    with open(path, "w", encoding="utf-8") as out:
        out.writelines("%s %d\n" % line for line in [("length", truth.total)] + sorted(parts.items()))


def check(o, seed):
    """Whether all formats answer the same for a seed."""
    truth = Truth(make(seed, o.size))
    facts, same = Facts(truth, HIP_NAMES), True
    folder = os.path.join(o.keep, str(seed)) if o.keep else tempfile.mkdtemp()
    answers = {}
    for name in FORMATS:
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        for old in os.listdir(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name, old))
        answers[name] = answer(o.build, WRITERS[name](facts, os.path.join(folder, name)), facts)
    first = answers[FORMATS[0]]
    for name in FORMATS[1:]:
        points, steps, saved = differences(first, answers[name])
        same = same and points <= o.most and saved <= o.most
        if steps or points or saved:
            print("%4d %-7s %5d spans, %5d works: %.2f points, %d of %d steps, what-if %.2f %%" %
                  (seed, name, len(facts.spans), len(facts.works), points, steps, len(first["steps"]), saved))
    if o.keep:
        write_truth(truth, os.path.join(folder, "truth.txt"))
    else:
        shutil.rmtree(folder)
    return same


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("--seeds", default="0..44")
    p.add_argument("--size", type=int, default=100)
    p.add_argument("--truth", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../shared/truth"))
    p.add_argument("--most", type=float, default=1)
    p.add_argument("--keep")
    return p.parse_args()


if __name__ == "__main__":
    O = options()
    sys.path.insert(0, O.truth)
    sys.dont_write_bytecode = True
    from emit import HIP_NAMES
    from programs import make
    from truth import Truth
    FROM, _, TO = O.seeds.partition("..")
    SEEDS = range(int(FROM), int(TO or FROM) + 1)
    DIFFERENT = sum(not check(O, seed) for seed in SEEDS)
    print("%d programs, %d with a path that depends on the format" % (len(SEEDS), DIFFERENT))
    sys.exit(1 if DIFFERENT else 0)
