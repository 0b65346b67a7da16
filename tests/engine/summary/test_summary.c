/* The summaries of what is no profile of a GPU. Each number was found in another way, too: the
 * comments say how. */
#include "engine/summary/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/target_sums.h"
#include "support/hang_scene.h"
#include "support/made_capture.h"
#include "support/session_file.h"
#include "support/test.h"

static struct subject opened;
static struct att_set traces;
static struct analysis profile;
static struct summary s;

static void open_subject(const char *path, enum subject_kind kind)
{
    assert_int_equal(subject_recognise(path), kind);
    if (kind == SUBJECT_TRACES) {
        assert_int_equal(att_set_open(&traces, path, 16, NULL), 0);
        opened.traces = &traces;
    } else if (kind == SUBJECT_PROFILE) {
        assert_int_equal(analysis_open(&profile, &path, 1, NULL), 0);
        opened.profile = &profile;
    } else {
        assert_int_equal(subject_open(&opened, kind, path, NULL), 0);
    }
    summary_make(&s, &opened, true);
}

static int close_subject(void **state)
{
    (void)state;
    summary_free(&s);
    if (opened.profile)
        analysis_close(&profile);
    subject_free(&opened);
    att_set_free(&traces);
    traces = (struct att_set){.n = 0};
    profile = (struct analysis){.nbest = 0};
    return 0;
}

/* Whether a line, or a line without a label below it, has the text. */
static void expect(const char *label, const char *text)
{
    const char *last = "";
    for (size_t i = 0; i < s.n; i++) {
        last = *s.lines[i].label ? s.lines[i].label : last;
        if (strcmp(last, label) == 0 && strstr(s.lines[i].text, text))
            return;
    }
    for (size_t i = 0; i < s.n; i++)
        print_message("%-12s %s\n", s.lines[i].label, s.lines[i].text);
    fail_msg("no '%s: %s'", label, text);
}

/*
 * Time and number of samples: sqlite3 frames-4.rooftop "select sum(frames), (max(last_ns) -
 * min(first_ns)) / 1e6 from block" gives 8, 650.956. The others: rooftop --headless --format csv,
 * then awk over the rows of a kind. cpu,busy without a CPU: 7 values, mean 97.1393, largest 100;
 * memory,used: 642146304 first, 856768512 last, 881233920 most.
 */
TEST_WITH(a_session_says_what_was_recorded, NULL, close_subject)
{
    open_subject("tests/data/session/frames-4.rooftop", SUBJECT_SESSION);
    assert_non_null(strstr(s.head, "651 ms"));
    assert_non_null(strstr(s.head, "8 samples"));
    expect("verdict", "the host's CPUs are busy: 97.1 % on average, 46.7 % by what was watched "
                      "(rule: 90 % or more)");
    expect("watched", "transformer --seconds 0.4 --quiet: exit 0 after 648 ms");
    expect("host cpu", "mean 97.1 %, peak 100.0 %");
    /* 856768512 - 642146304 bytes are 204.7 MiB */
    expect("host memory", "612 MiB at first, 817 MiB at last, +205 MiB in 651 ms; peak");
    expect("host memory", "peak 840 MiB");
    expect("longest gap", "100 ms was asked for");
    expect("bricks", "programs with bricks ran");
}

/* --- rules of sessions --- */

static int begin_session(void **state)
{
    return session_set_up(state);
}

static int end_session(void **state)
{
    close_subject(state);
    return session_tear_down(state);
}

/* A session of 20 samples, one a second but for `gap` s before the last; memory begins with 1000
 * MiB and grows by `step` MiB a sample, and goes up and down by `noise`; the host is busy by `busy`
 * %. */
static void make_session(double step, double noise, double busy, int gap)
{
    enum { SAMPLES = 20, MIB = 1 << 20 };
    struct session_writer *w =
        session_begin(&(struct session_config){.path = session_path, .replace = true});
    for (int t = 0; t < SAMPLES; t++) {
        struct snapshot *m = session_moment(t);
        const int at = t == SAMPLES - 1 ? t + gap - 1 : t;
        m->time_ns = (uint64_t)(at + 1) * 1000000000;
        m->target_kind = TARGET_HOST;
        m->command = (struct command_state){.pid = 0};
        for (size_t i = 0; i < m->nprocs; i++)
            m->procs[i].watched = false;
        m->asked_interval_s = 1;
        m->total.busy = value_ok(busy, UNIT_PERCENT);
        m->memory.used = value_ok((1000 + step * t + (t % 2 ? noise : 0)) * MIB, UNIT_BYTES);
        assert_int_equal(session_write(w, m, NULL), 0);
        snapshot_unref(m);
    }
    assert_int_equal(session_close(w, NULL), 0);
    close_subject(NULL);
    open_subject(session_path, SUBJECT_SESSION);
}

