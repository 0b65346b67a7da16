#include "engine/roofline/roofline_open.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine/roofline/roofline_gpu.h"

int roofline_cpu_roofs(struct cpu_roofs *out, struct arena *memory, const char *roofs,
                       struct error *err)
{
    if (roofs && access(roofs, R_OK) != 0) /* else this host's roofs would be used */
        return error_set(err, ERROR_INPUT, errno, "--roofs names a file", roofs, "%s",
                         strerror(errno));
    if (roofs && cpu_roofs_recognise(roofs))
        return cpu_roofs_read(out, memory, roofs, err);
    cpu_roofs_load(out, memory);
    return 0;
}

int roofline_open(struct roofline *out, struct arena *memory, const struct trace *t,
                  const char *roofs, struct error *err)
{
    struct cpu_roofs *cpu = arena_alloc(memory, sizeof *cpu);
    int rc = roofline_cpu_roofs(cpu, memory, roofs, err);
    if (rc != 0)
        return rc;
    roofline_fill(out, memory, t->sums, cpu);
    return roofline_gpu_open(out, memory, t, roofs && cpu_roofs_recognise(roofs) ? NULL : roofs,
                             err);
}
