#include "backends/processes/family.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/common/proc_file.h"
#include "backends/common/proc_parse.h"
#include "backends/processes/processes_impl.h"
#include "base/arena.h"

struct relation {
    pid_t pid, parent;
};

static size_t read_relations(const struct pid_listing *l, struct relation *out)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        char path[64], text[1024];
        struct pid_stat st;
        snprintf(path, sizeof path, "/proc/%d/stat", (int)l->pids[i]);
        ssize_t len = file_read(path, text, sizeof text);
        if (len > 0 && parse_pid_stat(text, (size_t)len, &st) == 0 && !st.kernel_thread)
            out[n++] = (struct relation){st.pid, st.ppid};
    }
    return n;
}

static bool is_target_pid(const struct target *t, pid_t pid)
{
    for (size_t i = 0; i < t->npids; i++)
        if (t->pids[i] == pid)
            return true;
    return false;
}

size_t family_add(struct target *t)
{
    struct pid_listing l;
    size_t left = 0, n = 0;
    struct relation *all = NULL;
    if (listing_open(&l) == 0 && listing_read(&l) == 0) {
        all = xcalloc(l.n + 1, sizeof *all);
        n = read_relations(&l, all);
    }
    /* the list grows in the loop: children, then their children */
    for (size_t i = 0; i < t->npids; i++)
        for (size_t k = 0; k < n; k++) {
            if (all[k].parent != t->pids[i] || is_target_pid(t, all[k].pid))
                continue;
            left += !target_add_pid(t, all[k].pid);
        }
    free(all);
    listing_close(&l);
    return left;
}
