/* Damaged rocpd databases: sqlite_damage.h; [rocpd_x_a] are their tables. */
#include "sqlite_damage.h"
#include "support/rocpd_sql.h"

static const char rows[] =
    "INSERT INTO \"rocpd_event@\"(id, stack_id) VALUES (1, 7), (2, 7), (3, 8), (4, 8);"
    "INSERT INTO \"rocpd_region@\"(start, \"end\", name_id, event_id) VALUES (1, 50, 1, 1),"
    " (5, 9, 3, 3), (6, 8, 1, NULL);"
    "INSERT INTO \"rocpd_kernel_dispatch@\"(dispatch_id, start, \"end\", event_id, stream_id)"
    " VALUES (1, 10, 20, 2, 0), (2, 20, 30, NULL, 1);"
    "INSERT INTO \"rocpd_memory_copy@\"(start, \"end\", event_id) VALUES (6, 8, 4);"
    "INSERT INTO \"rocpd_info_pmc@\"(id, name) VALUES (1, 'SQ_WAVES');"
    "INSERT INTO \"rocpd_pmc_event@\"(event_id, pmc_id, value) VALUES (2, 1, 1), (2, 1, 2);";

static sqlite3 *make(void)
{
    static const char *const sql[] = {rocpd_sql_schema, rocpd_sql_names, rows};
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        abort();
    sqlite3_exec(db, "PRAGMA page_size=512", NULL, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        char *with_guid = i == 0 ? rocpd_sql_put(sql[i], '%', "g1", '\'') : strdup(sql[i]);
        char *text = rocpd_sql_put(with_guid, '@', "_a", '"');
        if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
            abort();
        free(with_guid);
        free(text);
    }
    return db;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    damage_add(make(), "rocpd");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return damage_open(data, size);
}
