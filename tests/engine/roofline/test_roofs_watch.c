/* Roofs that are measured while a view runs: the next look has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/roofline/roofs_watch.h"
#include "support/temp_folder.h"
#include "support/test.h"

static void measure(struct host_roofs *r, double dram)
{
    struct host_roof row = {
        .kind = HOST_ROOF_BANDWIDTH, .name = "load", .level = "DRAM", .threads = 1, .value = dram};
    *r = (struct host_roofs){.cpus = 1, .made = "2026-01-31T12:00:00Z"};
    host_roofs_describe(r);
    host_roofs_add(r, &row);
}

static void store(double dram)
{
    struct host_roofs r;
    struct error err = ERROR_INIT;
    measure(&r, dram);
    assert_int_equal(host_roofs_store(&r, &err), 0);
    host_roofs_free(&r);
}

TEST_WITH(what_is_measured_meanwhile_serves, temp_folder_make, temp_folder_remove)
{
    struct roofs_watch *w;
    struct error err = ERROR_INIT;
    char path[256];
    setenv("XDG_STATE_HOME", temp_folder, 1);
    assert_int_equal(roofs_watch_open(&w, NULL, &err), 0);
    assert_int_equal(roofs_watch_now(w)->cpus, 0);
    assert_non_null(strstr(roofs_watch_now(w)->none, "never measured"));
    store(1e9);
    assert_true(roofs_watch_now(w)->bytes[CPU_DRAM].one == 1e9);
    const char *how = roofs_watch_now(w)->how;
    assert_ptr_equal(roofs_watch_now(w)->how, how); /* the same file is not read again */
    store(2e9);
    assert_true(roofs_watch_now(w)->bytes[CPU_DRAM].one == 2e9);
    assert_true(host_roofs_path(path, sizeof path, &err));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(roofs_watch_now(w)->cpus, 0);
    roofs_watch_close(w);
}

static void put_file(const char *name, double dram)
{
    struct host_roofs r;
    char *text = NULL;
    size_t n;
    measure(&r, dram);
    FILE *f = open_memstream(&text, &n);
    host_roofs_write_json(f, &r);
    fclose(f);
    temp_folder_put(name, text);
    free(text);
    host_roofs_free(&r);
}

/* While an editor or a script writes it, a file may be half there: what it said before stays. */
TEST_WITH(a_chosen_file_that_breaks_leaves_what_it_said, temp_folder_make, temp_folder_remove)
{
    struct roofs_watch *w;
    struct error err = ERROR_INIT;
    char path[256];
    snprintf(path, sizeof path, "%s/chosen.json", temp_folder);
    put_file("chosen.json", 3e9);
    assert_int_equal(roofs_watch_open(&w, path, &err), 0);
    assert_true(roofs_watch_now(w)->bytes[CPU_DRAM].one == 3e9);
    temp_folder_put("chosen.json", "{\"schema\":");
    assert_true(roofs_watch_now(w)->bytes[CPU_DRAM].one == 3e9);
    put_file("chosen.json", 44e9);
    assert_true(roofs_watch_now(w)->bytes[CPU_DRAM].one == 44e9);
    roofs_watch_close(w);
    assert_true(roofs_watch_open(&w, "/nowhere/roofs.json", &err) < 0);
}
