#include "support/rocpd_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/rocpd_sql.h"

void rocpd_file_open(struct rocpd_file *f, const char *name)
{
    const char *folder = getenv("TMPDIR");
    snprintf(f->path, sizeof f->path, "%s/rooftop-%d-%s.db", folder && *folder ? folder : "/tmp",
             (int)getpid(), name);
    unlink(f->path);
    f->suffix = f->guid = "";
    assert_int_equal(sqlite3_open(f->path, &f->db), SQLITE_OK);
    rocpd_file_sql(f, "PRAGMA synchronous = OFF");
}

void rocpd_file_sql(struct rocpd_file *f, const char *sql)
{
    char *text = rocpd_sql_put(sql, '@', f->suffix, '"');
    int rc = sqlite3_exec(f->db, text, NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        print_error("%s\n%s\n", sqlite3_errmsg(f->db), text);
    free(text);
    assert_int_equal(rc, SQLITE_OK);
}

void rocpd_file_tables(struct rocpd_file *f, const char *suffix, const char *guid)
{
    f->suffix = suffix;
    f->guid = guid;
    char *text = rocpd_sql_put(rocpd_sql_schema, '%', guid, '\'');
    rocpd_file_sql(f, text);
    free(text);
}

void rocpd_file_names(struct rocpd_file *f)
{
    rocpd_file_sql(f, rocpd_sql_names);
}

void rocpd_file_close(struct rocpd_file *f)
{
    sqlite3_close(f->db);
    f->db = NULL;
}

void rocpd_file_remove(struct rocpd_file *f)
{
    static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
    char path[160];
    if (f->db)
        rocpd_file_close(f);
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%s%s", f->path, beside[i]);
        unlink(path);
    }
}
