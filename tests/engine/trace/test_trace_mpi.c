/* The clocks of files with calls of MPI in one trace. */
#include <stdio.h>
#include <string.h>

#include "support/mpi_scene.h"
#include "support/temp_folder.h"
#include "support/test.h"

static struct mpi_scene s;
static struct job j;
static struct trace t;

FIXTURE_STATUS(begin)
{
    s = (struct mpi_scene){
        .ranks = 2, .hosts = 2, .steps = 20, .slow = -1, .cut = -1, .compute = 1e6, .offset = 1e9};
    mpi_scene_open(&s, &j);
    return temp_folder_make(state);
}

static int end(void **state)
{
    trace_free(&t);
    mpi_scene_close(&s, &j);
    return temp_folder_remove(state);
}

/* Opens the files of both ranks, after another one if that is not NULL. */
static void open_both(const char *other)
{
    struct error err = ERROR_INIT;
    char path[2][128];
    const char *paths[3], **at = paths;
    t = (struct trace){.nfiles = 0};
    if (other)
        *at++ = other;
    for (int r = 0; r < 2; r++) {
        snprintf(path[r], sizeof path[r], "%s/rank-%05d.calls", s.folder, r);
        *at++ = path[r];
    }
    assert_int_equal(trace_open(&t, paths, (size_t)(at - paths), &err), 0);
}

TEST_WITH(messages_place_the_other_host, begin, end)
{
    open_both(NULL);
    assert_int_equal(t.files[1].how, TRACE_MESSAGES);
    assert_true(t.files[1].offset_ns == j.mpi->clocks[1].offset);
}

/* The first file has no calls of MPI and no time of day: the first host begins when it begins, and
 * collectives place the second one. */
TEST_WITH(a_time_of_day_that_is_not_known_places_nothing, begin, end)
{
    char other[300];
    temp_folder_put("other.json", "[{\"name\":\"f\",\"ph\":\"X\",\"ts\":5,\"dur\":3,\"pid\":1,"
                                  "\"tid\":1}]");
    snprintf(other, sizeof other, "%s/other.json", temp_folder);
    open_both(other);
    assert_int_equal(t.nfiles, 3);
    assert_int_equal(t.files[1].how, TRACE_BEGINS);
    assert_int_equal(t.files[2].how, TRACE_COLLECTIVES);
}
