#include "backends/usdt/probe.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "backends/usdt/events.h"

/* The offset in its file of the program's first instruction, which is not executed again. */
static bool entry_offset(uint64_t *out)
{
    char line[512];
    unsigned long start, end, offset, entry = getauxval(AT_ENTRY);
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && entry >= start &&
                entry < end;
    if (f)
        fclose(f);
    *out = found ? entry - start + offset : 0;
    return found;
}

/*
 * Opens a breakpoint on ourselves: only this shows whether we have the rights and whether the
 * kernel supports it.
 */
static int try_breakpoint(struct error *err)
{
    struct usdt_events *e;
    uint64_t offset;
    int rc = usdt_events_open(&e, perf_sys_current(), err);
    if (rc != 0)
        return rc;
    if (entry_offset(&offset))
        rc = usdt_events_add(e, &(struct usdt_place){.path = "/proc/self/exe", .offset = offset},
                             err);
    usdt_events_close(e);
    return rc;
}

void usdt_probe_capability(capability_sink sink, void *ctx)
{
    struct error err = ERROR_INIT;
    int rc = try_breakpoint(&err);
    sink(ctx, &(struct capability){
                  .id = "usdt.probes",
                  .label = "USDT probes of programs",
                  .state = rc == 0 ? CAPABILITY_YES : CAPABILITY_NO,
                  .why = rc == 0 ? "by breakpoints of the kernel (uprobe PMU): --usdt" : err.why,
                  .enable = rc != 0 && err.help[0] ? err.help : NULL,
              });
}
