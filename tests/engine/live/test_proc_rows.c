/* Rows of the process list: order, filter, tree, threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/proc_rows.h"
#include "engine/live/procs_fields.h"
#include "support/test.h"

static struct snapshot snap;
static struct proc procs[4096];
static struct proc_rows rows;
static struct proc_rows_how how;
static pid_t folded_pid;

static int by_cpu(const void *ctx, const struct proc *a, const struct proc *b)
{
    (void)ctx;
    if (a->cpu_percent.v != b->cpu_percent.v)
        return a->cpu_percent.v > b->cpu_percent.v ? -1 : 1;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static bool is_folded(const void *ctx, const struct proc *p)
{
    return p->pid == *(const pid_t *)ctx;
}

FIXTURE(setup)
{
    snap = (struct snapshot){.procs = procs};
    how = (struct proc_rows_how){.compare = by_cpu, .folded = is_folded, .ctx = &folded_pid};
    folded_pid = 0;
}

FIXTURE(teardown)
{
    proc_rows_free(&rows);
}

/* Adds a process; call it by rising PID, as in a snapshot. */
static struct proc *add(pid_t pid, pid_t ppid, double cpu)
{
    struct proc *p = &procs[snap.nprocs++];
    *p = (struct proc){.pid = pid,
                       .ppid = ppid,
                       .comm = "work",
                       .cmdline = "work",
                       .user = "me",
                       .threads = 1,
                       .start_ticks = (uint64_t)pid,
                       .cpu_percent = value_ok(cpu, UNIT_PERCENT)};
    return p;
}

/* The rows as text, "1 .2 ..3": PIDs in order, a dot for each level of depth, '~' for a row that
 * is there only as an ancestor, '+' for a folded one. */
static const char *drawn(void)
{
    static char text[4096];
    size_t n = 0;
    proc_rows_make(&rows, &snap, &how);
    text[0] = '\0';
    for (size_t i = 0; i < rows.n; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", i ? " " : "");
        for (int d = 0; d < rows.row[i].depth; d++)
            text[n++] = '.';
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d%s", rows.row[i].context ? "~" : "",
                              rows.row[i].thread ? rows.row[i].thread->tid : rows.row[i].proc->pid,
                              rows.row[i].folded ? "+" : "");
    }
    return text;
}

static void family(void)
{
    add(1, 0, 0);
    add(2, 0, 0)->kernel_thread = true;
    add(3, 2, 50)->kernel_thread = true;
    add(10, 1, 1);
    add(20, 1, 30);
    add(21, 20, 5);
    add(22, 20, 9);
    add(23, 22, 0);
    add(30, 10, 99);
}

TEST_WITH(flat_list_is_sorted_and_leaves_the_kernel_out, setup, teardown)
{
    family();
    assert_string_equal(drawn(), "30 20 22 21 10 1 23");
    assert_int_equal(rows.kernel, 2);
    assert_int_equal(rows.matched, 7);
    how.kernel = true;
    assert_string_equal(drawn(), "30 3 20 22 21 10 1 2 23");
    assert_int_equal(rows.kernel, 0);
}

/* A tracer finds descendants itself: it is told of the processes above them only. */
TEST_WITH(watched_processes_without_what_they_made, setup, teardown)
{
    pid_t pids[4];
    add(2, 1, 0)->watched = true;
    add(3, 2, 0)->watched = true; /* made by 2 */
    add(4, 3, 0);
    add(5, 4, 0)->watched = true;                           /* made by one that is not watched */
    assert_int_equal(proc_rows_watched(&snap, pids, 4), 0); /* the host */
    snap.target_kind = TARGET_PIDS;
    assert_int_equal(proc_rows_watched(&snap, pids, 4), 2);
    assert_int_equal(pids[0], 2);
    assert_int_equal(pids[1], 5);
    assert_int_equal(proc_rows_watched(&snap, pids, 1), 1);
    snap.target_kind = TARGET_COMMAND;
    snap.command.pid = 2;
    assert_int_equal(proc_rows_watched(&snap, pids, 4), 0); /* it has ended */
    snap.command.running = true;
    assert_int_equal(proc_rows_watched(&snap, pids, 4), 1);
    assert_int_equal(pids[0], 2);
}

TEST_WITH(tree_sorts_siblings, setup, teardown)
{
    family();
    how.tree = true;
    assert_string_equal(drawn(), "1 .20 ..22 ...23 ..21 .10 ..30");
    how.kernel = true;
    assert_string_equal(drawn(), "1 .20 ..22 ...23 ..21 .10 ..30 2 .3");
}

