/*
 * Every command of README.md, as it stands there, in a folder with the files that it names. What a
 * plain machine lacks (a GPU, rocprofv3) must be said as documented. A command, or any other
 * indented line, that this table does not know fails: it is written with the README.
 * Forks: not for TSan.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/code_made.h"
#include "support/compiled.h"
#include "support/made_capture.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/test.h"

enum kind {
    PRINTS,    /* ends by itself; `sees` is in what it prints, or in its error */
    SCREEN,    /* a dashboard that shows `sees`; the test leaves it with Q */
    ELSEWHERE, /* tested elsewhere: the file `sees` runs it */
    STAYS,     /* prints `sees` and continues until ^C */
    TYPED,     /* commands of the dashboard, typed after a colon */
    CODE,      /* C: all code together compiles */
};

struct row {
    const char *line;
    enum kind kind;
    int status;
    const char *sees;
    int lacking; /* another status that is allowed, because this machine lacks something or is busy;
                    0: none; REFUSED */
    const char *why;
};

#define REFUSED                                                                                    \
    (-1) /* status 5 or 6: not allowed for this user, or not possible on this machine              \
          */
#define FRESH  "scripts/check-fresh.sh"
#define NO_GPU 6, "libhsa-runtime64", 6, "HSA"

static const struct row table[] = {
    {"apt-get update && apt-get install -y make", ELSEWHERE, 0, FRESH, 0, NULL},
    {"make run", ELSEWHERE, 0, FRESH, 0, NULL},
    {"make test", ELSEWHERE, 0, FRESH, 0, NULL},
    {"make && sudo make install PREFIX=/usr/local", ELSEWHERE, 0, FRESH, 0, NULL},
    {"make install", ELSEWHERE, 0, "scripts/check-install.sh", 0, NULL},
    {"make deb", ELSEWHERE, 0, ".ci/run", 0, NULL},
    {"make portable", ELSEWHERE, 0, ".ci/run", 0, NULL},
    {"make check", ELSEWHERE, 0, ".ci/run", 0, NULL},
    {"make lint", ELSEWHERE, 0, ".ci/run", 0, NULL},
    {"make fuzz", ELSEWHERE, 0, ".ci/run", 0, NULL},
    {"make counts", ELSEWHERE, 0, ".ci/run", 0, NULL},
    {"make test-pmu", ELSEWHERE, 0, ".ci/run", 0, NULL},
    {"make test-gpu", ELSEWHERE, 0, ".ci/run", 0, NULL},
    {"make demo-gpu", ELSEWHERE, 0, ".ci/run", 0, NULL},
    {"make mutate", ELSEWHERE, 0, "Makefile", 0, NULL},
    {"make help", ELSEWHERE, 0, "tests/scripts/test_make_help.c", 0, NULL},
    {"make nightly", ELSEWHERE, 0, "Makefile", 0, NULL}, /* takes more than an hour */
    {"make soak", ELSEWHERE, 0, "Makefile", 0, NULL},    /* takes hours */
    {"make bench", ELSEWHERE, 0, "Makefile", 0, NULL},   /* needs an idle machine */
    {"rooftop", SCREEN, 0, "processes by", 0, NULL},
    {"rooftop -- ./a.out -n 3", SCREEN, 3, "a.out -n 3", 0, NULL},
    {"rooftop -p 4711,4712", SCREEN, 0, "pid ", 0, NULL},
    {"rooftop -p 4711 --children all", SCREEN, 0, "pid ", 0, NULL},
    {"rooftop --cgroup system.slice/x.service", PRINTS, 4, "no cgroup 'system.slice/x.service'", 0,
     NULL},
    {"rooftop -C 0-3", SCREEN, 0, "CPU 0-3", 4, "is not online"},
    {"rooftop -e instructions:u,r1c2,sched:sched_switch -- ./a.out", SCREEN, 0, "./a.out", REFUSED,
     "tracefs"},
    {"rooftop -e '{cycles,instructions}'", SCREEN, 0, "processes by", 0, NULL},
    {":sort memory  :filter cpu>5 and name~ssh  :attach PID  :view counters  :event major-faults  "
     ":seek -30s  :help "
     "sort",
     TYPED, 0, "", 0, NULL},
    {"rooftop events cache", PRINTS, 0, "LLC-load-misses", 0, NULL},
    {"rooftop record -o run.rooftop -d 0.5 -- ./a.out", PRINTS, 0, "", 0, NULL},
    {"rooftop run.rooftop", SCREEN, 0, "./a.out", 0, NULL},
    {"rooftop compare before.rooftop after.rooftop", PRINTS, 0, "before.rooftop", 0, NULL},
    {"rooftop --headless -r 5 --format json -o before.json -- ./a.out", PRINTS, 0, "", 0, NULL},
    {"rooftop compare --fail-on slower=5% before.json after.json", PRINTS, 0, "elapsed", 9,
     "B is slower"},
    {"rooftop bench --for 2 -- sort in.txt -- sort -s in.txt", PRINTS, 0, "B / A", 0, NULL},
    {"rooftop judge --harness saxpy.toml --baseline saxpy.c --candidate unrolled.c", PRINTS, 9,
     "both are the same code", 0, "faster"},
    {"rooftop judge --capture-dir DIR --baseline captured --candidate k.hip", PRINTS, 9,
     "refused: build: it does not build", 0, NULL},
    {"rooftop optimize saxpy.c --harness saxpy.toml --proposer command:./propose.sh", PRINTS, 9,
     "no gain", 0, NULL},
    {"rooftop optimize tool.c --function hot --run 'sh check.sh {}' --apply", ELSEWHERE, 0,
     "tests/cli/optimize/test_optimize_run.c", 0, NULL},
    {"rooftop optimize k.hip --capture-dir DIR --kernel matmul_tiled", ELSEWHERE, 0,
     "tests/platform/gpu/test_optimize.c", 0, NULL},
    {"cd examples/optimize && rooftop optimize matmul/matmul.c --harness matmul/matmul.toml --each "
     "1",
     ELSEWHERE, 0, "tests/cli/optimize/test_optimize_example.c", 0, NULL},
    {"cd examples/optimize && rooftop optimize matmul/matmul.c --harness matmul/matmul.toml --each "
     "1 "
     "--proposer command:./propose.py --folder by-python",
     ELSEWHERE, 0, "tests/cli/optimize/test_optimize_example.c", 0, NULL},
    {"rooftop history", PRINTS, 0, "sort -s in.txt / sort in.txt", 0, NULL},
    {"rooftop history compare 'sort in.txt'", PRINTS, 0, "compared with run", 3,
     "two are compared"},
    {"rooftop --headless --only target -- ./a.out", PRINTS, 0, "CPU time", 0, NULL},
    {"rooftop --filter 'cpu>5 and name~ssh'", SCREEN, 0, "cpu>5 and name~ssh", 0, NULL},
    {"rooftop --filter '(rss>1G or time>2h) not user=root'", SCREEN, 0, "rss>1G", 0, NULL},
    {"rooftop -- build/release/examples/transformer/transformer", SCREEN, 0, "transformer", 0,
     NULL},
    {"rooftop tree -- ./prog", PRINTS, 0, "gemm", 0, NULL},
    {"rooftop tree --brick-counters cycles,instructions -- ./prog", PRINTS, 0, "gemm", 0, NULL},
    {"rooftop tree --for 10s -- ./prog", PRINTS, 0, "gemm", 0, NULL},
    {"rooftop path -- ./prog", PRINTS, 0, "Critical Path", 0, NULL},
    {"rooftop roofline profile.db", PRINTS, 0, "HBM", 0, NULL},
    {"rooftop path --what-if gemm=2 trace.json.gz", PRINTS, 0, "gemm", 0, NULL},
    {"rooftop bricks -- ./prog", PRINTS, 0, "gemm", 0, NULL},
    {"rooftop tree --syscalls -- ./prog", PRINTS, 0, "outside of these", 0, NULL},
    {"rooftop tree --usdt 'postgresql:*' -p PID", STAYS, 0, "has probes of 'postgresql:*'", REFUSED,
     "probes"},
    {"rooftop results.db", SCREEN, 0, "axpy", 0, NULL},
    {"rooftop report results.db", PRINTS, 0, "dispatches of kernels", 0, NULL},
    {"rooftop compare before.db after.db", PRINTS, 0, "axpy", 0, NULL},
    {"rooftop tree trace.json.gz", PRINTS, 0, "gemm", 0, NULL},
    {"rooftop steps trace.json.gz", PRINTS, 0, "2 ranges 'ProfilerStep'", 0, NULL},
    {"rooftop report trace.json.gz --range 'ProfilerStep#101'", PRINTS, 0, "only ProfilerStep#101",
     0, NULL},
    {"rooftop report traces", PRINTS, 0, "how their clocks became one", 0, NULL},
    {"rooftop timeline results.db --from 1ms --to 2ms", PRINTS, 0, "spans in", 0, NULL},
    {"rooftop ui_output_agent_1_dispatch_2", SCREEN, 0, "axpy", 0, NULL},
    {"rooftop code-object kernel.hsaco", PRINTS, 0, "reduce_sum", 0, NULL},
    {"rooftop trace -- ./prog", PRINTS, 0, "+++ exited with 0 +++", 0, NULL},
    {"rooftop trace -f --calls %file -- ./prog", PRINTS, 0, "openat(AT_FDCWD", 0, NULL},
    {"rooftop trace -c -- ./prog", PRINTS, 0, "usecs/call", 0, NULL},
    {"rooftop trace -k -- ./prog", PRINTS, 0, " > ", 0, NULL},
    {"rooftop trace --function-time -- ./prog", PRINTS, 0, "slow I/O", 0, NULL},
    {"rooftop trace -f --format json -o run.json -- ./prog", PRINTS, 0, "", 0, NULL},
    {"rooftop --view syscalls -- ./prog", SCREEN, 0, "system calls: by call", 0, NULL},
    {"rooftop run.json", SCREEN, 0, "system calls: by call", 0, NULL},
    {"rooftop path run.json", PRINTS, 0, "Critical Path", 0, NULL},
    {"rooftop assert renacer.toml -- sort -n in.txt", PRINTS, 0, "pass  few_reads", 0, NULL},
    {"rooftop golden capture sort -- sort -n in.txt", PRINTS, 0, "1\n2\n3\n", 0, NULL},
    {"rooftop golden check sort", PRINTS, 0, "sort: as before", 0, NULL},
    {"rooftop golden accept sort", PRINTS, 0, "sort: 0 differences accepted", 0, NULL},
    {"rooftop golden compare -- sort in.txt -- sort -s in.txt", PRINTS, 0, "the same effects", 0,
     NULL},
    {"rooftop profile -- ./prog", PRINTS, 6, "rocprofv3 and nsys: not found in PATH", 0, NULL},
    {"rooftop export results.db -o trace.json", PRINTS, 0, "", 0, NULL},
    {"rooftop trace -f --otlp http://localhost:4318 -o trace.txt -- ./prog", PRINTS, 0, "", 6,
     "libcurl"},
    {"rooftop export --otlp http://localhost:4318 results.db", PRINTS, 0, "", 6, "libcurl"},
    {"rooftop otlp --dry-run", PRINTS, 0, ".local/state/rooftop/otlp", 0, NULL},
    {"rooftop capture --kernel gemm --post -- ./prog", PRINTS, 6,
     "no HSA runtime loaded the capture library", 0, NULL},
    {"rooftop --capture -- ./prog", SCREEN, 0, "./prog", 0, NULL},
    {"rooftop --view replay", SCREEN, 0, "replay", 0, NULL},
    {"rooftop --headless --view replay --format json", PRINTS, 0, "rooftop.snapshot/1", 0, NULL},
    {"rooftop replay full-vm --capture-dir DIR --verify", PRINTS, NO_GPU},
    {"rooftop replay compare --capture-dir DIR new.hsaco", PRINTS, NO_GPU},
    {"rooftop replay edit --capture-dir DIR --source k.hip --build 'hipcc --genco "
     "--offload-arch=gfx942 {source} -o {out}'",
     STAYS, 0, "round 1: build failed", 6, "HSA"},
    {"rooftop reproduce --capture-dir DIR -o gemm --source k.hip", PRINTS, 0,
     "make -C gemm builds it", 0, NULL},
    {"rooftop --functions -- ./a.out", SCREEN, 0, "./a.out", 0, NULL},
    {"rooftop --functions --call-graph dwarf -- ./a.out", SCREEN, 0, "./a.out", 0, NULL},
    {"rooftop --headless --functions --format json -- ./a.out", PRINTS, 0, "rooftop.snapshot/1", 0,
     NULL},
    {"rooftop --headless --format folded -- ./a.out", PRINTS, 0, "main", 0, NULL},
    {"rooftop --headless", PRINTS, 0, "processes by", 0, NULL},
    {"rooftop --headless --format json -o run.json -- ./a.out", PRINTS, 0, "", 0, NULL},
    {"rooftop --headless --format jsonl --frames 10 --interval 500ms -p 4711", PRINTS, 0,
     "\"kind\":\"pids\"", 0, NULL},
    {"rooftop --headless --format svg --size 120x40 -o picture.svg", PRINTS, 0, "", 0, NULL},
    {"rooftop lab roofs --quick", PRINTS, 0, "latency, by size", 0, NULL},
    {"rooftop lab ports -- ./prog", PRINTS, 0, "COUNTED", 6, "n/a"},
    {"rooftop lab ports kernel.o:axpy", ELSEWHERE, 0, "tests/cli/lab/test_lab_ports.c", 0, NULL},
    {"rooftop lab validate", PRINTS, 0, "balanced ops/cycle", 9, "FAIL"},
    {"rooftop doctor", PRINTS, 0, "perf_event", 0, NULL},
    {"rooftop --metrics mine.toml", SCREEN, 0, "processes by", 0, NULL},
    {"rooftop --print-config", PRINTS, 0, "rooftop's configuration", 0, NULL},
    {"rooftop --ranges -- ./prog", SCREEN, 0, "./prog", 0, NULL},
    {"rooftop -h", PRINTS, 0, "Did it get faster?", 0, NULL},
    {"rooftop --help", PRINTS, 0, "Exit status", 0, NULL},
    {"rooftop_timer t = rooftop_start(ROOFTOP_QKV_PROJECTION);", CODE, 0, "", 0, NULL},
    {"qkv(x, y, n);", CODE, 0, "", 0, NULL},
    {"rooftop_stop(t, n);", CODE, 0, "", 0, NULL},
};