TEST_WITH(a_session_is_judged_by_rules_that_its_lines_say, begin_session, end_session)
{
    make_session(0, 1, 10, 1);
    expect("verdict", "nothing stands out");
    make_session(10, 0, 10, 1); /* 10 MiB/s; of 1000, 190 are 19 % */
    expect("verdict", "the host's memory grows: +10 MiB/s, +190 MiB in all");
    expect("host memory", "1000 MiB at first, 1.16 GiB at last, +10 MiB/s");
    make_session(1, 0, 10, 1); /* 19 MiB of 1000 are less than 10 % */
    expect("verdict", "nothing stands out");
    make_session(6, 500, 10, 1); /* 114 MiB, but up and down by 500: no steady growth */
    expect("verdict", "nothing stands out");
    make_session(0, 1, 95, 1);
    expect("verdict", "the host's CPUs are busy: 95.0 %");
    expect("host cpu", "mean 95.0 %, peak 95.0 %");
    make_session(0, 1, 10, 7);
    expect("verdict", "samples are missing: 7.00 s between two (rule: 3 times the asked 1.00 s");
    expect("longest gap", "7.00 s from ");
    make_session(10, 0, 95, 7); /* more than one: the first rule has the verdict */
    expect("verdict", "the host's memory grows");
    expect("also", "the host's CPUs are busy");
    expect("also", "samples are missing");
}

/* 20 samples in `seconds`, memory from 100 MiB on by 10 MiB a sample. */
static void make_growth(double seconds)
{
    enum { SAMPLES = 20 };
    struct session_writer *w =
        session_begin(&(struct session_config){.path = session_path, .replace = true});
    for (int t = 0; t < SAMPLES; t++) {
        struct snapshot *m = session_moment(t);
        m->time_ns = 1000000000 + (uint64_t)(1e9 * seconds * t / (SAMPLES - 1));
        m->target_kind = TARGET_HOST;
        m->command = (struct command_state){.pid = 0};
        for (size_t i = 0; i < m->nprocs; i++)
            m->procs[i].watched = false;
        m->asked_interval_s = seconds;
        m->total.busy = value_ok(1, UNIT_PERCENT);
        m->memory.used = value_ok((100 + 10.0 * t) * (1 << 20), UNIT_BYTES);
        assert_int_equal(session_write(w, m, NULL), 0);
        snapshot_unref(m);
    }
    assert_int_equal(session_close(w, NULL), 0);
    close_subject(NULL);
    open_subject(session_path, SUBJECT_SESSION);
}

/* 190 MiB in all. Nothing is said of more time than was measured, and any program grows when it
 * begins. */
TEST_WITH(growth_is_told_for_the_time_that_was_measured, begin_session, end_session)
{
    make_growth(0.5);
    expect("host memory", "290 MiB at last, +190 MiB in 500 ms");
    expect("verdict", "nothing stands out");
    make_growth(4);
    expect("host memory", "290 MiB at last, +48 MiB/s"); /* 190 / 4 = 47.5 */
    expect("verdict", "nothing stands out");
    make_growth(10);
    expect("verdict", "the host's memory grows: +19 MiB/s, +190 MiB in all (rule: for 5 s or more");
    make_growth(600);
    expect("verdict", "the host's memory grows: +19 MiB/min, +190 MiB in all");
}

/* 12 samples, one a second: the watched process uses half a CPU, 5.5 s in the 11 s, and grows by 50
 * MiB each second from 100 MiB on. */
