/*
 * Reads the work of GPUs: kernels, copies, graphs, each in its stream and linked to the call that
 * launched it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "backends/nsys/nsys_impl.h"
#include "engine/trace/left_out.h"

/* The first columns of every query for GPU activity. */
enum { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, PROCESS, COMMON };
#define COMMON_COLUMNS                                                                             \
    "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"

static uint32_t column_number(const struct sqlite_rows *r, int column, uint32_t unknown)
{
    int64_t value;
    if (!sqlite_rows_int(r, column, &value) || value < 0 || value >= UINT32_MAX)
        return unknown;
    return (uint32_t)value;
}

static uint32_t nsys_row_process(struct nsys *n, const struct sqlite_rows *r)
{
    int64_t id = 0;
    sqlite_rows_int(r, PROCESS, &id);
    return id || n->only_process == IDS_NONE ? nsys_process(n, (uint64_t)id) : n->only_process;
}

/* Adds the work of a row; GRAPH_NONE if it is dropped. */
static uint32_t add_device_work(struct nsys *n, const struct sqlite_rows *r, enum node_kind kind,
                                uint32_t name, struct nsys_lane *lane)
{
    uint64_t time[2];
    if (!nsys_times(n, r, START, END, time))
        return GRAPH_NONE;
    *lane = nsys_queue(n, nsys_row_process(n, r), column_number(r, DEVICE, IDS_NONE),
                       column_number(r, CONTEXT, IDS_NONE), column_number(r, STREAM, IDS_NONE));
    if (nsys_short(n, lane->node, name, kind, time))
        return GRAPH_NONE;
    uint32_t node = lane->node == GRAPH_NONE ? GRAPH_NONE
                                             : graph_add(n->g, kind, name, lane->node,
                                                         EDGE_CONTAINS, time[0], time[1] - time[0]);
    if (node == GRAPH_NONE) {
        trace_leave_out(n->t, LEFT_NO_ROOM, 1);
        return GRAPH_NONE;
    }
    n->t->spans++;
    n->g->flags[node] |= NODE_DEVICE_TIME;
    uint32_t correlation = column_number(r, CORRELATION, 0);
    uint32_t call =
        correlation ? ids_get(&n->calls, nsys_pair(lane->process, correlation)) : IDS_NONE;
    if (call != IDS_NONE)
        graph_connect(n->g, call, node, EDGE_LAUNCHES);
    return node;
}

/* --- kernels --- */

enum {
    DEMANGLED = COMMON,
    SHORT,
    MANGLED,
    REGISTERS,
    GRID,
    BLOCK = GRID + 3,
    STATIC = BLOCK + 3,
    DYNAMIC,
    LOCAL,
    GRID_ID,
    KERNEL_COLUMNS
};

static uint32_t read_nsys_kernel_name(struct nsys *n, const struct sqlite_rows *r)
{
    uint32_t name = GRAPH_NONE;
    for (int column = DEMANGLED; column <= MANGLED && name == GRAPH_NONE; column++)
        name = nsys_name(n, r, column);
    return name != GRAPH_NONE ? name : graph_intern(n->g, "unknown kernel");
}

/* The shared memory of a block: what the kernel declares plus what its launch requests. */
static uint32_t shared_memory(const struct sqlite_rows *r)
{
    uint32_t fixed = column_number(r, STATIC, TRACE_UNKNOWN),
             asked = column_number(r, DYNAMIC, TRACE_UNKNOWN);
    if (fixed == TRACE_UNKNOWN || asked == TRACE_UNKNOWN)
        return fixed == TRACE_UNKNOWN ? asked : fixed;
    return fixed < TRACE_UNKNOWN - 1 - asked ? fixed + asked : TRACE_UNKNOWN - 1;
}

static void add_nsys_kernel(struct nsys *n, const struct sqlite_rows *r)
{
    struct nsys_lane lane;
    uint32_t node = add_device_work(n, r, NODE_KERNEL, read_nsys_kernel_name(n, r), &lane);
    if (node == GRAPH_NONE)
        return;
    struct graph_detail d = {.kernel = {.hash = 0}};
    for (int i = 0; i < 3; i++) {
        d.kernel.grid[i] = column_number(r, GRID + i, 0);
        d.kernel.block[i] = column_number(r, BLOCK + i, 0);
    }
    uint32_t shared = shared_memory(r), id = column_number(r, GRID_ID, TRACE_UNKNOWN);
    d.kernel.shared_bytes = shared == TRACE_UNKNOWN ? 0 : shared;
    graph_set_kernel(n->g, node, &d);
    struct trace_dispatch dispatch = {.node = node,
                                      .agent = lane.agent,
                                      .id = id != TRACE_UNKNOWN ? id
                                                                : column_number(r, CORRELATION, 0),
                                      .vgprs = column_number(r, REGISTERS, TRACE_UNKNOWN),
                                      .accum_vgprs = TRACE_UNKNOWN,
                                      .sgprs = TRACE_UNKNOWN,
                                      .lds_bytes = shared,
                                      .scratch_bytes = column_number(r, LOCAL, TRACE_UNKNOWN)};
    trace_add_dispatch(n->t, &dispatch);
}