/* Beginnings of lines about keys; tests/tui tests those. */
static const char *const keys[] = {
    "Enter  ", ":    ", "b    ", "P    ", "mouse  ", "p, Left, {  ", "click  ", "w    ",
};

static pid_t watched[2];

/* --- the folder --- */

static const char program_c[] =
    "#include <rooftop/brick.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n"
    "    volatile double x = 1;\n    for (int pass = 0; pass < 30; pass++) {\n"
    "        rooftop_timer layer = rooftop_start(rooftop_layer(0));\n"
    "        rooftop_timer t = rooftop_start(rooftop_brick(\"gemm\"));\n"
    "        for (int i = 0; i < 1000000; i++)\n            x = x * 1.0000001 + 1e-9;\n"
    "        rooftop_stop(t, 1);\n        rooftop_stop(layer, 0);\n    }\n"
    "    return argc > 2 ? atoi(argv[2]) : 0;\n}\n";

static const char trace_json[] =
    "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"user_annotation\", \"pid\": 1, \"tid\": 1, "
    "\"ts\": 0, "
    "\"dur\": 100, \"name\": \"ProfilerStep#101\"},"
    "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"pid\": 1, \"tid\": 1, \"ts\": 100, \"dur\": "
    "90, "
    "\"name\": \"ProfilerStep#102\"},"
    "{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": 10, \"dur\": 80, \"name\": \"gemm\"}]}\n";