TEST_WITH(what_was_watched_has_lines_of_its_own, begin_session, end_session)
{
    struct session_writer *w = session_begin(&(struct session_config){.path = session_path});
    char text[128];
    for (int t = 0; t < 12; t++) {
        struct snapshot *m = session_moment(t);
        assert_true(m->nprocs > 0);
        for (size_t i = 0; i < m->nprocs; i++)
            m->procs[i].watched = i == 0;
        target_use_missing(&m->use, "frames of old sessions have no sums");
        struct proc *p = &m->procs[0];
        p->cpu_seconds = 100 + 0.5 * t;
        p->cpu_percent = t ? value_ok(50, UNIT_PERCENT) : value_pending(UNIT_PERCENT);
        p->rss = (uint64_t)(100 + 50 * t) << 20;
        snprintf(text, sizeof text, "%s (%d): 5.50 s of cpu, 50.0 %% of one CPU", p->comm,
                 (int)p->pid);
        assert_int_equal(session_write(w, m, NULL), 0);
        snapshot_unref(m);
    }
    assert_int_equal(session_close(w, NULL), 0);
    open_subject(session_path, SUBJECT_SESSION);
    expect("watched", opened.session->target);
    expect("verdict", "its memory grows: +50 MiB/s, +550 MiB in all");
    expect("its cpu", "mean 50.0 %, peak 50.0 %");
    expect("its memory", "100 MiB at first, 650 MiB at last, +50 MiB/s; peak 650 MiB");
    expect("busiest", text);
    expect("functions", "sampled stack");
}

/* A command of 2 s on 2 busy CPUs uses 0.9 s, 0.8 s of it in the last of samples at 1, 1.9 and 2 s:
 * 45 % of one CPU, 22.5 % of both. No sample holds a process. */
TEST_WITH(the_share_of_what_was_watched_is_of_its_time, begin_session, end_session)
{
    static const double at_s[] = {0, 1, 1.9, 2}, used_s[] = {0, 0.1, 0.1, 0.9};
    struct session_writer *w = session_begin(&(struct session_config){.path = session_path});
    for (int i = 0; i < 4; i++) {
        struct snapshot *m = session_moment((int)at_s[i]);
        m->time_ns = (uint64_t)(1e9 * (100 + at_s[i]));
        m->nprocs = 0;
        m->total.busy = value_ok(95, UNIT_PERCENT);
        m->use.cpu = i ? value_ok(10, UNIT_PERCENT) : value_pending(UNIT_PERCENT);
        m->use.cpu_time = i ? value_ok(used_s[i], UNIT_SECONDS) : value_pending(UNIT_SECONDS);
        assert_int_equal(session_write(w, m, NULL), 0);
        snapshot_unref(m);
    }
    assert_int_equal(session_close(w, NULL), 0);
    open_subject(session_path, SUBJECT_SESSION);
    char by[64];
    expect("its cpu", "mean 45.0 %, peak 10.0 %");
    snprintf(by, sizeof by, "95.0 %% on average, %.1f %% by what was watched",
             45.0 / opened.session->host.ncpus);
    expect("verdict", by);
}

/* --- samples --- */

/* 10 samples: main;a 6, main;b 3, c 1. By hand: a has 60 % itself; main 0 itself and 90 % in all.
 */
TEST_WITH(samples_say_what_is_hot, NULL, close_subject)
{
    FILE *f = fopen("/tmp/rooftop-summary.folded", "w");
    assert_non_null(f);
    fputs("main;a 6\nmain;b 3\nc 1\n", f);
    assert_int_equal(fclose(f), 0);
    open_subject("/tmp/rooftop-summary.folded", SUBJECT_PROFILE);
    remove("/tmp/rooftop-summary.folded");
    assert_non_null(strstr(s.head, "10 samples"));
    expect("verdict", "one hot function: a has 60.0 % in itself (rule: 50 % or more)");
    expect("hottest", "a: self 60.0 %, 6 samples; total 60.0 %");
    expect("hottest", "b: self 30.0 %, 3 samples; total 30.0 %");
    expect("hottest", "c: self 10.0 %, 1 sample; total 10.0 %");
    expect("without name", "0.0 % of it");
    for (size_t i = 0; i < s.n; i++)
        assert_null(strstr(s.lines[i].text, "main: self")); /* it has nothing itself */
}

/* go tool pprof -top go_cpu.pprof: main.leaf 430 ms flat, 71.67 %, and 600 ms cum; asyncPreempt
 * 170 ms, 28.33 %. */
TEST_WITH(a_profile_of_go_is_summed_up_as_go_does, NULL, close_subject)
{
    open_subject("tests/data/samples/go_cpu.pprof", SUBJECT_PROFILE);
    assert_non_null(strstr(s.head, "600 ms"));
    expect("hottest", "main.leaf: self 71.7 %, 430 ms; total 100.0 %");
    expect("hottest", "runtime.asyncPreempt: self 28.3 %, 170 ms; total 28.3 %");
}

