/* Damaged exports of Nsight Systems, of two versions: sqlite_damage.h. */
#include "sqlite_damage.h"
#include "support/nsys_sql.h"

static sqlite3 *make(int old)
{
    static const char *const sql[2][4] = {{NSYS_NEW}, {NSYS_OLD, ""}};
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        abort();
    sqlite3_exec(db, "PRAGMA page_size=512", NULL, NULL, NULL);
    for (int i = 0; i < 4; i++)
        if (sqlite3_exec(db, sql[old][i], NULL, NULL, NULL) != SQLITE_OK)
            abort();
    return db;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    for (int old = 0; old < 2; old++)
        damage_add(make(old), "nsys");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return damage_open(data, size);
}
