/*
 * rocpd databases for tests, made by SQL: schema 3 with what rooftop reads of it, in any number of
 * sets of tables. In texts of SQL an @ stands for the suffix of the set's tables.
 */
#ifndef TESTS_SUPPORT_ROCPD_FILE_H
#define TESTS_SUPPORT_ROCPD_FILE_H

#include <sqlite3.h>

struct rocpd_file {
    sqlite3 *db;
    char path[128];
    const char *suffix, *guid;
};

/* A new file name in the folder for temporary files; the file is open and empty. */
void rocpd_file_open(struct rocpd_file *f, const char *name);
/* Another set of tables; sql uses it from now on. */
void rocpd_file_tables(struct rocpd_file *f, const char *suffix, const char *guid);
/* Fails the test where SQLite refuses it. */
void rocpd_file_sql(struct rocpd_file *f, const char *sql);
/* Node 1 "host", process 10 (pid 10 of "/opt/app -n 3"), thread 11, GPU agent 4 "gfx942", CPU agent
 * 0, kernel 1 "axpy(float*)", kernel 2 "_Z4gemmPfS_.kd", strings 1 "hipLaunchKernel", 2
 * "MEMORY_COPY_HOST_TO_DEVICE", 3 "hipMemcpy". */
void rocpd_file_names(struct rocpd_file *f);
void rocpd_file_close(struct rocpd_file *f); /* the file stays */
void rocpd_file_remove(struct rocpd_file *f);

#endif
