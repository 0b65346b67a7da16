/* Fields of a process on a GPU, for filters. */
#include <math.h>

#include "tui/views/gpu/gpu.h"

#define NUMBER(name, expression)                                                                   \
    static double name(const void *row)                                                            \
    {                                                                                              \
        const struct gpu_process *p = row;                                                         \
        return expression;                                                                         \
    }
#define TEXT(name, expression)                                                                     \
    static const char *name(const void *row, char buf[QUERY_TEXT_MAX])                             \
    {                                                                                              \
        const struct gpu_process *p = row;                                                         \
        (void)buf;                                                                                 \
        return expression;                                                                         \
    }
#define KNOWN(member) (p->member.validity == VALUE_OK ? p->member.v : NAN)

NUMBER(pid, p->pid)
NUMBER(gpu, p->gpu)
NUMBER(mem, KNOWN(mem))
NUMBER(gtt, KNOWN(gtt))
NUMBER(busy, KNOWN(busy))
NUMBER(cus, KNOWN(cus))
NUMBER(queues, KNOWN(queues))
NUMBER(video, KNOWN(video))
NUMBER(evicted, KNOWN(evicted))
TEXT(name, p->name)
TEXT(user, p->user)
TEXT(kind, p->kind)

const struct query_field gpu_fields[] = {
    {"mem", "vram", UNIT_BYTES, "memory of the GPU it uses", mem, NULL, false},
    {"busy", NULL, UNIT_PERCENT, "share of the GPU", busy, NULL, false},
    {"cus", NULL, UNIT_NONE, "compute units it occupies", cus, NULL, false},
    {"queues", NULL, UNIT_NONE, "queues it has open", queues, NULL, false},
    {"gpu", "device", UNIT_NONE, "number of the GPU", gpu, NULL, false},
    {"pid", NULL, UNIT_NONE, "its number", pid, NULL, true},
    {"name", "command", UNIT_NONE, "its name", NULL, name, true},
    {"user", NULL, UNIT_NONE, "owner", NULL, user, true},
    {"kind", NULL, UNIT_NONE, "compute, graphics, compute+graphics", NULL, kind, true},
    {"hostmem", "gtt", UNIT_BYTES, "memory of the host that the GPU uses for it", gtt, NULL, false},
    {"video", NULL, UNIT_PERCENT, "share of the video engines", video, NULL, false},
    {"evicted", NULL, UNIT_SECONDS, "time its queues were evicted", evicted, NULL, false},
    {0},
};