static void shell(const char *line)
{
    struct program p;
    program_run(&p, line);
    if (p.status != 0)
        fail_msg("%s: exit %d\n%s%s", line, p.status, p.out, p.err);
    program_free(&p);
}

static struct made_capture capture;

/* Makes programs with bricks, profiles, sessions, a thread trace, code and a capture, under the
 * README's names. */
static void make_files(void)
{
    compiled_write("prog.c", program_c);
    compiled_write("trace.json", trace_json);
    compiled_write("in.txt", "3\n1\n2\n");
    compiled_write("k.hip", "__global__ void gemm() {}\n");

    size_t size;
    uint8_t *code_object = code_file("typed.gfx942.v5.hsaco", &size);
    made_capture_make(&capture);
    made_capture_replace(&capture, "kernel.hsaco", code_object, size);
    made_capture_change(&capture, "dispatch.json", "_Z5scalePfS_fj", "_Z8indirectPFvPfES_");
    free(code_object);
    setenv("C", capture.dir, 1);
    shell("mkdir -p $D/home $D/build && ln -s $C $D/DIR && ln -s $PWD/$BUILD $D/build/release");
    shell("cc -O1 -g -Iinclude $D/prog.c $BUILD/librooftop.a -pthread $SANITIZER -o $D/prog && "
          "cp $D/prog $D/a.out");
    shell("cp tests/data/judge/saxpy.toml $D && cp tests/data/judge/baseline.c $D/saxpy.c && "
          "cp tests/data/judge/baseline.c $D/unrolled.c && cp renacer.toml $D && "
          "printf '#!/bin/sh\\n' >$D/propose.sh && chmod +x $D/propose.sh && cp "
          "tests/data/metrics/valid/cache.toml $D/mine.toml && cd $D && "
          "mkdir traces && cp "
          "trace.json traces/rank0.json && cp trace.json traces/rank1.json && gzip trace.json && "
          "mkdir bin && ln -s $BIN bin/rooftop");
    shell("for f in results profile before after; do cp tests/data/rocpd/synthetic_schema3.db "
          "$D/$f.db; done; cp -r tests/data/att/ui_output_agent_2_dispatch_1 "
          "$D/ui_output_agent_1_dispatch_2; for f in kernel new; do cp "
          "tests/data/gpu/hsaco/reduce.gfx942.v5.hsaco $D/$f.hsaco; done");
    shell("cd $D && for f in before after; do $BIN record -o $f.rooftop -d 0.05 -- ./a.out; "
          "$BIN --headless -r 2 --format json -o $f.json -- ./a.out; done");
}