TEST_WITH(samples_without_names_say_what_would_help, NULL, close_subject)
{
    FILE *f = fopen("/tmp/rooftop-summary.folded", "w");
    assert_non_null(f);
    fputs("main;[unknown] 6\nmain;x 2\nmain;y 2\n", f);
    assert_int_equal(fclose(f), 0);
    open_subject("/tmp/rooftop-summary.folded", SUBJECT_PROFILE);
    remove("/tmp/rooftop-summary.folded");
    expect("verdict", "not known: 60.0 % is in code without a name");
    expect("without name", "60.0 % of it (rule: 5 % or more); what helps: symbols");
}

/* --- system calls --- */

/* python3 over the list of pipe.json: 6 calls, 122 us; read 107, wait4 12 us; two processes. */
TEST_WITH(waiting_calls_are_set_apart, NULL, close_subject)
{
    open_subject("tests/data/renacer/pipe.json", SUBJECT_PROFILE);
    assert_non_null(strstr(s.head, "trace of system calls"));
    assert_non_null(strstr(s.head, "6 calls · 2 processes"));
    expect("most time", "read 107 us, 87.7 %");
    expect("waits", "wait4 12.0 us, 9.8 %");
    for (size_t i = 0; i < s.n; i++)
        assert_false(strcmp(s.lines[i].label, "most time") == 0 &&
                     strstr(s.lines[i].text, "wait4"));
}

/* --- code objects and thread traces --- */

/* llvm-readobj --notes typed.gfx942.v5.hsaco: 4 kernels; fixed_size has 2 VGPRs and 8 SGPRs. */
TEST_WITH(a_code_object_says_what_its_kernels_use, NULL, close_subject)
{
    open_subject("tests/data/gpu/hsaco/typed.gfx942.v5.hsaco", SUBJECT_CODE);
    assert_non_null(strstr(s.head, "gfx942 · version 5 · 4 kernels"));
    expect("kernels", "fixed_size: VGPR 2, SGPR 8, LDS 0 B; 8 of 8 waves fit on a SIMD");
    expect("verdict", "nothing stands out");
}

/* awk over stats_ui_output_agent_2_dispatch_1.csv: 704 hits, latencies 61936, stalls 57287; of
 * s_waitcnt vmcnt(0) 40928 and 40672. */
TEST_WITH(a_thread_trace_says_whether_it_waits, NULL, close_subject)
{
    open_subject("tests/data/att", SUBJECT_TRACES);
    assert_non_null(strstr(s.head, "thread trace · gfx9 (vega) · 1 dispatch"));
    expect("verdict", "it waits: 92.5 % of the cycles are stalls (rule: 50 % or more)");
    expect("executed", "704 times, in 61936 cycles");
    expect("hottest", "s_waitcnt vmcnt(0): 66.1 % of the time, 99.4 % of that stalled");
}

/* The same by awk: instructions of s_waitcnt 12800 + 40960, of memory 1024 + 2048 and of v_mfma
 * 2048 of the 61936 cycles. By python3: the two waves of se0_sm*.json have 11 instructions each in
 * 60000 and 60200 cycles; over the 60400 cycles of occupancy.json they are 120200 wave cycles. */
TEST_WITH(a_thread_trace_has_the_sums_of_its_files, NULL, close_subject)
{
    open_subject("tests/data/att", SUBJECT_TRACES);
    expect("executed", "11 of 11 instructions");
    expect("hottest", "s_waitcnt lgkmcnt(0): 20.7 % of the time, 98.0 % of that stalled");
    expect("hottest", "a[0:15]: 3.3 % of the time, 50.0 % of that stalled");
    expect("by kind", "WAIT 86.8 %, VMEM 5.0 %, MATRIX 3.3 %");
    expect("waves", "2, 2 of them instruction by instruction; 0.00018 instructions a cycle");
    expect("occupancy", "shader engine 0: mean 2.0 waves, peak 2");
}

/* llvm-readobj --notes for the registers and the LDS; llvm-readelf --symbols for the objects that
 * are no descriptors (.kd); stat for the size. Waves by hand: a workgroup of 1024 has 4 waves on
 * each of 4 SIMDs, two such fill the 8 slots, and 41 registers, 48 as they are given out, of 512
 * would let 10 waves run. */
