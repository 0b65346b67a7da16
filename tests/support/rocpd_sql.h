/*
 * SQL for rocpd databases in tests and fuzzers: the parts of schema 3 that rooftop reads. An @
 * stands for the suffix of the tables, a % for the guid.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#define ROCPD_ID "(id INTEGER PRIMARY KEY, guid TEXT NOT NULL DEFAULT '%',"

static const char rocpd_sql_schema[] =
    "CREATE TABLE \"rocpd_metadata@\"(id INTEGER PRIMARY KEY, tag TEXT, value TEXT);"
    "CREATE TABLE \"rocpd_string@\"" ROCPD_ID "string TEXT);"
    "CREATE TABLE \"rocpd_info_node@\"" ROCPD_ID "hash BIGINT, machine_id TEXT, hostname TEXT);"
    "CREATE TABLE \"rocpd_info_process@\"" ROCPD_ID "nid, ppid, pid INTEGER, command TEXT);"
    "CREATE TABLE \"rocpd_info_thread@\"" ROCPD_ID "nid, ppid, pid, tid INTEGER, name TEXT);"
    "CREATE TABLE \"rocpd_info_agent@\"" ROCPD_ID
    "nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, name TEXT, model_name TEXT,"
    "product_name TEXT, extdata TEXT NOT NULL DEFAULT '{}');"
    "CREATE TABLE \"rocpd_info_queue@\"" ROCPD_ID "nid, pid, name TEXT);"
    "CREATE TABLE \"rocpd_info_stream@\"" ROCPD_ID "nid, pid, name TEXT);"
    "CREATE TABLE \"rocpd_info_pmc@\"" ROCPD_ID
    "nid, pid, agent_id INTEGER, name TEXT, symbol TEXT);"
    "CREATE TABLE \"rocpd_info_kernel_symbol@\"" ROCPD_ID
    "nid, pid, code_object_id, kernel_name TEXT, display_name TEXT, group_segment_size INTEGER,"
    "private_segment_size INTEGER, sgpr_count INTEGER, arch_vgpr_count INTEGER,"
    "accum_vgpr_count INTEGER);"
    "CREATE TABLE \"rocpd_track@\"" ROCPD_ID "nid, pid, tid, name_id);"
    "CREATE TABLE \"rocpd_event@\"" ROCPD_ID
    "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER);"
    "CREATE TABLE \"rocpd_pmc_event@\"" ROCPD_ID "event_id INTEGER, pmc_id INTEGER, value REAL);"
    "CREATE TABLE \"rocpd_region@\"" ROCPD_ID
    "nid INTEGER DEFAULT 1, pid INTEGER DEFAULT 10, tid INTEGER DEFAULT 11, start BIGINT,"
    "\"end\" BIGINT, name_id INTEGER, event_id INTEGER);"
    "CREATE TABLE \"rocpd_sample@\"" ROCPD_ID
    "track_id INTEGER, timestamp BIGINT, event_id INTEGER);"
    "CREATE TABLE \"rocpd_kernel_dispatch@\"" ROCPD_ID
    "nid INTEGER DEFAULT 1, pid INTEGER DEFAULT 10, tid INTEGER DEFAULT 11,"
    "agent_id INTEGER DEFAULT 4, kernel_id INTEGER DEFAULT 1, dispatch_id INTEGER,"
    "queue_id INTEGER DEFAULT 1, stream_id INTEGER DEFAULT 0, start BIGINT, \"end\" BIGINT,"
    "private_segment_size INTEGER DEFAULT 8, group_segment_size INTEGER DEFAULT 512,"
    "workgroup_size_x INTEGER DEFAULT 64, workgroup_size_y INTEGER DEFAULT 1,"
    "workgroup_size_z INTEGER DEFAULT 1, grid_size_x INTEGER DEFAULT 1000,"
    "grid_size_y INTEGER DEFAULT 1, grid_size_z INTEGER DEFAULT 1, region_name_id INTEGER,"
    "event_id INTEGER);"
    "CREATE TABLE \"rocpd_memory_copy@\"" ROCPD_ID
    "nid INTEGER DEFAULT 1, pid INTEGER DEFAULT 10, tid INTEGER, start BIGINT, \"end\" BIGINT,"
    "name_id INTEGER DEFAULT 2, dst_agent_id INTEGER DEFAULT 4, dst_address, src_agent_id INTEGER"
    " DEFAULT 0, src_address, size INTEGER DEFAULT 4096, queue_id INTEGER DEFAULT 0,"
    "stream_id INTEGER DEFAULT 0, region_name_id INTEGER, event_id INTEGER);"
    "INSERT INTO \"rocpd_metadata@\"(tag, value) VALUES('schema_version', '3'), ('uuid', '@'),"
    "('guid', '%');";

static const char rocpd_sql_names[] =
    "INSERT INTO \"rocpd_info_node@\"(id, hash, machine_id, hostname) VALUES(1, 1, 'm', 'host');"
    "INSERT INTO \"rocpd_info_process@\"(id, nid, pid, command) VALUES(10, 1, 10, '/opt/app -n 3');"
    "INSERT INTO \"rocpd_info_thread@\"(id, nid, pid, tid) VALUES(11, 1, 10, 11);"
    "INSERT INTO \"rocpd_info_agent@\"(id, nid, pid, type, absolute_index, name, product_name,"
    " extdata) VALUES(0, 1, 10, 'CPU', 0, 'EPYC', NULL, '{}'), (4, 1, 10, 'GPU', 4, 'gfx942',"
    " 'AMD Instinct MI300X', '{\"cu_count\": 304, \"max_engine_clk_fcompute\": 2100, \"mem_banks\":"
    " [{\"heap_type\": 1, \"size_in_bytes\": 206141652992}]}');"
    "INSERT INTO \"rocpd_info_kernel_symbol@\"(id, kernel_name, display_name, group_segment_size,"
    " private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count) VALUES"
    "(1, '_Z4axpyPf.kd', 'axpy(float*)', 256, 0, 16, 8, 0),"
    "(2, '_Z4gemmPfS_.kd', NULL, 16384, 4, 32, 64, 128);"
    "INSERT INTO \"rocpd_string@\"(id, string) VALUES(1, 'hipLaunchKernel'),"
    "(2, 'MEMORY_COPY_HOST_TO_DEVICE'), (3, 'hipMemcpy');";

/* Replaces a letter by text whose quotes are doubled. The caller frees the result. */
static inline char *rocpd_sql_put(const char *sql, char letter, const char *text, char quote)
{
    size_t n = strlen(sql) + 1, each = 2 * strlen(text);
    for (const char *p = sql; *p; p++)
        n += *p == letter ? each : 0;
    char *out = calloc(1, n), *o = out;
    if (!out)
        abort();
    for (; *sql; sql++) {
        if (*sql != letter) {
            *o++ = *sql;
            continue;
        }
        for (const char *t = text; *t; t++) {
            *o++ = *t;
            if (*t == quote)
                *o++ = *t;
        }
    }
    return out;
}
