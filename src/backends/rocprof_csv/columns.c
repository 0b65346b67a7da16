#include "backends/rocprof_csv/rocprof_csv_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/rocm/timeline.h"

static const char *const names[CSV_COLUMNS] = {
    [C_GUID] = "Guid",
    [C_PID] = "Process_Id",
    [C_TID] = "Thread_Id",
    [C_AGENT] = "Agent_Id",
    [C_QUEUE] = "Queue_Id",
    [C_STREAM] = "Stream_Id",
    [C_START] = "Start_Timestamp",
    [C_END] = "End_Timestamp",
    [C_CORRELATION] = "Correlation_Id",
    [C_FUNCTION] = "Function",
    [C_DISPATCH] = "Dispatch_Id",
    [C_KERNEL] = "Kernel_Name",
    [C_LDS] = "LDS_Block_Size",
    [C_SCRATCH] = "Scratch_Size",
    [C_VGPRS] = "VGPR_Count",
    [C_ACCUM_VGPRS] = "Accum_VGPR_Count",
    [C_SGPRS] = "SGPR_Count",
    [C_GROUP] = "Workgroup_Size",
    [C_GRID] = "Grid_Size",
    [C_GROUP_X] = "Workgroup_Size_X",
    [C_GROUP_Y] = "Workgroup_Size_Y",
    [C_GROUP_Z] = "Workgroup_Size_Z",
    [C_GRID_X] = "Grid_Size_X",
    [C_GRID_Y] = "Grid_Size_Y",
    [C_GRID_Z] = "Grid_Size_Z",
    [C_COUNTER] = "Counter_Name",
    [C_VALUE] = "Counter_Value",
    [C_DIRECTION] = "Direction",
    [C_FROM] = "Source_Agent_Id",
    [C_TO] = "Destination_Agent_Id",
    [C_SIZE] = "Size",
    [C_NODE] = "Node_Id",
    [C_LOGICAL] = "Logical_Node_Id",
    [C_LOGICAL_TYPE] = "Logical_Node_Type_Id",
    [C_TYPE] = "Agent_Type",
    [C_NAME] = "Name",
    [C_PRODUCT] = "Product_Name",
    [C_MODEL] = "Model_Name",
    [C_UNITS] = "Cu_Count",
    [C_CLOCK] = "Max_Engine_Clk_Fcompute",
    [C_MEMORY] = "Local_Mem_Size",
    [C_OPERATION] = "Operation",
    [C_ALLOCATED] = "Allocation_Size",
    [C_FLAGS] = "Alloc_Flags",
    [C_EXEC_MASK] = "Exec_Mask",
    [C_CALLS] = "Calls",
    [C_TOTAL] = "TotalDurationNs",
    [C_DOMAIN] = "Domain",
};

#define BIT(c) (UINT64_C(1) << (c))

/* The first kind whose columns all exist. */
static const struct {
    const char *name;
    uint64_t columns;
} kinds[CSV_KINDS] = {
    [CSV_COUNTERS] = {"counter collection",
                      BIT(C_DISPATCH) | BIT(C_KERNEL) | BIT(C_COUNTER) | BIT(C_VALUE)},
    [CSV_KERNELS] = {"kernel trace", BIT(C_DISPATCH) | BIT(C_KERNEL) | BIT(C_START) | BIT(C_END)},
    [CSV_COPIES] = {"memory copies",
                    BIT(C_DIRECTION) | BIT(C_FROM) | BIT(C_TO) | BIT(C_START) | BIT(C_END)},
    [CSV_CALLS] = {"API calls",
                   BIT(C_FUNCTION) | BIT(C_PID) | BIT(C_TID) | BIT(C_START) | BIT(C_END)},
    [CSV_AGENTS] = {"agents", BIT(C_NODE) | BIT(C_TYPE)},
    [CSV_SKIPPED] = {"memory allocations", BIT(C_OPERATION) | BIT(C_ALLOCATED)},
    [CSV_SKIPPED + 1] = {"scratch memory", BIT(C_OPERATION) | BIT(C_FLAGS)},
    [CSV_SKIPPED + 2] = {"samples of program counters", BIT(C_EXEC_MASK) | BIT(C_DISPATCH)},
    [CSV_SKIPPED + 3] = {"sums over calls", BIT(C_NAME) | BIT(C_CALLS) | BIT(C_TOTAL)},
};

bool csv_header_of(struct csv_header *h, const struct csv *row)
{
    uint64_t found = 0;
    *h = (struct csv_header){.fields = row->nfields};
    for (uint32_t i = 0; i < row->nfields; i++)
        for (int c = 0; c < CSV_COLUMNS; c++)
            if (!h->at[c] && strcasecmp(csv_field(row, i), names[c]) == 0) {
                h->at[c] = (uint16_t)(i + 1);
                found |= BIT(c);
            }
    for (int k = 0; k < CSV_KINDS; k++)
        if ((found & kinds[k].columns) == kinds[k].columns) {
            h->kind = (enum csv_kind)k;
            return true;
        }
    return false;
}

const char *csv_kind_name(enum csv_kind k)
{
    return kinds[k].name;
}

const char *csv_column_name(enum csv_column c)
{
    return names[c];
}

int csv_number(struct csv *c, const struct csv_header *h, enum csv_column column, int64_t *out)
{
    const char *text = csv_text(c, h, column);
    char *end;
    *out = ROCM_UNKNOWN;
    if (!text || !*text)
        return 0;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || errno == ERANGE || v == ROCM_UNKNOWN || v == ROCM_COPIES)
        return csv_refuse(c, names[column], "not a whole number of 64 bits: \"%.60s\"", text);
    *out = v;
    return 0;
}

int csv_count(struct csv *c, const struct csv_header *h, enum csv_column column, uint32_t *out)
{
    int64_t v;
    int rc = csv_number(c, h, column, &v);
    if (rc == 0 && v < 0 && v != ROCM_UNKNOWN)
        rc = csv_refuse(c, names[column], "below 0: %lld", (long long)v);
    *out = rc == 0 && v >= 0 && v < (int64_t)TRACE_UNKNOWN ? (uint32_t)v : TRACE_UNKNOWN;
    return rc;
}

int csv_real(struct csv *c, const struct csv_header *h, enum csv_column column, double *out)
{
    const char *text = csv_text(c, h, column);
    char *end;
    double v = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || !isfinite(v))
        return csv_refuse(c, names[column], "not a number: \"%.60s\"", text ? text : "");
    *out = v;
    return 0;
}
