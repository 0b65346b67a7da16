/*
 * Makes rocpd databases for tests with SQL: the parts of schema 3 that rooftop reads, in any
 * number of sets of tables. In SQL texts an @ stands for the suffix of the set's tables.
 */
#pragma once

#include <sqlite3.h>

struct rocpd_file {
    sqlite3 *db;
    char path[128];
    const char *suffix, *guid;
};

/* Creates an empty file in the folder for temporary files and opens it. */
void rocpd_file_open(struct rocpd_file *f, const char *name);
/* Adds another set of tables; sql uses it from now on. */
void rocpd_file_tables(struct rocpd_file *f, const char *suffix, const char *guid);
/* Runs SQL; fails the test if SQLite refuses it. */
void rocpd_file_sql(struct rocpd_file *f, const char *sql);
/* Adds node 1 "host", process 10 (pid 10, "/opt/app -n 3"), thread 11, GPU agent 4 "gfx942", CPU
 * agent 0, kernel 1 "axpy(float*)", kernel 2 "_Z4gemmPfS_.kd", strings 1 "hipLaunchKernel", 2
 * "MEMORY_COPY_HOST_TO_DEVICE", 3 "hipMemcpy". */
void rocpd_file_names(struct rocpd_file *f);
void rocpd_file_close(struct rocpd_file *f); /* closes it; the file stays */
void rocpd_file_remove(struct rocpd_file *f);
