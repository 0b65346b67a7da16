/* shape: table */
#include "engine/live/gpus.h"

/* Each list below generates a table of fields and their names. Add new fields at the end of a list
 * and raise FRAME_VERSION. */
#define GPU(X)                                                                                     \
    X(TEXT, id)                                                                                    \
    X(TEXT, vendor)                                                                                \
    X(TEXT, name)                                                                                  \
    X(TEXT, isa)                                                                                   \
    X(TEXT, driver)                                                                                \
    X(TEXT, pci)                                                                                   \
    X(TEXT, uuid)                                                                                  \
    X(TEXT, mode)                                                                                  \
    X(TEXT, backend)                                                                               \
    X(VALUE, cus)                                                                                  \
    X(VALUE, simds)                                                                                \
    X(VALUE, wave)                                                                                 \
    X(VALUE, waves)                                                                                \
    X(VALUE, xccs)                                                                                 \
    X(VALUE, lds)                                                                                  \
    X(VALUE, max_hz)                                                                               \
    X(VALUE, max_mem_hz)                                                                           \
    X(VALUE, mem_total)                                                                            \
    X(VALUE, visible_total)                                                                        \
    X(VALUE, gtt_total)                                                                            \
    X(VALUE, mem_width)                                                                            \
    X(VALUE, numa)                                                                                 \
    X(VALUE, render)                                                                               \
    X(VALUE, power_min)                                                                            \
    X(VALUE, power_max)                                                                            \
    X(VALUE, temp_limit)                                                                           \
    X(VALUE, pcie_max_width)                                                                       \
    X(VALUE, pcie_max_speed)                                                                       \
    X(U64, kfd_id)

#define NOW(X)                                                                                     \
    X(VALUE, gfx_busy)                                                                             \
    X(VALUE, mem_busy)                                                                             \
    X(VALUE, media_busy)                                                                           \
    X(VALUE, mem_used)                                                                             \
    X(VALUE, visible_used)                                                                         \
    X(VALUE, gtt_used)                                                                             \
    X(VALUE, gfx_hz)                                                                               \
    X(VALUE, mem_hz)                                                                               \
    X(VALUE, soc_hz)                                                                               \
    X(VALUE, fabric_hz)                                                                            \
    X(VALUE, video_hz)                                                                             \
    X(VALUE, power)                                                                                \
    X(VALUE, power_cap)                                                                            \
    X(VALUE, energy)                                                                               \
    X(VALUE, temp_edge)                                                                            \
    X(VALUE, temp_junction)                                                                        \
    X(VALUE, temp_mem)                                                                             \
    X(VALUE, temp_soc)                                                                             \
    X(VALUE, fan_rpm)                                                                              \
    X(VALUE, fan_percent)                                                                          \
    X(VALUE, throttled)                                                                            \
    X(TEXT, throttle_why)                                                                          \
    X(VALUE, ecc_corrected)                                                                        \
    X(VALUE, ecc_uncorrected)                                                                      \
    X(VALUE, pcie_width)                                                                           \
    X(VALUE, pcie_speed)                                                                           \
    X(VALUE, pcie_rx)                                                                              \
    X(VALUE, pcie_tx)                                                                              \
    X(VALUE, pcie_replays)                                                                         \
    X(VALUE, link_read)                                                                            \
    X(VALUE, link_write)                                                                           \
    X(VALUE, processes)                                                                            \
    X(VALUE, queues)                                                                               \
    X(VALUE, dram_read)                                                                            \
    X(VALUE, dram_write)                                                                           \
    X(VALUE, pcie_total)

#define POOL(X)                                                                                    \
    X(INT, gpu)                                                                                    \
    X(TEXT, kind)                                                                                  \
    X(TEXT, name)                                                                                  \
    X(TEXT, flags)                                                                                 \
    X(TEXT, source)                                                                                \
    X(VALUE, size)                                                                                 \
    X(VALUE, count)                                                                                \
    X(VALUE, granule)                                                                              \
    X(VALUE, width)                                                                                \
    X(VALUE, hz)

#define QUEUE(X)                                                                                   \
    X(INT, gpu)                                                                                    \
    X(INT, pid)                                                                                    \
    X(INT, id)                                                                                     \
    X(TEXT, type)                                                                                  \
    X(VALUE, size)

