/* Manifests: written, read, refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/profiler/gpu_run.h"
#include "support/test.h"

static struct gpu_run example(struct run_pass passes[2])
{
    static const char *argv[] = {"./a out", "\xff\"\\\n", NULL},
                      *counters[] = {"SQ_WAVES", "TCC_HIT"},
                      *files[] = {"counters-1/x/1_results.db"};
    passes[0] = (struct run_pass){.name = "base",
                                  .kind = RUN_BASE,
                                  .state = RUN_COMPLETE,
                                  .argv = argv,
                                  .wait_status = 3 << 8};
    passes[1] = (struct run_pass){.name = "counters-1",
                                  .kind = RUN_COUNTERS,
                                  .state = RUN_FAILED,
                                  .argv = argv,
                                  .counters = counters,
                                  .ncounters = 2,
                                  .input = "pmc: SQ_WAVES TCC_HIT\n",
                                  .input_path = "/d/counters-1.txt",
                                  .why = "killed by signal 9",
                                  .files = files,
                                  .nfiles = 1,
                                  .wait_status = 9,
                                  .started_ns = 1700000000000000000u,
                                  .ended_ns = 1700000001500000000u};
    return (struct gpu_run){.generator = "rooftop 1",
                            .tool = "rocprofv3",
                            .tool_path = "/r",
                            .tool_version = "1.0",
                            .directory = "/w",
                            .gpu = "gfx942",
                            .argv = argv,
                            .state = RUN_INTERRUPTED,
                            .passes = passes,
                            .npasses = 2};
}

TEST(a_manifest_is_read_as_it_was_written)
{
    char dir[] = "/tmp/rooftop-gpu-run-XXXXXX", path[64];
    struct run_pass passes[2];
    struct gpu_run a = example(passes), b;
    struct error err = ERROR_INIT;
    assert_non_null(mkdtemp(dir));
    assert_false(gpu_run_is(dir));
    assert_int_equal(gpu_run_write(&a, dir, &err), 0);
    assert_int_equal(gpu_run_write(&a, dir, &err), 0); /* replaces the first */
    assert_true(gpu_run_is(dir));
    assert_int_equal(gpu_run_read(&b, dir, &err), 0);
    assert_int_equal(b.state, RUN_INTERRUPTED);
    assert_string_equal(b.argv[0], "./a out");
    assert_string_equal(b.argv[1], "\xef\xbf\xbd\"\\\n"); /* a document is UTF-8 */
    assert_null(b.argv[2]);
    assert_int_equal(b.npasses, 2);
    assert_int_equal(b.passes[0].wait_status, 3 << 8);
    assert_int_equal(b.passes[1].wait_status, 9);
    assert_string_equal(b.passes[1].counters[1], "TCC_HIT");
    assert_string_equal(b.passes[1].why, "killed by signal 9");
    uint32_t n;
    const char **files = gpu_run_files(&b, "/f", RUN_COUNTERS, &n);
    assert_int_equal(n, 1);
    assert_string_equal(files[0], "/f/counters-1/x/1_results.db");
    gpu_run_files(&b, "/f", RUN_BASE, &n);
    assert_int_equal(n, 0);
    gpu_run_free(&b);
    snprintf(path, sizeof path, "%s/profile.json", dir);
    unlink(path);
    assert_int_equal(rmdir(dir), 0); /* no other file is left */
}

TEST(a_folder_that_cannot_be_written_is_told)
{
    struct run_pass passes[2];
    struct gpu_run a = example(passes);
    struct error err = ERROR_INIT;
    assert_true(gpu_run_write(&a, "/no/such", &err) < 0);
    assert_int_equal(err.kind, ERROR_OUTPUT);
}

TEST(only_files_of_profiles_are_opened)
{
    assert_true(gpu_run_data("a/1_results.db"));
    assert_true(gpu_run_data("report.sqlite"));
    assert_true(gpu_run_data("1_kernel_trace.csv"));
    assert_false(gpu_run_data("report.nsys-rep"));
    assert_false(gpu_run_data(".db"));
    assert_false(gpu_run_data(""));
}
