/* `rooftop lab roofs`, as a user calls it. Forks: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/roofs/host_roofs.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

static void run(struct program *p, const char *line, int status)
{
    program_needed();
    program_run(p, line);
    if (p->status != status)
        fail_msg("%s: exit %d, not %d\n%s\n%s", line, p->status, status, p->out, p->err);
}

static bool has_bandwidth(const struct host_roofs *r, const char *level)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->rows[i].kind == HOST_ROOF_BANDWIDTH && !r->rows[i].refused[0] && !r->rows[i].nodes &&
            strcmp(r->rows[i].level, level) == 0)
            return true;
    return false;
}

/* Measured on one CPU, stored, and printed again; laws that hold on every machine. */
TEST_WITH(roofs_are_measured_and_kept, temp_folder_make, temp_folder_remove)
{
    struct program measured, stored;
    struct host_roofs r;
    struct error err = ERROR_INIT;
    setenv("XDG_STATE_HOME", temp_folder, 1);
    run(&stored, "$BIN lab roofs --stored", 3);
    assert_non_null(strstr(stored.err, "none are stored"));
    program_free(&stored);
    run(&stored, "$BIN lab roofs --stored --brief --format json", 3);
    program_sees(&stored, "\"next\":[\"rooftop lab roofs\"]");
    program_free(&stored);
    /* they are stored before they are printed: here before anybody reads what is printed */
    run(&measured,
        "cd $XDG_STATE_HOME && mkfifo pipe && (taskset 1 $BIN lab roofs --quick --format json -o "
        "pipe || echo failed) & cd $XDG_STATE_HOME; until [ -e rooftop/host_roofs.json ]; do sleep "
        "0.1; kill -0 $! || exit 77; done; cat pipe",
        0);
    run(&stored, "$BIN lab roofs --stored --format json", 0);
    assert_string_equal(measured.out, stored.out);
    assert_int_equal(host_roofs_parse(&r, measured.out, strlen(measured.out), "x", &err), 0);
    assert_int_equal(r.cpus, 1);
    assert_true(r.quick);
    assert_true(has_bandwidth(&r, "L1"));
    assert_true(has_bandwidth(&r, "DRAM"));
    for (size_t i = 0; i < r.n; i++)
        assert_true(r.rows[i].value > 0 || r.rows[i].refused[0]); /* which says why */
    host_roofs_free(&r);
    program_free(&measured);
    program_free(&stored);
    run(&stored, "$BIN lab roofs --stored", 0);
    assert_non_null(strstr(stored.out, "operations, one core"));
    assert_non_null(strstr(stored.out, "latency, by size"));
    program_free(&stored);
    run(&stored, "$BIN lab roofs --stored --brief", 0);
    program_sees(&stored, " roofs of ");
    program_sees(&stored, " DRAM, ");
    assert_true(program_lines(stored.out) <= 20);
    program_free(&stored);
    run(&stored, "$BIN lab roofs --stored --format csv | head -1", 0);
    assert_string_equal(stored.out, "kind,name,type,level,working_set,threads,value,clock_hz,"
                                    "per_cycle,theory_per_cycle,spread,refused,width,"
                                    "load,reads,cpu_node,memory_node\n");
    program_free(&stored);
}

TEST_WITH(a_damaged_copy_is_refused, temp_folder_make, temp_folder_remove)
{
    struct program p;
    setenv("XDG_STATE_HOME", temp_folder, 1);
    temp_folder_put("rooftop/host_roofs.json", "{\"schema\":");
    run(&p, "$BIN lab roofs --stored", 3);
    assert_non_null(strstr(p.err, "host_roofs.json"));
    program_free(&p);
    run(&p, "$BIN lab roofs --format xml", 2);
    program_free(&p);
    run(&p, "$BIN lab roofs -o /nonesuch/x", 7); /* at once, not after a minute */
    assert_non_null(strstr(p.err, "/nonesuch/x"));
    program_free(&p);
    run(&p, "$BIN lab", 2);
    program_free(&p);
}

/* The signal comes when some rows were measured, or none. They are printed, not stored. */
TEST_WITH(a_signal_ends_it_with_the_rows_so_far, temp_folder_make, temp_folder_remove)
{
    struct program p;
    setenv("XDG_STATE_HOME", temp_folder, 1);
    run(&p, "taskset 1 timeout --preserve-status -s INT 3 $BIN lab roofs", 130);
    assert_non_null(strstr(p.err, "rooftop: interrupted: "));
    assert_non_null(strstr(p.err, " measured until then; nothing is stored\n"));
    if (!strstr(p.err, " 0 roofs "))
        program_sees(&p, "operations, one core");
    program_free(&p);
    run(&p, "$BIN lab roofs --stored", 3);
    program_free(&p);
    run(&p, "taskset 1 timeout --preserve-status -s TERM 3 $BIN lab roofs --brief", 143);
    if (!strstr(p.err, " 0 roofs "))
        program_sees(&p, "\nnext: rooftop lab roofs\n");
    program_free(&p);
}
