/* The plugin never touches the rank's folder, which may lie on a server: it writes into memory, and
 * this copies it. The memory has no name in a file system, so nothing is left of it. */
#include "backends/job/rank_collectives.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "backends/common/own_library.h"
#include "base/arena.h"
#include "base/env.h"
#include "engine/job/rank_summary.h"
#include "format/collectives.h"

#define PLUGIN_VARIABLE "NCCL_PROFILER_PLUGIN"
enum { NCCL_PATH_MOST = 254 }; /* NCCL cuts a longer one off: src/plugin/plugin_open.cc */

struct rank_collectives {
    int fd;
    struct collectives *memory, *copied;
};

static int make_collectives_memory(struct rank_collectives *c, struct error *err)
{
    void *m = MAP_FAILED;
    c->fd = -1;
    if (prctl(PR_GET_DUMPABLE) != 1 && geteuid() != 0)
        return error_set(err, ERROR_UNSUPPORTED, EPERM, "take the rights that setcap gave it away",
                         "collectives",
                         "programs may not open the memory of a rooftop that has more rights");
    c->fd = memfd_create("rooftop-collectives", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int rc = c->fd < 0 ? errno : posix_fallocate(c->fd, 0, sizeof *c->memory);
    if (rc == 0 && fcntl(c->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        rc = errno; /* the plugin must not fall from its end */
    if (rc == 0)
        m = mmap(NULL, sizeof *c->memory, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
    if (rc == 0 && m == MAP_FAILED)
        rc = errno;
    if (rc != 0)
        return error_set(err, ERROR_UNSUPPORTED, rc, NULL, "collectives", "%s", strerror(rc));
    c->memory = m;
    c->memory->header.magic = COLLECTIVES_MAGIC;
    c->memory->header.version = COLLECTIVES_VERSION;
    return 0;
}

/* Another rooftop job around this one has put our plugin there, which is no choice of the user. */
static int find_collectives_plugin(char path[PATH_MAX], struct error *err)
{
    static const struct own_library library = {
        .name = "librooftop-nccl.so",
        .variable = "ROOFTOP_NCCL_LIBRARY",
        .what = "collectives",
        .help = "make install puts it there; ROOFTOP_NCCL_LIBRARY names another place",
    };
    const char *chosen = env_get(PLUGIN_VARIABLE);
    const int rc = own_library_find(&library, path, err);
    if (chosen && (rc != 0 || strcmp(chosen, path) != 0))
        return error_set(err, ERROR_UNSUPPORTED, EBUSY,
                         "unset it, and name that plugin by " COLLECTIVES_NEXT
                         ": ours hands on to it",
                         "collectives", PLUGIN_VARIABLE " is set");
    if (rc == 0 && strlen(path) > NCCL_PATH_MOST)
        return error_set(err, ERROR_UNSUPPORTED, ENAMETOOLONG,
                         "install rooftop, or name a link to it by ROOFTOP_NCCL_LIBRARY",
                         "collectives", "NCCL opens no plugin whose path has more than %d bytes",
                         NCCL_PATH_MOST);
    return rc;
}

static struct rank_collectives *make_rank_collectives(char plugin[PATH_MAX], struct error *err)
{
    struct rank_collectives *c = xcalloc(1, sizeof *c);
    int rc = make_collectives_memory(c, err);
    if (rc == 0)
        rc = find_collectives_plugin(plugin, err);
    if (rc == 0) {
        c->copied = xcalloc(1, sizeof *c->copied);
        return c;
    }
    rank_collectives_free(c);
    return NULL;
}

struct rank_collectives *rank_collectives_new(struct error *err)
{
    char plugin[PATH_MAX], memory[64];
    struct rank_collectives *c = make_rank_collectives(plugin, err);
    if (!c)
        return NULL;
    snprintf(memory, sizeof memory, "/proc/%d/fd/%d", (int)getpid(), c->fd);
    env_put(COLLECTIVES_VARIABLE, memory);
    env_put(PLUGIN_VARIABLE, plugin);
    return c;
}

bool rank_collectives_probe(char plugin[PATH_MAX], struct error *err)
{
    struct rank_collectives *c = make_rank_collectives(plugin, err);
    rank_collectives_free(c);
    return c != NULL;
}

void rank_collectives_free(struct rank_collectives *c)
{
    if (!c)
        return;
    if (c->memory)
        munmap(c->memory, sizeof *c->memory);
    if (c->fd >= 0)
        close(c->fd);
    free(c->copied);
    free(c);
}

/* --- the copy --- */

enum { SLOT = sizeof(struct collectives_call), SLOT_WORDS = SLOT / sizeof(uint64_t) };
_Static_assert(sizeof(struct collectives_group) == SLOT, "both tables have slots of one size");

/* Takes a slot over if it is whole and has changed. Its first word is its serial. */
static bool take_changed_slot(const void *from, void *to)
{
    const uint64_t *words = from;
    uint64_t now[SLOT_WORDS];
    now[0] = __atomic_load_n(&words[0], __ATOMIC_ACQUIRE);
    for (size_t i = 1; i < SLOT_WORDS; i++)
        now[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (now[0] == 0 || __atomic_load_n(&words[0], __ATOMIC_RELAXED) != now[0] ||
        memcmp(to, now, sizeof now) == 0)
        return false;
    memcpy(to, now, sizeof now);
    return true;
}

/* Whether all was written. */
static bool write_collectives_part(const struct rank_collectives *c, int fd, const void *from,
                                   size_t size)
{
    const off_t at = (const char *)from - (const char *)c->copied;
    return pwrite(fd, from, size, at) == (ssize_t)size;
}

/* Writes each run of slots that have changed. A run that cannot be written is forgotten, so that it
 * counts as changed the next time. */
static bool write_changed_slots(struct rank_collectives *c, int fd, const void *live, void *copied,
                                uint64_t n)
{
    bool good = true;
    for (uint64_t i = 0, end; i < n; i = end + 1) {
        for (end = i; end < n; end++)
            if (!take_changed_slot((const char *)live + end * SLOT, (char *)copied + end * SLOT))
                break;
        char *from = (char *)copied + i * SLOT;
        if (end == i || write_collectives_part(c, fd, from, (end - i) * SLOT))
            continue;
        memset(from, 0, (end - i) * SLOT);
        good = false;
    }
    return good;
}

static uint64_t least_number(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The header goes last: what it counts is in the file by then. */
static bool write_collectives(struct rank_collectives *c, int fd)
{
    struct collectives_header now;
    memcpy(&now, &c->memory->header, sizeof now);
    now.calls = __atomic_load_n(&c->memory->header.calls, __ATOMIC_ACQUIRE);
    now.seen = env_now_ns();
    now.seen_wall = env_wall_ns();
    const bool good = write_changed_slots(c, fd, c->memory->groups, c->copied->groups,
                                          least_number(now.groups, COLLECTIVES_GROUPS)) &&
                      write_changed_slots(c, fd, c->memory->calls, c->copied->calls,
                                          least_number(now.calls, COLLECTIVES_CALLS));
    c->copied->header = now;
    return good && write_collectives_part(c, fd, &c->copied->header, sizeof now);
}

int rank_collectives_copy(struct rank_collectives *c, const char *folder)
{
    char path[4200];
    if (!c || __atomic_load_n(&c->memory->header.pid, __ATOMIC_RELAXED) == 0)
        return 0;
    snprintf(path, sizeof path, "%s/" RANK_COLLECTIVES, folder);
    const int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    errno = ENOSPC; /* what was written in part tells no reason */
    int rc = write_collectives(c, fd) ? 0 : -errno;
    if (close(fd) != 0 && rc == 0) /* other hosts see it from now on */
        rc = -errno;
    return rc;
}