static int read_nsys_kernels(struct nsys *n)
{
    static const char *const columns[KERNEL_COLUMNS] = {COMMON_COLUMNS,
                                                        "demangledName",
                                                        "shortName",
                                                        "mangledName",
                                                        "registersPerThread",
                                                        "gridX",
                                                        "gridY",
                                                        "gridZ",
                                                        "blockX",
                                                        "blockY",
                                                        "blockZ",
                                                        "staticSharedMemory",
                                                        "dynamicSharedMemory",
                                                        "localMemoryPerThread",
                                                        "gridId"};
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, "CUPTI_ACTIVITY_KIND_KERNEL", columns, KERNEL_COLUMNS);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        add_nsys_kernel(n, &r);
        rc = 0;
    }
    sqlite_rows_close(&r);
    return rc;
}

/* --- copies --- */

enum { BYTES = COMMON, KIND, SOURCE, TARGET, COPY_COLUMNS };
enum { TO_DEVICE, TO_HOST, IN_PLACE };

/* The direction for a kind of copy (CUpti_ActivityMemcpyKind and, from 11 on, moved pages). Arrays
 * are on the device. */
static uint32_t copy_kind_direction(uint32_t kind)
{
    switch (kind) {
    case 1:
    case 3:
    case 11:
        return TO_DEVICE;
    case 2:
    case 4:
    case 12:
        return TO_HOST;
    default:
        return IN_PLACE;
    }
}

static uint32_t memory_name(const struct nsys *n, const struct sqlite_rows *r, int column)
{
    uint32_t kind = column_number(r, column, NSYS_MEMORY_KINDS);
    return kind < NSYS_MEMORY_KINDS ? n->memory_kind[kind] : GRAPH_NONE;
}

static void add_transfer(struct nsys *n, const struct sqlite_rows *r, uint32_t name,
                         uint32_t direction)
{
    struct nsys_lane lane;
    int64_t bytes;
    uint32_t node = add_device_work(n, r, NODE_TRANSFER, name, &lane);
    if (node == GRAPH_NONE)
        return;
    struct graph_detail *d = graph_detail(n->g, node);
    d->transfer.bytes =
        sqlite_rows_int(r, BYTES, &bytes) && bytes >= 0 ? (uint64_t)bytes : GRAPH_UNKNOWN;
    d->transfer.direction = direction;
    d->transfer.from = memory_name(n, r, SOURCE);
    d->transfer.to = memory_name(n, r, TARGET);
}

static int read_copies(struct nsys *n)
{
    static const char *const columns[COPY_COLUMNS] = {COMMON_COLUMNS, "bytes", "copyKind",
                                                      "srcKind", "dstKind"};
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, "CUPTI_ACTIVITY_KIND_MEMCPY", columns, COPY_COLUMNS);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        uint32_t kind = column_number(&r, KIND, 0);
        add_transfer(n, &r, n->copy_kind[kind < NSYS_COPY_KINDS ? kind : 0],
                     copy_kind_direction(kind));
        rc = 0;
    }
    sqlite_rows_close(&r);
    return rc;
}

static int read_memsets(struct nsys *n)
{
    static const char *const columns[COPY_COLUMNS] = {COMMON_COLUMNS, "bytes", "", "", "memKind"};
    struct sqlite_rows r;
    uint32_t name = graph_intern(n->g, "memset");
    int rc = sqlite_rows_open(&r, &n->file, "CUPTI_ACTIVITY_KIND_MEMSET", columns, COPY_COLUMNS);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        add_transfer(n, &r, name, IN_PLACE);
        rc = 0;
    }
    sqlite_rows_close(&r);
    return rc;
}

/* --- graphs that were traced as a whole: their kernels are not known --- */

static int read_graphs(struct nsys *n)
{
    static const char *const columns[] = {COMMON_COLUMNS, "graphId"};
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns, COMMON + 1);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        char name[40] = "CUDA graph";
        uint32_t id = column_number(&r, COMMON, IDS_NONE);
        struct nsys_lane lane;
        if (id != IDS_NONE)
            snprintf(name, sizeof name, "CUDA graph %" PRIu32, id);
        add_device_work(n, &r, NODE_KERNEL, graph_intern(n->g, name), &lane);
        rc = 0;
    }
    sqlite_rows_close(&r);
    return rc;
}

/* The only process with spans on the host; IDS_NONE: there are none, or several. */
static uint32_t only_process(const struct nsys *n)
{
    uint32_t found = IDS_NONE;
    for (uint32_t i = 0; i < n->nprocesses; i++) {
        if (n->processes[i].node != GRAPH_NONE && found != IDS_NONE)
            return IDS_NONE;
        if (n->processes[i].node != GRAPH_NONE)
            found = i;
    }
    return found;
}

int nsys_read_device(struct nsys *n)
{
    n->only_process = only_process(n);
    int rc = read_nsys_kernels(n);
    if (rc == 0)
        rc = read_copies(n);
    if (rc == 0)
        rc = read_memsets(n);
    return rc ? rc : read_graphs(n);
}
