/* What is written of the calls of MPI. */
#include "export/job/mpi_export.h"

#include "support/mpi_scene.h"
#include "support/test.h"

static struct job j;
static struct mpi_scene s;
static cJSON *doc;

/* Two hosts; with messages one way only, nothing bounds the second one's clock. */
static const cJSON *write_second_clock(bool one_way, double uneven)
{
    s = (struct mpi_scene){.seed = 4,
                           .ranks = 4,
                           .hosts = 2,
                           .steps = 60,
                           .slow = -1,
                           .cut = -1,
                           .compute = 1e6,
                           .noise = 0.2,
                           .offset = 5e9,
                           .uneven = uneven,
                           .one_way = one_way};
    mpi_scene_open(&s, &j);
    cJSON *written = cJSON_CreateObject();
    mpi_export_json(written, &j);
    char *text = cJSON_Print(written);
    doc = cJSON_Parse(text);
    cJSON_free(text);
    cJSON_Delete(written);
    const cJSON *mpi = cJSON_GetObjectItem(doc, "mpi");
    return cJSON_GetArrayItem(cJSON_GetObjectItem(mpi, "clocks"), 1);
}

FIXTURE(close_scene)
{
    cJSON_Delete(doc);
    mpi_scene_close(&s, &j);
}

TEST_WITH(a_clock_that_messages_bound_has_drift_and_error, NULL, close_scene)
{
    const cJSON *clock = write_second_clock(false, 0);
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(clock, "error_ns")));
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(clock, "drift_ppm")));
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(clock, "shifts")) == 0);
}

TEST_WITH(what_no_message_bounds_is_not_known, NULL, close_scene)
{
    const cJSON *clock = write_second_clock(true, 0);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(clock, "error_ns")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(clock, "drift_ppm")));
}

TEST_WITH(how_far_an_uneven_clock_is_moved_is_told, NULL, close_scene)
{
    const cJSON *clock = write_second_clock(false, 1e5);
    const double most = cJSON_GetNumberValue(cJSON_GetObjectItem(clock, "shifted_ns"));
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(clock, "shifts")) > 0);
    assert_true(most > 0 && cJSON_GetNumberValue(cJSON_GetObjectItem(clock, "error_ns")) > most);
}

TEST_MAIN(NULL, NULL)