FIXTURE(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    if (!getenv("BUILD"))
        setenv("BUILD", "build/release", 1);
    if (!program_rooftop())
        return;
#if defined(__SANITIZE_ADDRESS__)
    setenv("SANITIZER", "-fsanitize=address,undefined", 1);
#endif
    make_files();
    for (size_t i = 0; i < 2; i++)
        if ((watched[i] = fork()) == 0)
            for (;;)
                pause();
}

FIXTURE(end)
{
    for (size_t i = 0; i < 2 && watched[i] > 0; i++) {
        kill(watched[i], SIGKILL);
        waitpid(watched[i], NULL, 0);
    }
    made_capture_remove(&capture);
    compiled_free();
}

/* --- the README --- */

static unsigned wrong;

/* Reports a command that does not do what the README says; the test goes on with the others. */
static void wrongly(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void wrongly(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    wrong++;
}

/* Replaces 4711, 4712 and PID of the README by running processes, and changes to the folder. */
static void as_here(const char *line, char *out, size_t size)
{
    static const char *const names[] = {"4711", "4712", "PID"};
    size_t n =
        (size_t)snprintf(out, size,
                         "cd $D && export HOME=$D/home PATH=$D/bin:$PATH && unset XDG_STATE_HOME "
                         "XDG_CACHE_HOME; ");
    while (*line && n + 16 < size) {
        size_t name = 0;
        while (name < 3 && strncmp(line, names[name], strlen(names[name])) != 0)
            name++;
        if (name < 3) {
            n += (size_t)snprintf(out + n, size - n, "%d", (int)watched[name % 2]);
            line += strlen(names[name]);
        } else {
            out[n++] = *line++;
        }
    }
    out[n] = '\0';
}

static bool is_lacking(const struct row *r, int status)
{
    return r->lacking == REFUSED ? status == 5 || status == 6 : status == r->lacking;
}

static void prints(const struct row *r)
{
    char here[1024];
    struct program p;
    as_here(r->line, here, sizeof here);
    program_run(&p, here);
    bool ok = p.status == r->status && (strstr(p.out, r->sees) || strstr(p.err, r->sees));
    if (!ok && r->lacking)
        ok = is_lacking(r, p.status) && (strstr(p.err, r->why) || strstr(p.out, r->why));
    if (!ok)
        wrongly("%s: exit %d, not %d with '%s'\n%.3000s\n%s", r->line, p.status, r->status, r->sees,
                p.out, p.err);
    program_free(&p);
}

static bool shows_or_ended(struct pty *t, const void *row)
{
    const struct row *r = row;
    return t->state == PTY_GONE ||
           (vt_find(t->vt, r->sees, NULL, NULL) && vt_find(t->vt, "Help", NULL, NULL));
}

/* Leaves the program; returns its exit status; -1: it was killed, or does not end. */
static int leave(struct pty *t, const struct row *r)
{
    if (t->state != PTY_GONE && r->status != 0)
        pty_until_text(t, "exited"); /* the command's own status must be shown first */
    if (t->state != PTY_GONE)
        pty_keys(t, "Q");
    bool gone = pty_until_state(t, PTY_GONE);
    return gone && WIFEXITED(t->status) ? WEXITSTATUS(t->status) : -1;
}

/* Runs the row's line in a terminal that is `cols` wide. */
static void in_terminal(struct pty *t, const struct row *r, int cols)
{
    static const char *const env[] = {"LC_ALL=C.UTF-8", "ROOFTOP_CONFIG=/dev/null", NULL};
    char here[1024];
    as_here(r->line, here, sizeof here);
    const char *argv[] = {"bash", "-c", here, NULL};
    assert_int_equal(
        pty_start(t, &(struct pty_config){.argv = argv, .env = env, .cols = cols, .rows = 40}), 0);
}

static void screen(const struct row *r)
{
    struct pty t;
    in_terminal(&t, r, 120);
    pty_until(&t, shows_or_ended, r);
    bool shown = vt_find(t.vt, r->sees, NULL, NULL);
    bool lacks = r->lacking && vt_find(t.vt, r->why, NULL, NULL);
    char *was = strdup(vt_text(t.vt));
    int status = leave(&t, r);
    if (!(shown && status == r->status) && !(lacks && is_lacking(r, status)))
        wrongly("%s: exit %d, not %d with '%s' on the screen:\n%s", r->line, status, r->status,
                r->sees, was);
    free(was);
    pty_end(&t);
}

static void elsewhere(const struct row *r)
{
    char line[256];
    const char *last = strrchr(r->line, ' ') ? strrchr(r->line, ' ') + 1 : r->line;
    if (strcmp(r->sees, FRESH) == 0)
        last = "README.md"; /* the program takes the lines from that file */
    snprintf(line, sizeof line, "grep -qw -- '%s' %s", last, r->sees);
    shell(line);
}

static bool says_or_ended(struct pty *t, const void *row)
{
    const struct row *r = row;
    return t->state == PTY_GONE || vt_find(t->vt, r->sees, NULL, NULL);
}

static void until_interrupted(const struct row *r)
{
    struct pty t;
    in_terminal(&t, r, 200);
    pty_until(&t, says_or_ended, r);
    bool said = vt_find(t.vt, r->sees, NULL, NULL);
    bool lacks = t.state == PTY_GONE && r->lacking && vt_find(t.vt, r->why, NULL, NULL);
    if (t.state != PTY_GONE)
        pty_keys(&t, "\003");
    if (!pty_until_state(&t, PTY_GONE) || (!said && !lacks))
        wrongly("%s: no '%s', or no end at ^C:\n%s", r->line, r->sees, vt_text(t.vt));
    pty_end(&t);
}

/* The text that each of them shows. */
static const struct {
    const char *command, *shows;
} typed[] = {
    {":sort memory", "by memory"},
    {":filter cpu>5 and name~ssh", "cpu>5 and name~ssh"},
    {":attach PID", "pid "},
    {":view counters", "group"},
    {":event major-faults", "is counted too"},
    {":seek -30s", "PAUSED"},
    {":help sort", "sort"},
};

static void type(const struct row *r)
{
    char text[512] = "";
    struct pty t;
    static const char *const argv[] = {"bash", "-c", "exec $BUILD/rooftop -d 0.1", NULL};
    static const char *const env[] = {"LC_ALL=C.UTF-8", "ROOFTOP_CONFIG=/dev/null", NULL};
    assert_int_equal(
        pty_start(&t, &(struct pty_config){.argv = argv, .env = env, .cols = 120, .rows = 40}), 0);
    if (!pty_until_text(&t, "processes by"))
        wrongly("no dashboard to type into:\n%s", vt_text(t.vt));
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        char *line;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "  " : "",
                 typed[i].command);
        const char *pid = strstr(typed[i].command, "PID");
        if (pid)
            assert_true(asprintf(&line, "%.*s%d\r", (int)(pid - typed[i].command), typed[i].command,
                                 (int)watched[0]) > 0);
        else
            assert_true(asprintf(&line, "%s\r", typed[i].command) > 0);
        pty_keys(&t, line);
        if (!pty_until_text(&t, typed[i].shows))
            wrongly("%s: no '%s':\n%s", typed[i].command, typed[i].shows, vt_text(t.vt));
        free(line);
    }
    if (strcmp(text, r->line) != 0)
        wrongly("typed were '%s', the README has '%s'", text, r->line);
    pty_keys(&t, "q"); /* close the help */
    pty_until_text(&t, "q Quit");
    pty_keys(&t, "Q");
    if (!pty_until_state(&t, PTY_GONE))
        wrongly("Q does not leave:\n%s", vt_text(t.vt));
    pty_end(&t);
}

