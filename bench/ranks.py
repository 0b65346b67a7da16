#!/usr/bin/env python3
"""How often the rule of slow ranks (src/engine/job/job_slow.c) is right, on jobs that really ran.

    bench/ranks.py run FOLDER N     records N random jobs with a known slow rank, or none, and what
                                    is known of them; needs Open MPI, MPICH, their compilers
    bench/ranks.py judge FOLDER...  asks rooftop about each, and counts

Every second job (by its name) is kept for judging a rule that was made on the others: --half 0|1.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOFTOP = os.environ.get('ROOFTOP', ROOT / 'build/release/rooftop')
KINDS = ['healthy'] * 6 + ['computes', 'computes', 'system', 'waits', 'disk', 'stopped']
CAUSES = {'computes': ['computes'], 'system': ['system'], 'disk': ['disk', 'page_faults'],
          'waits': ['cpu_wait', 'other_program', 'shared_cpu', 'nice'], 'stopped': ['stopped']}
LAUNCH = {'openmpi': 'mpirun.openmpi --oversubscribe --bind-to none -np %d',
          'mpich': 'mpirun.mpich -np %d'}


def build(folder):
    source = ROOT / 'bench/ranks.c'
    for name, cc in (('openmpi', 'mpicc.openmpi -DRANKS_MPI'), ('mpich', 'mpicc.mpich -DRANKS_MPI'),
                     ('plain', 'gcc')):
        out = folder / ('ranks-' + name)
        if not out.exists():
            subprocess.run(f'{cc} -O1 {source} -o {out} -lpthread', shell=True, check=True)


def choose(rng):
    kind = rng.choice(KINDS)
    case = {'launcher': rng.choice(['openmpi', 'mpich', 'sleep', 'apart']), 'kind': kind,
            'ranks': rng.randint(2, 5), 'rounds': rng.randint(30, 80),
            'work': round(rng.uniform(2, 6), 2), 'interval': rng.choice([0.2, 1, 1])}
    case['slow'] = -1 if kind == 'healthy' else rng.randrange(case['ranks'])
    more = rng.uniform(0.8, 2)
    case['amount'] = {'system': 2 * more, 'disk': 12 * more, 'waits': rng.randint(4, 8)}.get(kind, more)
    return case


def command(case, folder, out):
    words = [case['launcher'], case['rounds'], case['work'], case['slow'], case['kind'],
             case['amount'], folder / 'disk']
    program = 'plain' if case['launcher'] not in LAUNCH else case['launcher']
    job = [str(ROOFTOP), 'job', '-d', str(case['interval']), '-o', str(out), '--',
           str(folder / ('ranks-' + program))]
    return job + [str(w) for w in words]


def start(case, folder, out):
    argv = command(case, folder, out)
    quiet = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.DEVNULL,
             'stderr': subprocess.DEVNULL}
    if case['launcher'] in LAUNCH:
        return [subprocess.Popen((LAUNCH[case['launcher']] % case['ranks']).split() + argv, **quiet)]
    barrier = folder / f'barrier-{os.getpid()}'
    barrier.write_bytes(b'\0' * 4096)
    return [subprocess.Popen(argv, env=dict(os.environ, RANK=str(r), WORLD_SIZE=str(case['ranks']),
                                            LOCAL_RANK=str(r), RANKS_BARRIER=str(barrier)), **quiet)
            for r in range(case['ranks'])]


def find_program(out, rank):
    """The pid of a rank's program, once its summary says it."""
    for path in out.glob(f'.rank-{rank:05d}.*'):
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                env = pathlib.Path(f'/proc/{pid}/environ').read_bytes()
                name = pathlib.Path(f'/proc/{pid}/comm').read_text()
            except OSError:
                continue
            if name.startswith('ranks-') and f'ROOFTOP_RANK_FOLDER={path.resolve()}'.encode() in env:
                return int(pid)
    return 0


def stop(case, out, procs, rng):
    """Stops the slow rank for a while."""
    pid = 0
    for _ in range(600):
        pid = find_program(out, case['slow'])
        if pid or all(p.poll() is not None for p in procs):
            break
        time.sleep(0.05)
    if not pid:
        return False
    case['seconds'] = rng.uniform(1.5, 4)
    try:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(case['seconds'])
        os.kill(pid, signal.SIGCONT)
    except OSError:
        return False
    return True


def run(folder, n):
    folder.mkdir(parents=True, exist_ok=True)
    build(folder)
    if not (folder / 'disk').exists():
        (folder / 'disk').write_bytes(os.urandom(64 << 20))
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1',
                      ROOFTOP_CONFIG='/dev/null')
    for _ in range(n):
        seed = random.randrange(1 << 30)
        rng = random.Random(seed)
        case = dict(choose(rng), load=os.getloadavg()[0])
        out = folder / f'job-{seed}'
        procs = start(case, folder, out)
        done = case['kind'] != 'stopped' or stop(case, out, procs, rng)
        status = [p.wait() for p in procs]
        for p in out.glob('rank-*/session.rooftop'):
            p.unlink()
        if done and not any(status) and out.exists():
            (out / 'truth.json').write_text(json.dumps(case))
        print(out.name, case, status, done, flush=True)


def judge(folders, half, show):
    counts = {}
    for truth in sorted(p for f in folders for p in f.glob('job-*/truth.json')):
        out = truth.parent
        if half is not None and int(out.name.split('-')[1]) % 2 != half:
            continue
        case = json.loads(truth.read_text())
        r = subprocess.run([ROOFTOP, 'report', 'ranks', '--format', 'json', out],
                           capture_output=True, text=True)
        slow = json.loads(r.stdout)['slow'] if r.returncode == 0 else {'rank': None, 'cause': 'FAILED'}
        slow = slow or {'rank': None, 'cause': None}
        if case['slow'] < 0:
            said = 'nobody' if slow['rank'] is None else 'false'
        elif slow['rank'] is None:
            said = 'nobody'
        elif slow['rank'] != case['slow']:
            said = 'false'
        else:
            said = 'right' if slow['cause'] in CAUSES[case['kind']] else 'rank only'
        key = (case['kind'], case['launcher'])
        counts.setdefault(key, {}).setdefault(said, []).append(out.name)
        if show and said != ('nobody' if case['slow'] < 0 else 'right'):
            print(out, said, slow.get('rank'), slow.get('cause'), case)
    total = {}
    for key in sorted(counts):
        print('%-9s %-8s' % key, {s: len(v) for s, v in counts[key].items()})
        for s, v in counts[key].items():
            t = total.setdefault(key[0] == 'healthy', {})
            t[s] = t.get(s, 0) + len(v)
    print('healthy', total.get(True), '\ninjected', total.get(False))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('what', choices=['run', 'judge'])
    p.add_argument('folder', nargs='+', type=pathlib.Path)
    p.add_argument('-n', type=int, default=10)
    p.add_argument('--half', type=int)
    p.add_argument('--show', action='store_true')
    a = p.parse_args()
    if a.what == 'run':
        run(a.folder[0].resolve(), a.n)
    else:
        judge(a.folder, a.half, a.show)


main()