#define PROCESS(X)                                                                                 \
    X(INT, gpu)                                                                                    \
    X(INT, pid)                                                                                    \
    X(TEXT, name)                                                                                  \
    X(TEXT, user)                                                                                  \
    X(TEXT, kind)                                                                                  \
    X(VALUE, mem)                                                                                  \
    X(VALUE, gtt)                                                                                  \
    X(VALUE, busy)                                                                                 \
    X(VALUE, cus)                                                                                  \
    X(VALUE, copy)                                                                                 \
    X(VALUE, video)                                                                                \
    X(VALUE, queues)                                                                               \
    X(VALUE, evicted)

#define AGENT(X)                                                                                   \
    X(INT, gpu)                                                                                    \
    X(TEXT, kind)                                                                                  \
    X(TEXT, name)                                                                                  \
    X(TEXT, product)                                                                               \
    X(TEXT, isas)                                                                                  \
    X(TEXT, pci)                                                                                   \
    X(VALUE, cus)                                                                                  \
    X(VALUE, queues_max)                                                                           \
    X(VALUE, node)

#define SOURCE(X)                                                                                  \
    X(INT, state)                                                                                  \
    X(TEXT, name)                                                                                  \
    X(TEXT, text)                                                                                  \
    X(TEXT, help)

#define ROW(kind, member)  {FIELD_##kind, offsetof(struct TYPE, member), 0},
#define NAME(kind, member) #member,

#define TYPE gpu
static const struct field gpu_rows[] = {GPU(ROW)};
static const char *const gpu_names[] = {GPU(NAME)};
#undef TYPE
#define TYPE gpu_now
static const struct field now_rows[] = {NOW(ROW)};
static const char *const now_names[] = {NOW(NAME)};
#undef TYPE
#define TYPE gpu_pool
static const struct field pool_rows[] = {POOL(ROW)};
static const char *const pool_names[] = {POOL(NAME)};
#undef TYPE
#define TYPE gpu_queue
static const struct field queue_rows[] = {QUEUE(ROW)};
static const char *const queue_names[] = {QUEUE(NAME)};
#undef TYPE
#define TYPE gpu_process
static const struct field process_rows[] = {PROCESS(ROW)};
static const char *const process_names[] = {PROCESS(NAME)};
#undef TYPE
#define TYPE gpu_agent
static const struct field agent_rows[] = {AGENT(ROW)};
static const char *const agent_names[] = {AGENT(NAME)};
#undef TYPE
#define TYPE gpu_source
static const struct field source_rows[] = {SOURCE(ROW)};
static const char *const source_names[] = {SOURCE(NAME)};
#undef TYPE

#define TABLE(rows, type)                                                                          \
    {                                                                                              \
        rows, sizeof(rows) / sizeof *(rows), sizeof(struct type)                                   \
    }
const struct gpus_table gpus_tables[GPUS_ARRAYS] = {
    [GPUS_GPU] = {"gpus", TABLE(gpu_rows, gpu), gpu_names, offsetof(struct gpus, gpu),
                  offsetof(struct gpus, n), false},
    [GPUS_NOW] = {"now", TABLE(now_rows, gpu_now), now_names, offsetof(struct gpus, now),
                  offsetof(struct gpus, n), false},
    [GPUS_POOLS] = {"pools", TABLE(pool_rows, gpu_pool), pool_names, offsetof(struct gpus, pools),
                    offsetof(struct gpus, npools), true},
    [GPUS_QUEUES] = {"queues", TABLE(queue_rows, gpu_queue), queue_names,
                     offsetof(struct gpus, queues), offsetof(struct gpus, nqueues), true},
    [GPUS_PROCESSES] = {"processes", TABLE(process_rows, gpu_process), process_names,
                        offsetof(struct gpus, processes), offsetof(struct gpus, nprocesses), true},
    [GPUS_AGENTS] = {"agents", TABLE(agent_rows, gpu_agent), agent_names,
                     offsetof(struct gpus, agents), offsetof(struct gpus, nagents), true},
    [GPUS_SOURCES] = {"sources", TABLE(source_rows, gpu_source), source_names,
                      offsetof(struct gpus, sources), offsetof(struct gpus, nsources), false},
};
