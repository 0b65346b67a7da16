/* The file in shared memory: made on first use, replaced after a fork, removed at the end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "brick/internal.h"

enum { CAPACITY_MIB = 256, CAPACITY_MAX_MIB = 65536, STALE_KEPT = 8, STALE_SEEN = 256, NAMES = 64 };

PUBLIC int rooftop_on = 1;
struct brick_file brick_file;
pthread_mutex_t brick_lock = PTHREAD_MUTEX_INITIALIZER;
/* file of the process that forked us: its names are copied */
static struct brick_header *inherited;
static uint64_t inherited_size;

static struct brick_header *refuse_file(const char *what, int code)
{
    snprintf(brick_file.error, sizeof brick_file.error, "%.100s: %s", what,
             code ? strerror(code) : "recording is off");
    STORE(rooftop_on, 0);
    return NULL;
}

/* Reads field 22 of /proc/self/stat; the name in () may contain anything, so parse after the last
 * parenthesis. */
static uint64_t own_start_ticks(void)
{
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

/*
 * Removes files of this user's ended processes, except the newest, which may show why they ended.
 */
static void remove_stale_files(void)
{
    struct stale {
        char name[NAMES];
        time_t when;
    } *seen = calloc(STALE_SEEN, sizeof *seen);
    size_t n = 0;
    DIR *dir = seen ? opendir(BRICK_FOLDER) : NULL;
    for (struct dirent *e = dir ? readdir(dir) : NULL; e && n < STALE_SEEN; e = readdir(dir)) {
        struct stat st;
        int pid;
        if (sscanf(e->d_name, BRICK_PREFIX "%d-", &pid) != 1 || strlen(e->d_name) >= NAMES ||
            !strstr(e->d_name, BRICK_SUFFIX) || kill(pid, 0) == 0 || errno != ESRCH ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_uid != geteuid())
            continue;
        strcpy(seen[n].name, e->d_name);
        seen[n++].when = st.st_mtime;
    }
    for (; dir && n > STALE_KEPT; n--) {
        size_t oldest = 0;
        for (size_t i = 1; i < n; i++)
            if (seen[i].when < seen[oldest].when)
                oldest = i;
        unlinkat(dirfd(dir), seen[oldest].name, 0);
        seen[oldest] = seen[n - 1];
    }
    if (dir)
        closedir(dir);
    free(seen);
}

/*
 * Creates a new file. Its number distinguishes the programs that one process runs in turn (exec).
 */
static int make_file(const char *folder)
{
    for (int i = 0; i < 1000; i++) {
        snprintf(brick_file.path, sizeof brick_file.path,
                 "%.250s/" BRICK_PREFIX "%d-%d" BRICK_SUFFIX, folder, (int)getpid(), i);
        int fd = open(brick_file.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static uint64_t choose_file_capacity(void)
{
    const char *asked = secure_getenv("ROOFTOP_BRICKS_MIB");
    unsigned long mib = asked ? strtoul(asked, NULL, 10) : CAPACITY_MIB;
    if (mib < 2 || mib > CAPACITY_MAX_MIB)
        mib = CAPACITY_MIB;
    uint64_t bytes = (uint64_t)mib << 20;
    struct rlimit limit; /* exceeding it raises a signal */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes)
        bytes = limit.rlim_cur & ~UINT64_C(4095);
    return bytes;
}

static void fill_file_header(struct brick_header *h, uint64_t size)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    h->version = BRICK_VERSION;
    h->header_size = sizeof *h;
    h->pid = (uint32_t)getpid();
    h->start_ticks = own_start_ticks();
    h->created_ns = clock_ns();
    h->created_wall_ns = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
    STORE(h->epoch_ns, h->created_ns);
    h->capacity = size;
    STORE(h->sync, (uint32_t)LOAD(brick_sync));
    STORE(h->device, brick_has_device);
    ssize_t n = readlink("/proc/self/exe", h->exe, sizeof h->exe - 1);
    h->exe[n > 0 ? n : 0] = '\0';
    snprintf(h->program, sizeof h->program, "%.63s", program_invocation_short_name);
}

enum {
    TABLES = sizeof(struct brick_header) + BRICK_THREADS * sizeof(uint64_t) +
             BRICK_DESCS * sizeof(struct brick_desc) + BRICK_STRINGS +
             BRICK_CODES * sizeof(struct brick_code)
};

static void lay_out_file(struct brick_header *h)
{
    h->threads = sizeof *h;
    h->descs = h->threads + BRICK_THREADS * sizeof(uint64_t);
    h->strings = h->descs + BRICK_DESCS * sizeof(struct brick_desc);
    h->codes = h->strings + BRICK_STRINGS;
    STORE(h->used, (uint64_t)(TABLES + 63) & ~UINT64_C(63));
    if (!inherited) {
        brick_names_begin(h);
        return;
    }
    /* Ids that were given out before the fork stay valid in the child. */
    STORE(h->ndescs, LOAD_ACQUIRE(inherited->ndescs));
    STORE(h->strings_used, LOAD_ACQUIRE(inherited->strings_used));
    memcpy((char *)h + h->descs, (char *)inherited + inherited->descs,
           h->ndescs * sizeof(struct brick_desc));
    memcpy((char *)h + h->strings, (char *)inherited + inherited->strings, h->strings_used);
    munmap(inherited, inherited_size);
    inherited = NULL;
}

static void end_brick_file(void)
{
    if (!brick_file.header)
        return;
    STORE_RELEASE(brick_file.header->state, BRICK_ENDED);
    if (!brick_file.keep)
        unlink(brick_file.path);
}

static void before_fork(void)
{
    pthread_mutex_lock(&brick_lock);
}
static void in_parent(void)
{
    pthread_mutex_unlock(&brick_lock);
}
static void in_child(void)
{
    if (brick_file.header) {
        inherited = brick_file.header;
        inherited_size = inherited->capacity;
        brick_file.header = NULL;
        brick_file.tried = false;
    }
    brick_recorders_forget();
    pthread_mutex_unlock(&brick_lock);
}

__attribute__((destructor)) static void finish_file(void)
{
    end_brick_file();
}

/* Later threads do not read it, because the program may change its environment meanwhile. */
static void read_counters(void)
{
    const char *asked = secure_getenv("ROOFTOP_BRICK_COUNTERS");
    free(brick_file.counters);
    brick_file.counters = asked ? strdup(asked) : NULL;
}

struct brick_header *brick_open_locked(void)
{
    static bool registered;
    if (brick_file.header || brick_file.tried)
        return brick_file.header;
    brick_file.tried = true;
    const char *where = secure_getenv("ROOFTOP_BRICKS");
    if (where && (strcmp(where, "off") == 0 || strcmp(where, "0") == 0))
        return refuse_file("ROOFTOP_BRICKS", 0);
    bool own_folder = where && where[0] == '/';
    uint64_t size = choose_file_capacity();
    if (!own_folder)
        remove_stale_files();
    int fd = make_file(own_folder ? where : BRICK_FOLDER);
    if (fd < 0)
        return refuse_file(brick_file.path, errno);
    void *map = MAP_FAILED;
    int rc = ftruncate(fd, (off_t)size) != 0 ? errno : posix_fallocate(fd, 0, TABLES);
    if (rc == 0) {
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        rc = map == MAP_FAILED ? errno : 0;
    }
    close(fd);
    if (rc != 0) {
        unlink(brick_file.path);
        return refuse_file(brick_file.path, rc);
    }
    brick_file.keep = own_folder;
    read_counters();
    struct brick_header *h = map;
    fill_file_header(h, size);
    lay_out_file(h);
    STORE(h->state, BRICK_RUNNING);
    STORE_RELEASE(h->magic, BRICK_MAGIC);
    if (!registered)
        pthread_atfork(before_fork, in_parent, in_child);
    registered = true;
    STORE_RELEASE(brick_file.header, h);
    return h;
}

struct brick_header *brick_open(void)
{
    struct brick_header *h = LOAD_ACQUIRE(brick_file.header);
    if (h)
        return h;
    const struct brick_aside aside = brick_step_aside();
    pthread_mutex_lock(&brick_lock);
    h = brick_open_locked();
    pthread_mutex_unlock(&brick_lock);
    brick_step_back(&aside);
    return h;
}

/* Reserves space in the file system before it is touched: a page without space would raise SIGBUS.
 * Opens the path each time: a program that becomes a daemon may close a kept descriptor, whose
 * number may then be another file. */
uint64_t brick_alloc(uint64_t size)
{
    struct brick_header *h = brick_file.header;
    uint64_t at = LOAD(h->used), end = at + ((size + 63) & ~UINT64_C(63));
    struct stat st;
    if (end > h->capacity || end < at)
        return 0;
    int fd = open(brick_file.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return 0;
    bool ok = fstat(fd, &st) == 0 && (uint64_t)st.st_size == h->capacity &&
              posix_fallocate(fd, (off_t)at, (off_t)(end - at)) == 0;
    close(fd);
    if (!ok)
        return 0;
    STORE(h->used, end);
    return at;
}

PUBLIC const char *rooftop_path(void)
{
    return brick_open() ? brick_file.path : "";
}

PUBLIC const char *rooftop_error(void)
{
    brick_open();
    return brick_file.error;
}

PUBLIC uint64_t rooftop_dropped(void)
{
    struct brick_header *h = brick_open();
    return h ? LOAD(h->dropped_names) + LOAD(h->dropped_nodes) + LOAD(h->dropped_threads) : 0;
}
