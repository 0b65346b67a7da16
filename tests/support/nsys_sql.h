/*
 * Exports of Nsight Systems as SQL: tables and columns as its documentation and its own comments
 * in the schema name them (docs/PROFILES.md), rows of two processes that use the same correlation
 * ids and the same stream numbers on two GPUs. shape: table
 */
#pragma once

/* 2^48 + pid * 2^24 (+ tid): one machine. */
#define NSYS_P1 "281491753926656" /* pid 1000 */
#define NSYS_P2 "281508531142656" /* pid 2000 */
#define NSYS_T1 "281491753927657" /* its thread 1001 */
#define NSYS_T2 "281508531144658" /* its thread 2002 */

#define NSYS_STRINGS                                                                               \
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"               \
    "INSERT INTO StringIds VALUES (1, 'add_one(const float *, float *, int)'), (2, 'add_one'),"    \
    " (3, '_Z7add_onePKfPfi'), (4, 'cudaLaunchKernel_v7000'), (5, 'cudaMemcpyAsync_v3020'),"       \
    " (6, 'cudaGraphLaunch_v10000'), (7, 'poll'), (8, 'forward'), (9, 'worker'),"                  \
    " (10, 'NCCL'), (11, 'AllReduce'), (12, 'cudaMalloc'), (13, 'cudaMalloc_v3020');"

/* 2024 and 2025 (schema 3.16 to 3.24). */
static const char nsys_new_tables[] =
    "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
    "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL,"
    " name TEXT NOT NULL, nameEnum INTEGER NOT NULL, value TEXT NOT NULL);"
    "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
    "CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);"
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,"
    " busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER,"
    " memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, chipName TEXT,"
    " cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL,"
    " pid INTEGER NOT NULL);"
    "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (nullStreamId INTEGER NOT NULL,"
    " hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, processId INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, parentContextId INTEGER,"
    " isGreenContext INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
    " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
    " demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,"
    " launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL,"
    " gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,"
    " blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,"
    " staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,"
    " localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,"
    " gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER,"
    " sharedMemoryLimitConfig INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
    " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
    " bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
    " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
    " value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL,"
    " end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,"
    " greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,"
    " globalPid INTEGER, graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL,"
    " end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,"
    " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
    " syncType INTEGER NOT NULL, eventId INTEGER NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,"
    " nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);"
    "CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL,"
    " returnValue INTEGER NOT NULL, nestingLevel INTEGER, callchainId INTEGER NOT NULL);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,"
    " rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,"
    " endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER,"
    " jsonText TEXT);"
    "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER,"
    " value INTEGER);";

static const char nsys_new_names[] =
    "CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT,"
    " label TEXT);"
    "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.0');"
    "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (281474976710656, 'Local', 'CpuCores', 1, '16'),"
    " (281474976710656, 'Local', 'Hostname', 9, 'node1');"
    "INSERT INTO PROCESSES VALUES (" NSYS_P1 ", 1000, 'train');"
    "INSERT INTO ThreadNames VALUES (9, 20, " NSYS_T1 ");"
    "INSERT INTO TARGET_INFO_GPU VALUES"
    " (281474976710656, 0, 'NVIDIA H200', '0000:c1:00.0', 1, 62914560, 150000000000,"
    " 4800000000000, 1980000000, 132, 'GH100', 1, 9, 0),"
    " (281474976710656, 1, 'NVIDIA H200', '0000:03:00.0', 1, 62914560, 150000000000,"
    " 4800000000000, 1980000000, 132, 'GH100', 0, 9, 0);"
    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 1000), (0, 0, 2000);"
    "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (7, 0, 1, 1000, 0, 1, 0, 0),"
    " (7, 0, 1, 1000, 0, 4, 1, 1), (7, 0, 1, 2000, 0, 1, 0, 0);"
    "INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (34, 'NvtxMark', 'NvtxMark'),"
    " (59, 'NvtxPushPopRange', ''), (60, 'NvtxStartEndRange', ''), (75, 'NvtxDomainCreate', '');"
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');"
    "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (1, '', 'Pinned'), (2, '', 'Device');";

