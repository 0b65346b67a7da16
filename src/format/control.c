#include "format/control.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owner.h"

static const char magic[8] = "rtopcapt";

static struct control *map_control(int fd, int flags)
{
    struct control *c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, flags, fd, 0);
    return c == MAP_FAILED ? NULL : c;
}

static void begin_control(struct control *c)
{
    memcpy(c->magic, magic, sizeof magic);
    c->version = CONTROL_VERSION;
    c->size = sizeof *c;
}

struct control *control_create(const char *path)
{
    struct control *c = NULL;
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return NULL;
    /* reserves the space now: a full disk later would raise SIGBUS */
    const int code = posix_fallocate(fd, 0, sizeof *c);
    if (code == 0)
        c = map_control(fd, MAP_SHARED);
    const int failure = code ? code : errno;
    close(fd);
    if (!c) {
        unlink(path);
        errno = failure;
        return NULL;
    }
    begin_control(c);
    return c;
}

struct control *control_map(const char *path, char *why, size_t size)
{
    struct stat st = {0};
    struct control *c = NULL;
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    const bool known = fd >= 0 && fstat(fd, &st) == 0;
    /* The page names the folder for files, so it must belong to our user. */
    const char *refused = known ? owner_rule(&st, geteuid(), OWNER_NOBODY) : NULL;
    const bool whole = known && S_ISREG(st.st_mode) && st.st_size == (off_t)sizeof *c;
    if (whole && !refused)
        c = map_control(fd, MAP_SHARED);
    if (!c) {
        const char *reason = refused;
        if (!reason)
            reason = known && !whole ? "it is of another version of rooftop" : strerror(errno);
        snprintf(why, size, "%.200s: %s", path, reason);
    }
    if (fd >= 0)
        close(fd);
    if (c && (memcmp(c->magic, magic, sizeof magic) != 0 || c->version != CONTROL_VERSION ||
              c->size != sizeof *c)) {
        snprintf(why, size, "%.200s: it is of another version of rooftop", path);
        control_unmap(c);
        return NULL;
    }
    return c;
}

struct control *control_private(void)
{
    struct control *c = map_control(-1, MAP_PRIVATE | MAP_ANONYMOUS);
    if (c)
        begin_control(c);
    return c;
}

void control_unmap(struct control *c)
{
    if (c)
        munmap(c, sizeof *c);
}

uint32_t control_set(struct control *c, const struct control_request *r)
{
    atomic_fetch_add(&c->sequence, 1);
    atomic_thread_fence(memory_order_seq_cst);
    c->request = *r;
    return (atomic_fetch_add(&c->sequence, 1) + 1) / 2;
}

bool control_get(const struct control *c, struct control_request *r, uint32_t *number)
{
    for (int tries = 0; tries < 1000; tries++) {
        const uint32_t before = atomic_load(&c->sequence);
        if (before % 2 == 0) {
            *r = c->request;
            atomic_thread_fence(memory_order_seq_cst);
            if (atomic_load(&c->sequence) == before) {
                r->pattern[sizeof r->pattern - 1] = r->folder[sizeof r->folder - 1] = '\0';
                *number = before / 2;
                return true;
            }
        }
        sched_yield();
    }
    return false;
}

/*
 * Whether the row is this kernel's. Names that were cut are compared by their demangled form only.
 */
static bool is_kernel_row(struct control_kernel *row, const char *mangled, const char *name)
{
    /* Another process is filling the row: this takes two copies of names, unless it was killed
     * meanwhile. */
    for (int tries = 0; tries < 1000 && atomic_load(&row->state) == CONTROL_CLAIMED; tries++)
        sched_yield();
    return strcmp(row->mangled, strlen(mangled) < CONTROL_MANGLED ? mangled : "") == 0 &&
           strncmp(row->name, name, CONTROL_NAME - 1) == 0;
}

struct control_kernel *control_kernel_row(struct control *c, const char *mangled, const char *name)
{
    for (int i = 0; i < CONTROL_KERNELS; i++) {
        struct control_kernel *row = &c->kernels[i];
        uint32_t state = CONTROL_FREE;
        if (atomic_compare_exchange_strong(&row->state, &state, CONTROL_CLAIMED)) {
            snprintf(row->name, sizeof row->name, "%s", name);
            if (strlen(mangled) < sizeof row->mangled)
                memcpy(row->mangled, mangled, strlen(mangled) + 1);
            atomic_store(&row->state, CONTROL_READY);
            return row;
        }
        if (is_kernel_row(row, mangled, name))
            return row;
    }
    atomic_fetch_add(&c->other_kernels, 1);
    return NULL;
}

struct control_result *control_result_row(struct control *c)
{
    const uint32_t i = atomic_fetch_add(&c->nresults, 1);
    if (i >= CONTROL_RESULTS)
        return NULL;
    atomic_store(&c->results[i].state, CONTROL_CLAIMED);
    return &c->results[i];
}

void control_say(struct control *c, const char *message)
{
    snprintf(c->message, sizeof c->message, "%s", message);
    atomic_fetch_add(&c->said, 1);
}
