#include "backends/usdt/usdt_impl.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

/* If a loader on the command line starts the program, /proc/self/exe is that loader, and a
 * breakpoint at this offset would break all programs that use it. So the file's name is taken from
 * the mapping, and the file must be the mapped one. */
bool usdt_entry_place(char path[USDT_PATH], uint64_t *offset)
{
    char line[USDT_PATH + 128];
    unsigned long start, end, at, inode, entry = getauxval(AT_ENTRY);
    struct stat st;
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        int name = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%lx-%lx %*s %lx %*s %lu %n", &start, &end, &at, &inode, &name) < 4 ||
            entry < start || entry >= end)
            continue;
        snprintf(path, USDT_PATH, "%s", line + name);
        *offset = entry - start + at;
        found = stat(path, &st) == 0 && st.st_ino == inode;
        break;
    }
    if (f)
        fclose(f);
    return found;
}

/* Opens a breakpoint on ourselves: only this shows whether we have the rights and whether the
 * kernel supports it. */
static int try_breakpoint(struct error *err)
{
    struct usdt_events *e;
    char path[USDT_PATH];
    uint64_t offset;
    int rc = usdt_events_open(&e, perf_sys_current(), err);
    if (rc != 0)
        return rc;
    if (usdt_entry_place(path, &offset))
        rc = usdt_events_add(e, &(struct usdt_place){.path = path, .offset = offset}, err);
    usdt_events_close(e);
    return rc;
}

void usdt_probe_finding(probe_sink sink, void *ctx)
{
    struct error err = ERROR_INIT;
    int rc = try_breakpoint(&err);
    sink(ctx, &(struct probe_finding){
                  .id = "usdt.probes",
                  .label = "USDT probes of programs",
                  .state = rc == 0 ? PROBE_YES : PROBE_NO,
                  .why = rc == 0 ? "by breakpoints of the kernel (uprobe PMU): --usdt" : err.why,
                  .enable = rc != 0 && err.help[0] ? err.help : NULL,
              });
}