static const char nsys_new_rows[] =
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, textId, domainId, globalTid) VALUES"
    " (900, NULL, 75, 'NCCL', NULL, 1, " NSYS_T1 "),"
    " (1000, 9000, 59, 'step', NULL, 0, " NSYS_T1 "),"
    " (1100, 5000, 59, NULL, 8, 0, " NSYS_T1 "),"
    " (1200, NULL, 34, 'a mark', NULL, 0, " NSYS_T1 "),"
    " (4000, 7000, 60, 'loose', NULL, 0, " NSYS_T1 "),"
    " (5100, 6000, 59, NULL, 11, 1, " NSYS_T1 "),"
    " (8000, NULL, 59, 'never ended', NULL, 0, " NSYS_T1 ");"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
    " (1200, 1300, 0, " NSYS_T1 ", 1, 4, 0, NULL), (1400, 1500, 0, " NSYS_T1 ", 2, 5, 0, NULL),"
    " (5200, 5300, 0, " NSYS_T1 ", 3, 6, 0, NULL), (6100, 6200, 0, " NSYS_T1 ", 4, 4, 1, NULL),"
    " (6300, 6400, 67, " NSYS_T1 ", 5, 12, 0, 1), (6310, 6390, 0, " NSYS_T1 ", 5, 13, 2, NULL),"
    " (1250, 1350, 0, " NSYS_T2 ", 1, 4, 600, NULL);"
    "INSERT INTO OSRT_API VALUES (500, 500, 31, " NSYS_P1 ", 7, 0, NULL, 0),"
    " (1420, 1480, 27, " NSYS_T1 ", 7, 1, 0, 0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, demangledName, shortName, mangledName, registersPerThread, gridX,"
    " gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory,"
    " localMemoryPerThread, localMemoryTotal, gridId) VALUES"
    " (2000, 2500, 0, 1, 7, 1, " NSYS_P1 ", 1, 2, 3, 40, 4, 3, 2, 256, 1, 1, 1024, 512, 8, 0, 11),"
    " (2100, 2200, 0, 1, 7, 1, " NSYS_P2 ", 99, 2, 3, 16, 1, 1, 1, 32, 1, 1, 0, 0, 0, 0, 12);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
    " (2600, 2700, 0, 1, NULL, 7, 2, " NSYS_P1 ", 4096, 1, 1, 2);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES"
    " (2800, 2900, 0, 1, NULL, 7, 9, " NSYS_P1 ", 0, 256, NULL, 2);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
    " (6000, 6500, 0, 1, NULL, 13, 3, " NSYS_P1 ", 5, 6);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
    " (2900, 3000, 0, 1, 7, 8, " NSYS_P1 ", 3, 4294967295);"
    "INSERT INTO GPU_METRICS VALUES (1000, 1, 1, 50);";

/* 2021 (before enumerations, mangled names and the table of devices): every column is filled, with
 * 0 for unknown values. */
static const char nsys_old_tables[] =
    "CREATE TABLE EXPORT_META_DATA (name TEXT NOT NULL, value TEXT);"
    "CREATE TABLE PROCESSES (globalPid INTEGER NOT NULL, pid INTEGER NOT NULL,"
    " name TEXT NOT NULL);"
    "CREATE TABLE TARGET_INFO_GPU (vmId INT NOT NULL, id INT NOT NULL, name TEXT NOT NULL,"
    " clockRate INT NOT NULL, smCount INT NOT NULL);"
    "CREATE TABLE TARGET_INFO_CUDA_NULL_STREAM (streamId INT NOT NULL, hwId INT NOT NULL,"
    " vmId INT NOT NULL, processId INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL, end INT NOT NULL,"
    " globalTid INT NOT NULL, correlationId INT NOT NULL, nameId INT NOT NULL,"
    " returnValue INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER (start INT NOT NULL, end INT NOT NULL,"
    " globalTid INT NOT NULL, correlationId INT NOT NULL, nameId INT NOT NULL,"
    " returnValue INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL,"
    " deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL,"
    " correlationId INT NOT NULL, globalPid INT NOT NULL, demangledName INT NOT NULL,"
    " shortName INT NOT NULL, registersPerThread INT NOT NULL, gridX INT NOT NULL,"
    " gridY INT NOT NULL, gridZ INT NOT NULL, blockX INT NOT NULL, blockY INT NOT NULL,"
    " blockZ INT NOT NULL, staticSharedMemory INT NOT NULL, dynamicSharedMemory INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT NOT NULL, end INT NOT NULL,"
    " deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL,"
    " correlationId INT NOT NULL, globalPid INT NOT NULL, bytes INT NOT NULL,"
    " copyKind INT NOT NULL);"
    "CREATE TABLE NVTX_EVENTS (start INT NOT NULL, end INT NOT NULL, eventType INT NOT NULL,"
    " rangeId INT NOT NULL, category INT NOT NULL, color INT NOT NULL, text TEXT NOT NULL,"
    " globalTid INT NOT NULL, endGlobalTid INT NOT NULL);";

static const char nsys_old_rows[] =
    "INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_SCHEMA_VERSION', '2.3.1');"
    "INSERT INTO PROCESSES VALUES (" NSYS_P1 ", 1000, 'saxpy');"
    "INSERT INTO TARGET_INFO_GPU VALUES (281474976710656, 0, 'Tesla V100', 1530000000, 80);"
    "INSERT INTO TARGET_INFO_CUDA_NULL_STREAM VALUES (7, 0, 1, 1000, 0, 1), (9, 0, 1, 1000, 0, 2);"
    "INSERT INTO NVTX_EVENTS VALUES (1000, 3000, 59, 0, 0, 0, 'step', " NSYS_T1 ", 0),"
    " (1100, 0, 34, 0, 0, 0, 'a mark', " NSYS_T1 ", 0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1200, 1300, " NSYS_T1 ", 1, 4, 0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER VALUES (1400, 1500, " NSYS_T1 ", 2, 5, 0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
    " (2000, 2500, 0, 1, 7, 1, " NSYS_P1 ", 1, 2, 32, 2, 1, 1, 512, 1, 1, 0, 64);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
    " (2600, 2700, 0, 2, 9, 2, " NSYS_P1 ", 1024, 2);";

#define NSYS_NEW NSYS_STRINGS, nsys_new_tables, nsys_new_names, nsys_new_rows
#define NSYS_OLD NSYS_STRINGS, nsys_old_tables, nsys_old_rows