/* The lines of a row say which of its ancestors have more siblings below. */
TEST_WITH(lines_of_a_tree_know_what_comes_below, setup, teardown)
{
    family();
    how.tree = true;
    drawn();
    assert_false(rows.row[1].last);              /* 20 is followed by its sibling 10 */
    assert_int_equal(rows.row[2].lines, 1 << 1); /* 22, under 20 */
    assert_false(rows.row[2].last);
    assert_int_equal(rows.row[3].lines, 1 << 1 | 1 << 2); /* 23, under 22 and 20 */
    assert_true(rows.row[3].last);
    assert_true(rows.row[4].last); /* 21 */
    assert_true(rows.row[5].last); /* 10 */
    assert_int_equal(rows.row[6].lines, 0);
}

TEST_WITH(folding_hides_and_counts_what_is_below, setup, teardown)
{
    family();
    how.tree = true;
    folded_pid = 20;
    assert_string_equal(drawn(), "1 .20+ .10 ..30");
    assert_int_equal(rows.row[1].below, 3);
    assert_int_equal(rows.row[0].below, 6);
    assert_int_equal(rows.matched, 7);
    folded_pid = 23; /* nothing is below it */
    assert_string_equal(drawn(), "1 .20 ..22 ...23 ..21 .10 ..30");
}

TEST_WITH(filter_keeps_ancestors, setup, teardown)
{
    family();
    struct error err = ERROR_INIT;
    struct query *q;
    assert_int_equal(query_compile(&q, "pid=23 or pid=21", procs_fields, &err), 0);
    how.query = q;
    assert_string_equal(drawn(), "21 23");
    how.tree = true;
    assert_string_equal(drawn(), "~1 .~20 ..~22 ...23 ..21");
    assert_int_equal(rows.matched, 2);
    assert_int_equal(rows.row[0].below, 2);
    query_free(q);
}

/* Rows are read at different times: a reused PID must not make a circle, and the parent of a
 * process is never younger than it. */
TEST_WITH(circles_of_reused_numbers_lose_nobody, setup, teardown)
{
    add(5, 6, 1);
    add(6, 7, 2);
    add(7, 5, 3);
    add(8, 8, 4);
    add(9, 400, 5);
    how.tree = true;
    assert_string_equal(drawn(), "9 8 6 5 .7");
    assert_int_equal(proc_rows_depth(&snap, &procs[2]), 1);
    assert_int_equal(proc_rows_depth(&snap, &procs[4]), 0);
}

TEST_WITH(deep_tree, setup, teardown)
{
    for (int i = 0; i < 4096; i++)
        add(i + 1, i, 0);
    how.tree = true;
    proc_rows_make(&rows, &snap, &how);
    assert_int_equal(rows.n, 4096);
    assert_int_equal(rows.row[4095].depth, 4095);
    assert_int_equal(rows.row[0].below, 4095);
    assert_int_equal(proc_rows_depth(&snap, &procs[4095]), 4095);
}

TEST_WITH(threads_stand_below_their_process, setup, teardown)
{
    struct proc_thread threads[] = {
        {.tid = 20, .pid = 20, .name = "main", .cpu_percent = value_ok(1, UNIT_PERCENT)},
        {.tid = 24, .pid = 20, .name = "io", .cpu_percent = value_ok(25, UNIT_PERCENT)},
        {.tid = 30, .pid = 30, .name = "alone", .cpu_percent = value_ok(25, UNIT_PERCENT)},
    };
    family();
    snap.threads = threads;
    snap.nthread_rows = 3;
    assert_string_equal(drawn(), "30 20 22 21 10 1 23"); /* threads were not requested */
    how.threads = true;
    assert_string_equal(drawn(), "30 20 .24 .20 22 21 10 1 23");
    assert_true(rows.row[2].proc == rows.row[1].proc);
    assert_true(rows.row[3].last);
    how.tree = true;
    assert_string_equal(drawn(), "1 .20 ..24 ..20 ..22 ...23 ..21 .10 ..30");
    assert_false(rows.row[3].last); /* children follow */
    folded_pid = 20;
    assert_string_equal(drawn(), "1 .20+ .10 ..30");
}

TEST_WITH(nothing_to_show, setup, teardown)
{
    assert_string_equal(drawn(), "");
    how.tree = true;
    assert_string_equal(drawn(), "");
    proc_rows_make(&rows, NULL, &how);
    assert_int_equal(rows.n, 0);
    assert_null(proc_rows_find(NULL, 1));
    assert_null(proc_rows_find(&snap, 1));
}
