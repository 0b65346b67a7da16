#include "engine/roofline/roofs_watch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/roofline/roofline_open.h"

/* Identifies a file's content, because `rooftop lab roofs` replaces the file and other programs may
 * write into it. All 0: there is no file. */
struct file_state {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec changed, status;
};
struct roofs_watch {
    char *chosen;        /* the user's file; NULL: the one stored for this host */
    char path[PATH_MAX]; /* "": there is no state folder */
    struct file_state seen;
    struct cpu_roofs cpu; /* allocated from memory */
    struct arena memory;
};

static struct file_state read_file_state(const struct roofs_watch *w)
{
    struct stat st;
    if (!w->path[0] || stat(w->path, &st) != 0)
        return (struct file_state){.size = 0};
    return (struct file_state){st.st_dev, st.st_ino, st.st_size, st.st_mtim, st.st_ctim};
}

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_same_file_state(const struct file_state *a, const struct file_state *b)
{
    return a->device == b->device && a->number == b->number && a->size == b->size &&
           is_same_time(a->changed, b->changed) && is_same_time(a->status, b->status);
}

int roofs_watch_open(struct roofs_watch **out, const char *roofs, struct error *err)
{
    struct roofs_watch *w = xcalloc(1, sizeof *w);
    struct error none = ERROR_INIT;
    int rc = roofline_cpu_roofs(&w->cpu, &w->memory, roofs, err);
    if (rc != 0) {
        roofs_watch_close(w);
        return rc;
    }
    /* the file has only GPUs: the CPU's roofs are the stored ones */
    w->chosen = roofs && cpu_roofs_recognise(roofs) ? xstrdup(roofs) : NULL;
    if (w->chosen)
        snprintf(w->path, sizeof w->path, "%s", w->chosen);
    else if (!host_roofs_path(w->path, sizeof w->path, &none))
        w->path[0] = '\0';
    w->seen = read_file_state(w);
    *out = w;
    return 0;
}

static void read_again(struct roofs_watch *w)
{
    struct cpu_roofs cpu;
    struct arena memory = {.used = 0};
    struct error err = ERROR_INIT;
    int rc = 0;
    if (w->chosen)
        rc = cpu_roofs_read(&cpu, &memory, w->chosen, &err);
    else
        cpu_roofs_load(&cpu, &memory);
    if (rc != 0) {
        arena_free(&memory);
        return;
    }
    arena_free(&w->memory);
    w->memory = memory;
    w->cpu = cpu;
}

const struct cpu_roofs *roofs_watch_now(struct roofs_watch *w)
{
    const struct file_state now = read_file_state(w);
    if (!is_same_file_state(&now, &w->seen)) {
        w->seen = now;
        read_again(w);
    }
    return &w->cpu;
}

void roofs_watch_close(struct roofs_watch *w)
{
    if (!w)
        return;
    free(w->chosen);
    arena_free(&w->memory);
    free(w);
}
