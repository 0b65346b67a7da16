/* docs/documents.schema.json has the members that the tables of records and lists have; see
 * support/schema_tables.h. Kinds whose documents are not written from tables are kept by hand. */
#include "backends/optimize/question.h"
#include "backends/replay/result.h"
#include "engine/att/att_fields.h"
#include "engine/bench/bench.h"
#include "engine/compare/compare_fields.h"
#include "engine/counters/event_catalog.h"
#include "engine/job/rank_fields.h"
#include "engine/kernels/kernels_list.h"
#include "engine/roofs/host_roofs.h"
#include "export/bench/bench_export.h"
#include "export/code/code_object_export.h"
#include "export/lab/loop_export.h"
#include "support/json_schema.h"
#include "support/schema_tables.h"
#include "support/test.h"

#define FILE_NAME "docs/documents.schema.json"

TEST(the_schema_has_the_members_of_the_tables)
{
    const struct {
        const char *path;
        struct fields fields;
        const char *others;
    } records[] = {
        {"code-object", code_object_record, " schema "},
        {"loop/model", loop_model_record, ""},
        {"loop/no_model", loop_error_record, ""},
        {"bench/place", bench_conditions_record, ""},
        {"bench/results/runs", bench_run_record, ""},
        {"rank", rank_summary_record, " schema "},
        {"proposal", question_record, " schema "},
        {"host_roofs", host_roofs_record, " schema roofs "},
        {"replay_memory", replay_verdict_record, NULL},
    };
    const struct {
        const char *path;
        const struct list_field *fields;
    } lists[] = {
        {"kernels/rows", kernels_fields},    {"host_roofs/roofs", host_roofs_fields},
        {"compare/numbers", compare_fields}, {"events/events", events_fields},
        {"ranks/ranks", rank_fields},        {"att/dispatches/instructions", att_fields},
    };
    cJSON *s = json_file(FILE_NAME);
    assert_non_null(s);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        schema_record(s, records[i].path, records[i].fields, NULL, NULL, records[i].others);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        schema_list(s, lists[i].path, lists[i].fields, NULL);
    schema_compare(s, FILE_NAME);
}