TEST_WITH(code_objects_have_the_numbers_of_llvm, NULL, close_subject)
{
    static const struct {
        const char *file, *head, *kernel, *variables;
    } cases[] = {
        {"typed.gfx942.v5", "4 kernels · 11.4 KiB",
         "indirect: VGPR 41, SGPR 39, LDS 0 B; 8 of 8 waves fit", "5"},
        {"reduce.gfx942.v5", "2 kernels · 6.68 KiB",
         "reduce_sum: VGPR 6, SGPR 15, LDS 1.00 KiB; 8 of 8 waves fit", "1"},
        {"memory.gfx90a.v5", "5 kernels · 10.2 KiB",
         "copy_widths: VGPR 11, SGPR 20, LDS 0 B; 8 of 8 waves fit", "3"},
    };
    char path[128];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "tests/data/gpu/hsaco/%s.hsaco", cases[i].file);
        close_subject(NULL);
        open_subject(path, SUBJECT_CODE);
        assert_non_null(strstr(s.head, cases[i].head));
        expect("kernels", cases[i].kernel);
        expect("variables", cases[i].variables);
        expect("verdict", "nothing stands out");
    }
}

/* --- dumps of a hang --- */

static const struct summary_line *find_labelled(const char *label)
{
    for (size_t i = 0; i < s.n; i++)
        if (strcmp(s.lines[i].label, label) == 0)
            return &s.lines[i];
    fail_msg("no line '%s'", label);
    return NULL;
}

TEST_WITH(dumps_of_a_hang_say_who_is_missing, NULL, close_subject)
{
    struct hang_scene dumps;
    hang_scene_make(&dumps);
    open_subject(dumps.dir, SUBJECT_HANG);
    hang_scene_remove(&dumps);
    assert_string_equal(s.head, "8 dumps of a hang · 15 calls · 1 group");
    expect("verdict", "rank 5 never entered all_reduce #1234 of group default_pg; 7 ranks wait for "
                      "610 s in train.py:188 backward");
    expect("because", "rank 5: all_reduce #1233, completed in train.py:180 backward");
    expect("group", "default_pg in all_reduce #1234: 7 of 8 wait, 1 absent; for 610 s");
    expect("rank 5", "absent     all_reduce #1233 [[4096]], completed");
    expect("rank 0", "waits      all_reduce #1234 [[4096]], started");
}

/* Those who do not wait come before those who do, and each has its own stack. */
TEST_WITH(each_rank_of_a_hang_has_its_stack, NULL, close_subject)
{
    struct hang_scene dumps;
    hang_scene_make(&dumps);
    open_subject(dumps.dir, SUBJECT_HANG);
    hang_scene_remove(&dumps);
    const struct summary_line *late = find_labelled("rank 5"), *waits = find_labelled("rank 0");
    assert_true(late < waits);
    assert_string_equal(late->list,
                        "where rank 5 called all_reduce #1233\n"
                        "all_reduce  /usr/lib/torch/distributed/distributed_c10d.py:80\n"
                        "backward  /home/user/train.py:180\n"
                        "main  /home/user/train.py:280");
    assert_non_null(strstr(waits->list, "backward  /home/user/train.py:188"));
    const char *both = find_labelled("verdict")->list;
    assert_non_null(strstr(both, "where rank 0 called all_reduce #1234"));
    assert_non_null(strstr(both, "where rank 5 called all_reduce #1233"));
}

/* --- captures --- */

TEST_WITH(a_capture_says_what_can_be_done_with_it, NULL, close_subject)
{
    struct made_capture m;
    made_capture_make(&m);
    open_subject(m.dir, SUBJECT_CAPTURES);
    assert_int_equal(opened.captures.n, 1);
    const struct capture *c = opened.captures.items[0].head;
    char text[256];
    made_capture_remove(&m);
    expect("verdict", "incomplete: 1 piece of memory could not be read"); /* MADE_LOST */
    expect("uses", "n/a: ");
    expect("kernel", c->demangled_name);
    snprintf(text, sizeof text, "(%u) work-items in groups of (%u)", c->grid[0], c->block[0]);
    expect("grid", text);
    /* 64 KiB, 4 MiB + 4096, 8 MiB + 1 and three times 4096 bytes are 12.1 MiB */
    expect("memory", "12.1 MiB in 6 regions; arguments 48 B");
}

TEST(what_is_no_file_of_these_kinds_is_left_to_the_readers)
{
    assert_int_equal(subject_recognise("tests/data/chrome/two_kernels.json"), SUBJECT_PROFILE);
    assert_int_equal(subject_recognise("/nowhere"), SUBJECT_PROFILE);
    assert_int_equal(subject_recognise("/dev/null"), SUBJECT_PROFILE);
    assert_int_equal(subject_recognise("tests/data/metrics"), SUBJECT_PROFILE);
}