static char code[2048];

static void run_row(const struct row *r)
{
    switch (r->kind) {
    case PRINTS:
        prints(r);
        break;
    case SCREEN:
        screen(r);
        break;
    case ELSEWHERE:
        elsewhere(r);
        break;
    case STAYS:
        until_interrupted(r);
        break;
    case TYPED:
        type(r);
        break;
    case CODE:
        snprintf(code + strlen(code), sizeof code - strlen(code), "    %s\n", r->line);
        break;
    }
}

static bool used[sizeof table / sizeof *table];

/* Runs a line of the README, without its comment. */
static void run_line(const char *text)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].line, text) == 0) {
            if (!used[i])
                run_row(&table[i]);
            used[i] = true;
            return;
        }
    wrongly("README.md has a command that no row of tests/cli/test_readme.c runs: %s", text);
}

static bool is_key(const char *line)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(line, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

/* Handles an indented line, without its comment and the blanks before it. */
static void indented(char *line)
{
    char *comment = strstr(line, " # ");
    if (comment)
        *comment = '\0';
    for (size_t n = strlen(line); n && line[n - 1] == ' ';)
        line[--n] = '\0';
    if (*line && !is_key(line))
        run_line(line);
}

/* Handles `rooftop doctor`, `make check` within a paragraph. */
static void in_backticks(char *line)
{
    for (char *p = line, *end; (p = strchr(p, '`')) && (end = strchr(p + 1, '`')); p = end + 1) {
        *end = '\0';
        if (strncmp(p + 1, "rooftop ", 8) == 0 || strncmp(p + 1, "make ", 5) == 0)
            run_line(p + 1);
    }
}

TEST(every_command_does_what_it_says)
{
    char line[1024];
    program_needed();
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* it does not work in programs that are traced */
    FILE *f = fopen("README.md", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "    ", 4) == 0)
            indented(line + 4);
        else
            in_backticks(line);
    }
    fclose(f);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!used[i])
            wrongly("README.md has no '%s' any more", table[i].line);
    assert_int_equal(wrong, 0);
}

TEST(the_code_compiles)
{
    if (!*code)
        skip_because("rooftop was not built");
    char text[4096];
    snprintf(
        text, sizeof text,
        "#include <rooftop/brick.h>\nvoid qkv(float *x, float *y, unsigned n);\n"
        "void f(float *x, float *y, unsigned n);\nvoid f(float *x, float *y, unsigned n)\n{\n%s}\n",
        code);
    compiled_write("readme.c", text);
    shell("cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -Iinclude $D/readme.c");
}

TEST_MAIN(begin, end)
