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
    static const char *name(const void *row, char buf[FIELD_TEXT_MAX])                             \
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

const struct list_field gpu_fields[] = {
    {.name = "mem",
     .alias = "vram",
     .unit = UNIT_BYTES,
     .help = "memory of the GPU it uses",
     .number = mem},
    {.name = "busy", .unit = UNIT_PERCENT, .help = "share of the GPU", .number = busy},
    {.name = "cus", .help = "compute units it occupies", .number = cus},
    {.name = "queues", .help = "queues it has open", .number = queues},
    {.name = "gpu", .alias = "device", .help = "number of the GPU", .number = gpu},
    {.name = "pid", .help = "its number", .number = pid, .plain = true},
    {.name = "name", .alias = "command", .help = "its name", .text = name, .plain = true},
    {.name = "user", .help = "owner", .text = user, .plain = true},
    {.name = "kind", .help = "compute, graphics, compute+graphics", .text = kind, .plain = true},
    {.name = "hostmem",
     .alias = "gtt",
     .unit = UNIT_BYTES,
     .help = "memory of the host that the GPU uses for it",
     .number = gtt},
    {.name = "video", .unit = UNIT_PERCENT, .help = "share of the video engines", .number = video},
    {.name = "evicted",
     .unit = UNIT_SECONDS,
     .help = "time its queues were evicted",
     .number = evicted},
    {.name = NULL},
};
