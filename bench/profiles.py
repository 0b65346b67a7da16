"""Measures opening profiles: bench/make_profile.c makes the files, bench/profiles.c opens them and compares with a bare
scan of the same file. Called by bench/run.py; the files are deleted afterwards."""
import json
import os
import subprocess
import tempfile

RATIO, BYTES = 2.5, 100  # targets of a rocpd file: of the scan's time; a dispatch
SPEED, SHARE = 150, 1 / 3  # of Kineto's JSON: MB/s of text; memory of the text


def make(build, kind, count, folder):
    path = os.path.join(folder, "profile")
    subprocess.run([f"{build}/bench/make_profile", kind, str(count), path], check=True)
    return path


def open_profile(build, path, turns=3):
    done = subprocess.run([f"{build}/bench/profiles", path, str(turns)], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def opened(build, kind, count, folder):
    path = make(build, kind, count, folder)
    result = open_profile(build, path)
    os.unlink(path)
    return result


def measure(build, say, table, quick):
    say("### Opening profiles: read, ordered, path and slack, sums")
    say()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, count in (("rocpd", 10**5 if quick else 10**6), ("rocpd", 10**6 if quick else 10**7),
                            ("rocpd-calls", 10**5 if quick else 10**6)):
            r = opened(build, kind, count, folder)
            rows.append([kind, f"{r['dispatches']:.0e}", f"{r['spans']:.1e}", f"{r['scan_s']:.3f}",
                         f"{r['open_s']:.3f}", f"{r['open_s'] / r['scan_s']:.2f}",
                         f"{r['peak'] / r['dispatches']:.0f}", f"{r['peak'] / r['spans']:.0f}"])
        table(["file", "dispatches", "spans", "bare scan, s", "opened, s", f"ratio (target {RATIO})",
               f"bytes a dispatch (target {BYTES})", "bytes a span"], rows)
        r = opened(build, "kineto", 50 if quick else 500, folder)
    say(f"Kineto JSON of {r['size'] / 1e6:.0f} MB, {r['spans']} spans: {r['size'] / 1e6 / r['open_s']:.0f} MB/s (target "
        f"{SPEED}), memory {r['peak'] / r['size']:.2f} of the text (target {SHARE:.2f})")
    say()
