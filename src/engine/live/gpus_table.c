/* shape: table */
#include "engine/live/gpus.h"

/* Add new fields at the end of a table and raise FRAME_VERSION. */
#define ROW(kind, member) MEMBER(kind, TYPE, member, #member, .form = MEMBER_KNOWN, .none = -1)

#define TYPE struct gpu
static const struct field gpu_rows[] = {
    ROW(TEXT, id),
    ROW(TEXT, vendor),
    ROW(TEXT, name),
    ROW(TEXT, isa),
    ROW(TEXT, driver),
    ROW(TEXT, pci),
    ROW(TEXT, uuid),
    ROW(TEXT, mode),
    ROW(TEXT, backend),
    ROW(VALUE, cus),
    ROW(VALUE, simds),
    ROW(VALUE, wave),
    ROW(VALUE, waves),
    ROW(VALUE, xccs),
    ROW(VALUE, lds),
    ROW(VALUE, max_hz),
    ROW(VALUE, max_mem_hz),
    ROW(VALUE, mem_total),
    ROW(VALUE, visible_total),
    ROW(VALUE, gtt_total),
    ROW(VALUE, mem_width),
    ROW(VALUE, numa),
    ROW(VALUE, render),
    ROW(VALUE, power_min),
    ROW(VALUE, power_max),
    ROW(VALUE, temp_limit),
    ROW(VALUE, pcie_max_width),
    ROW(VALUE, pcie_max_speed),
    ROW(U64, kfd_id),
};
#undef TYPE

#define TYPE struct gpu_now
static const struct field now_rows[] = {
    ROW(VALUE, gfx_busy),      ROW(VALUE, mem_busy),      ROW(VALUE, media_busy),
    ROW(VALUE, mem_used),      ROW(VALUE, visible_used),  ROW(VALUE, gtt_used),
    ROW(VALUE, gfx_hz),        ROW(VALUE, mem_hz),        ROW(VALUE, soc_hz),
    ROW(VALUE, fabric_hz),     ROW(VALUE, video_hz),      ROW(VALUE, power),
    ROW(VALUE, power_cap),     ROW(VALUE, energy),        ROW(VALUE, temp_edge),
    ROW(VALUE, temp_junction), ROW(VALUE, temp_mem),      ROW(VALUE, temp_soc),
    ROW(VALUE, fan_rpm),       ROW(VALUE, fan_percent),   ROW(VALUE, throttled),
    ROW(TEXT, throttle_why),   ROW(VALUE, ecc_corrected), ROW(VALUE, ecc_uncorrected),
    ROW(VALUE, pcie_width),    ROW(VALUE, pcie_speed),    ROW(VALUE, pcie_rx),
    ROW(VALUE, pcie_tx),       ROW(VALUE, pcie_replays),  ROW(VALUE, link_read),
    ROW(VALUE, link_write),    ROW(VALUE, processes),     ROW(VALUE, queues),
    ROW(VALUE, dram_read),     ROW(VALUE, dram_write),    ROW(VALUE, pcie_total),
};
#undef TYPE

#define TYPE struct gpu_pool
static const struct field pool_rows[] = {
    ROW(INT, gpu),    ROW(TEXT, kind),   ROW(TEXT, name),     ROW(TEXT, flags),  ROW(TEXT, source),
    ROW(VALUE, size), ROW(VALUE, count), ROW(VALUE, granule), ROW(VALUE, width), ROW(VALUE, hz),
};
#undef TYPE

#define TYPE struct gpu_queue
static const struct field queue_rows[] = {
    ROW(INT, gpu), ROW(INT, pid), ROW(INT, id), ROW(TEXT, type), ROW(VALUE, size),
};
#undef TYPE

#define TYPE struct gpu_agent
static const struct field agent_rows[] = {
    ROW(INT, gpu),  ROW(TEXT, kind), ROW(TEXT, name),        ROW(TEXT, product), ROW(TEXT, isas),
    ROW(TEXT, pci), ROW(VALUE, cus), ROW(VALUE, queues_max), ROW(VALUE, node),
};
#undef TYPE

static const char *const source_states[] = {"absent", "waiting", "broken", "ok", NULL};
#define TYPE struct gpu_source
static const struct field source_rows[] = {
    MEMBER(INT, TYPE, state, "state", .form = MEMBER_WORD, .words = source_states, .json = 5),
    ROW(TEXT, name),
    ROW(TEXT, text),
    ROW(TEXT, help),
};
#undef TYPE
static const struct field process_rows[] = {
#define LIST_ROW  struct gpu_process
#define LIST_FILE "engine/live/gpu_fields.def"
#include "engine/value/list_field_kept.h"
};

const struct gpus_table gpus_tables[GPUS_ARRAYS] = {
    [GPUS_GPU] = {"gpus", RECORD(gpu_rows, struct gpu), offsetof(struct gpus, gpu),
                  offsetof(struct gpus, n), false},
    [GPUS_NOW] = {"now", RECORD(now_rows, struct gpu_now), offsetof(struct gpus, now),
                  offsetof(struct gpus, n), false},
    [GPUS_POOLS] = {"pools", RECORD(pool_rows, struct gpu_pool), offsetof(struct gpus, pools),
                    offsetof(struct gpus, npools), true},
    [GPUS_QUEUES] = {"queues", RECORD(queue_rows, struct gpu_queue), offsetof(struct gpus, queues),
                     offsetof(struct gpus, nqueues), true},
    [GPUS_PROCESSES] = {"processes", RECORD(process_rows, struct gpu_process),
                        offsetof(struct gpus, processes), offsetof(struct gpus, nprocesses), true},
    [GPUS_AGENTS] = {"agents", RECORD(agent_rows, struct gpu_agent), offsetof(struct gpus, agents),
                     offsetof(struct gpus, nagents), true},
    [GPUS_SOURCES] = {"sources", RECORD(source_rows, struct gpu_source),
                      offsetof(struct gpus, sources), offsetof(struct gpus, nsources), false},
};
