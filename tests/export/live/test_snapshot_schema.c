/*
 * docs/snapshot.schema.json has the members that the tables of records and lists have: a member
 * that is new in a table is described from it, one that is gone leaves. UPDATE_GOLDEN=1 writes the
 * file anew. Bounds, words and descriptions are added in the file by hand, and stay.
 */
#include <stdio.h>

#include "engine/bricks/program_fields.h"
#include "engine/functions/functions_fields.h"
#include "engine/live/gpu_fields.h"
#include "engine/live/gpus.h"
#include "engine/live/procs_fields.h"
#include "engine/live/snapshot_fields.h"
#include "engine/replay/replay_list.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/value/list_field.h"
#include "support/json_schema.h"
#include "support/schema_tables.h"
#include "support/test.h"

#define FILE_NAME "docs/snapshot.schema.json"
static void describe_gpus(cJSON *s)
{
    char path[64];
    schema_record(s, "gpus/devices", gpus_tables[GPUS_GPU].fields, NULL, NULL, " now ");
    schema_record(s, "gpus/devices/now", gpus_tables[GPUS_NOW].fields, NULL, NULL, "");
    for (int a = GPUS_POOLS; a < GPUS_ARRAYS; a++) {
        snprintf(path, sizeof path, "gpus/%s", gpus_tables[a].name);
        if (a == GPUS_PROCESSES)
            schema_list(s, path, gpu_fields, "");
        else
            schema_record(s, path, gpus_tables[a].fields, NULL, NULL, "");
    }
}

TEST(the_schema_has_the_members_of_the_tables)
{
    static const char *const groups[] = {"target", "load", "memory", "pressure", "cpu_account"};
    char path[64];
    cJSON *s = json_file(FILE_NAME);
    assert_non_null(s);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        snprintf(path, sizeof path, "snapshot/%s", groups[i]);
        schema_record(s, path, snapshot_record, groups[i], NULL, "");
    }
    schema_record(s, "snapshot/host", host_record, NULL, NULL, "");
    schema_record(s, "cpu_times", cpu_record, NULL, "busy", "");
    schema_record(s, "cpu", cpu_record, NULL, NULL, "");
    schema_record(s, "snapshot/io", io_record, NULL, NULL, "");
    schema_record(s, "counter", counter_record, NULL, NULL, " raw ");
    schema_record(s, "counter/raw", counter_record, "raw", NULL, "");
    schema_record(s, "metric", metric_record, NULL, NULL,
                  " id label set formula group description reference parent ");
    schema_record(s, "notice", notice_record, NULL, NULL, "");
    schema_record(s, "snapshot/cost/sources", cost_record, NULL, NULL, "");
    schema_record(s, "snapshot/bricks/programs", program_record, NULL, NULL, "");
    describe_gpus(s);
    schema_list(s, "process", procs_fields, " depth ");
    schema_list(s, "snapshot/threads", threads_fields, "");
    schema_list(s, "function", functions_fields, "");
    for (int i = 0; i < SYSCALLS_LISTS; i++) {
        snprintf(path, sizeof path, "syscalls/%s", syscalls_lists[i].name);
        schema_list(s, path, syscalls_lists[i].fields, "");
    }
    schema_list(s, "replays/captures/results", replay_past_fields, "");
    schema_compare(s, FILE_NAME);
}
