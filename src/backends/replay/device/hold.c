#include "backends/replay/device/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"

#define FRESH                                                                                      \
    "addresses of a process differ from start to start: try again, or capture with the addresses " \
    "fixed (setarch -R)"

static void *pointer_to_hold(uint64_t address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* The first mapping of this process that overlaps; "something" where it is gone by now. */
static void who_is_there(const struct replay_range *r, char *out, size_t size)
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "re");
    snprintf(out, size, "something");
    while (f && fgets(line, sizeof line, f)) {
        unsigned long long begin = 0, end = 0;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &begin, &end, &at) < 2 || end <= r->base ||
            begin >= r->base + r->size)
            continue;
        snprintf(out, size, "%s at 0x%llx", at && line[at] ? line + at : "memory of rooftop's own",
                 begin);
        break;
    }
    if (f)
        fclose(f);
}

/* Holds a range; why becomes "" on success, else the reason. */
static bool hold_range(const struct replay_range *r, char why[REPLAY_WHY_BYTES])
{
    char who[128];
    const int protection = r->host ? PROT_READ | PROT_WRITE : PROT_NONE;
    void *at = mmap(pointer_to_hold(r->base), r->size, protection,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    why[0] = '\0';
    if (at == pointer_to_hold(r->base))
        return true;
    const int code = errno;
    if (at != MAP_FAILED) /* a kernel before 4.17 treats the address as a hint */
        munmap(at, r->size);
    if (at != MAP_FAILED || code == EEXIST) {
        who_is_there(r, who, sizeof who);
        snprintf(why, REPLAY_WHY_BYTES, "taken by %s", who);
    } else {
        snprintf(why, REPLAY_WHY_BYTES, "mmap: %s", strerror(code));
    }
    return false;
}

int replay_hold(struct replay_hold *h, const struct replay_plan *plan,
                char (*failed)[REPLAY_WHY_BYTES], struct replay_failure *f)
{
    char what[96], why[REPLAY_WHY_BYTES];
    *h = (struct replay_hold){plan, xcalloc(plan->n ? plan->n : 1, sizeof *h->held)};
    for (size_t i = 0; i < plan->n; i++) {
        const struct replay_range *r = &plan->ranges[i];
        h->held[i] = hold_range(r, failed ? failed[i] : why);
        if (h->held[i] || failed)
            continue;
        replay_hold_free(h);
        snprintf(what, sizeof what, "hold 0x%llx, %llu bytes", (unsigned long long)r->base,
                 (unsigned long long)r->size);
        f->again = true;
        return replay_fail(f, REPLAY_RELOCATED, FRESH, what, "%s", why);
    }
    return 0;
}

void replay_hold_release(struct replay_hold *h, size_t range)
{
    if (h->held[range])
        munmap(pointer_to_hold(h->plan->ranges[range].base), h->plan->ranges[range].size);
    h->held[range] = false;
}

void replay_hold_free(struct replay_hold *h)
{
    for (size_t i = 0; h->held && i < h->plan->n; i++)
        replay_hold_release(h, i);
    free(h->held);
    *h = (struct replay_hold){0};
}
