/*
 * Records the calls of an MPI program into the file of its rank. README.md says how it comes into
 * the program; format/mpi_record.h what it writes.
 *
 * A call costs two looks at the clock, one at the communicator's attribute, a lock that is free
 * unless threads call MPI at once, and 64 bytes. Nothing is allocated, but for requests that are
 * open at the same time beyond the most that there were before, and for new communicators.
 */
#include "mpi/record.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- the file --- */

enum { MAPPED = 1 << 20 }; /* bytes that are mapped at a time; a multiple of a record and a page */
static struct {
    pthread_mutex_t lock;
    struct mpi_record_header *header;
    struct mpi_record *records; /* of the part that is mapped; NULL: nothing is recorded */
    uint64_t from;              /* the part's place in the file */
    size_t n;
    int fd;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static uint64_t read_posix_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Room is taken before it is mapped: a full disk would otherwise end the program by SIGBUS. */
static void *map_record_part(uint64_t from, size_t bytes)
{
    if (from + bytes > MPI_RECORD_BYTES_MAX ||
        posix_fallocate(file.fd, (off_t)from, (off_t)bytes) != 0)
        return NULL;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, (off_t)from);
    return at == MAP_FAILED ? NULL : at;
}

static void map_next_part(void)
{
    munmap(file.records, MAPPED);
    file.from += MAPPED;
    file.n = 0;
    file.records = map_record_part(file.from, MAPPED);
}

void mpi_record_put(const struct mpi_record *r)
{
    static __thread uint32_t thread;
    if (!thread)
        thread = (uint32_t)syscall(SYS_gettid);
    pthread_mutex_lock(&file.lock);
    if (file.records && file.n == MAPPED / sizeof *r)
        map_next_part();
    if (file.records) {
        file.records[file.n] = *r;
        file.records[file.n++].thread = thread;
    } else if (file.header) {
        file.header->lost++;
    }
    pthread_mutex_unlock(&file.lock);
}

static void read_kernel_text(const char *path, char *out, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (fd >= 0)
        close(fd);
}

/* Processes of one boot and one time namespace have the same CLOCK_MONOTONIC. */
static void name_clock(char *out, size_t size)
{
    char boot[64], space[48] = "";
    read_kernel_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    const ssize_t n = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    snprintf(out, size, "%s %s", boot, space);
}

static void open_record_file(int rank, int ranks)
{
    const char *folder = getenv("ROOFTOP_RANK_FOLDER");
    char path[4096], library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    if (!folder || snprintf(path, sizeof path, "%s/" MPI_RECORD_FILE, folder) >= (int)sizeof path)
        return;
    file.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    struct mpi_record_header *h = file.fd < 0 ? NULL : map_record_part(0, MPI_RECORD_HEADER);
    if (!h)
        return;
    h->record_bytes = sizeof(struct mpi_record);
    h->rank = (uint32_t)rank;
    h->ranks = (uint32_t)ranks;
    h->pid = (uint64_t)getpid();
    h->unix_ns = read_posix_clock(CLOCK_REALTIME) - read_posix_clock(CLOCK_MONOTONIC);
    gethostname(h->host, sizeof h->host - 1);
    name_clock(h->clock, sizeof h->clock);
    PMPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    snprintf(h->library, sizeof h->library, "%.127s", library);
    read_kernel_text("/proc/self/comm", h->program, sizeof h->program);
    memcpy(h->magic, MPI_RECORD_MAGIC, sizeof MPI_RECORD_MAGIC);
    file.from = MPI_RECORD_HEADER;
    file.header = h;
    file.records = map_record_part(file.from, MAPPED);
}

void mpi_record_close(void)
{
    pthread_mutex_lock(&file.lock);
    if (file.header) {
        file.header->finalized = 1;
        if (file.records) {
            munmap(file.records, MAPPED);
            if (ftruncate(file.fd, (off_t)(file.from + file.n * sizeof(struct mpi_record))) != 0)
                file.header->finalized = 1; /* zeros stay at the end, which mean nothing */
        }
        munmap(file.header, MPI_RECORD_HEADER);
        close(file.fd);
    }
    file.records = NULL;
    file.header = NULL;
    pthread_mutex_unlock(&file.lock);
}

uint64_t mpi_record_now(void)
{
    return read_posix_clock(CLOCK_MONOTONIC);
}

void mpi_record_lose(void)
{
    pthread_mutex_lock(&file.lock);
    if (file.header)
        file.header->lost++;
    pthread_mutex_unlock(&file.lock);
}

/* --- a call --- */

static __thread int depth; /* calls of MPI that this thread is in */

/* The thread's polls that follow each other; a program that does other work in between, for longer
 * than the gap, does not wait. */
enum { POLL_GAP_NS = 100000 };
static __thread struct {
    uint64_t begin, end;     /* begin 0: there is none */
    struct mpi_record probe; /* that blocked last, if no receive has followed yet; what 0: none */
} polls;

static void end_polls(void)
{
    if (polls.probe.what)
        mpi_record_put(&polls.probe);
    polls.probe.what = 0;
    polls.begin = 0;
}

void mpi_record_polled(struct mpi_record *r)
{
    if (!r->what)
        return;
    if (polls.begin && r->begin - polls.end <= POLL_GAP_NS) {
        r->begin = polls.begin;
        polls.probe.what = 0;
    }
    end_polls();
}

void mpi_record_poll(struct mpi_record *r, bool blocked)
{
    if (!r->what)
        return;
    mpi_record_polled(r);
    r->end = read_posix_clock(CLOCK_MONOTONIC);
    polls.begin = r->begin;
    polls.end = r->end;
    if (blocked)
        polls.probe = *r;
    r->what = 0;
}

struct mpi_record mpi_record_begin(enum mpi_record_call call)
{
    struct mpi_record r = {.call = (uint8_t)call, .peer = -1, .tag = -1};
    if (depth++ == 0 && file.header) {
        r.what = MPI_RECORD_SPAN;
        r.begin = r.order = read_posix_clock(CLOCK_MONOTONIC);
    }
    return r;
}

int mpi_record_end(struct mpi_record *r, int rc)
{
    depth--;
    if (r->what) {
        end_polls();
        r->end = read_posix_clock(CLOCK_MONOTONIC);
        mpi_record_put(r);
    }
    return rc;
}

uint64_t mpi_record_bytes(int count, MPI_Datatype type)
{
    int size = 0;
    if (count <= 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

/* --- communicators --- */

struct communicator {
    uint64_t number;
    uint64_t collectives; /* called so far */
    int rank, ranks;
    struct {
        int *list, n, room;
    } epochs[EPOCHS]; /* of a window: the ranks of the one that is open */
};
static struct communicator world;
static int key = MPI_KEYVAL_INVALID, window_key = MPI_KEYVAL_INVALID;

static struct communicator *find_kept_communicator(MPI_Comm comm)
{
    void *at = NULL;
    int there = 0;
    if (comm == MPI_COMM_WORLD)
        return &world;
    if (comm == MPI_COMM_NULL || key == MPI_KEYVAL_INVALID ||
        PMPI_Comm_get_attr(comm, key, &at, &there) != MPI_SUCCESS)
        return NULL;
    return there ? at : NULL;
}

static int forget_communicator(MPI_Comm comm, int which, void *value, void *extra)
{
    (void)comm;
    (void)which;
    (void)extra;
    for (int i = 0; i < EPOCHS; i++)
        free(((struct communicator *)value)->epochs[i].list);
    free(value);
    return MPI_SUCCESS;
}

static struct communicator *find_kept_window(MPI_Win window)
{
    void *at = NULL;
    int there = 0;
    if (window == MPI_WIN_NULL || window_key == MPI_KEYVAL_INVALID ||
        PMPI_Win_get_attr(window, window_key, &at, &there) != MPI_SUCCESS)
        return NULL;
    return there ? at : NULL;
}

static int forget_window(MPI_Win window, int which, void *value, void *extra)
{
    (void)window;
    return forget_communicator(MPI_COMM_NULL, which, value, extra);
}

static void tell_member(const struct communicator *c)
{
    const uint64_t now = read_posix_clock(CLOCK_MONOTONIC);
    mpi_record_put(&(struct mpi_record){.begin = now,
                                        .end = now,
                                        .bytes = (uint64_t)c->ranks,
                                        .communicator = c->number,
                                        .peer = c->rank,
                                        .tag = -1,
                                        .what = MPI_RECORD_MEMBER});
}

/* The lists of ranks of which communicators were made, by their hashes. */
static struct {
    pthread_mutex_t lock;
    struct made {
        uint64_t hash, times;
    } * lists;
    size_t n, room;
} made = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* How many communicators of this list were made, with this one; 0: there is no memory to know it.
 */
static uint64_t count_communicators_of(uint64_t hash)
{
    uint64_t times = 0;
    size_t i = 0;
    pthread_mutex_lock(&made.lock);
    while (i < made.n && made.lists[i].hash != hash)
        i++;
    if (i == made.room) {
        struct made *more = realloc(made.lists, 2 * (made.room + 8) * sizeof *more);
        made.room = more ? 2 * (made.room + 8) : made.room;
        made.lists = more ? more : made.lists;
    }
    if (i < made.room) {
        made.lists[i].times = i < made.n ? made.lists[i].times : 0;
        made.lists[i].hash = hash;
        times = ++made.lists[i].times;
        made.n += i == made.n;
    }
    pthread_mutex_unlock(&made.lock);
    return times;
}

/* A hash of the members' ranks in the world; 0: one is of another world. */
static uint64_t hash_members(MPI_Comm comm, int n)
{
    MPI_Group its, all;
    uint64_t hash = 0;
    int *list = malloc(2 * (size_t)n * sizeof *list);
    if (!list)
        return 0;
    for (int i = 0; i < n; i++)
        list[i] = i;
    PMPI_Comm_group(comm, &its);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    bool known = PMPI_Group_translate_ranks(its, n, list, all, list + n) == MPI_SUCCESS;
    for (int i = n; i < 2 * n && known; i++) {
        hash = (hash ^ ((uint64_t)list[i] + 1)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
        known = list[i] != MPI_UNDEFINED;
    }
    PMPI_Group_free(&its);
    PMPI_Group_free(&all);
    free(list);
    return known ? hash : 0;
}

/* All members know the same number without a message, which a rank that records nothing would not
 * answer: the k-th communicator of these members, in this order, is the k-th for each of them.
 * NULL: it gets none. */
static struct communicator *number_communicator(MPI_Comm comm)
{
    struct communicator c = {0};
    int inter = 1;
    if (!file.header || comm == MPI_COMM_NULL ||
        PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter)
        return NULL;
    PMPI_Comm_rank(comm, &c.rank);
    PMPI_Comm_size(comm, &c.ranks);
    const uint64_t hash = hash_members(comm, c.ranks);
    const uint64_t times = hash ? count_communicators_of(hash) : 0;
    struct communicator *kept = times ? malloc(sizeof *kept) : NULL;
    if (!kept)
        return NULL;
    c.number = (hash | UINT64_C(1) << 63) >> MPI_RECORD_TIMES_BITS << MPI_RECORD_TIMES_BITS |
               (times & MPI_RECORD_TIMES);
    *kept = c;
    tell_member(kept);
    return kept;
}

void mpi_record_name(MPI_Comm comm)
{
    struct communicator *kept = number_communicator(comm);
    if (kept)
        PMPI_Comm_set_attr(comm, key, kept);
}

void mpi_record_name_window(MPI_Win window, MPI_Comm comm)
{
    struct communicator *kept = number_communicator(comm);
    if (kept)
        PMPI_Win_set_attr(window, window_key, kept);
}

void mpi_record_communicator(struct mpi_record *r, MPI_Comm comm)
{
    const struct communicator *c = r->what ? find_kept_communicator(comm) : NULL;
    if (c)
        r->communicator = c->number;
}

void mpi_record_window(struct mpi_record *r, MPI_Win window)
{
    const struct communicator *c = r->what ? find_kept_window(window) : NULL;
    if (c)
        r->communicator = c->number;
}

static void count_collective(struct mpi_record *r, struct communicator *c, int root, uint64_t bytes)
{
    if (!c)
        return;
    r->what |= MPI_RECORD_TOGETHER;
    r->communicator = c->number;
    r->order = c->collectives++;
    r->peer = root;
    r->bytes = bytes;
}

void mpi_record_together(struct mpi_record *r, MPI_Comm comm, int root, uint64_t bytes)
{
    count_collective(r, r->what ? find_kept_communicator(comm) : NULL, root, bytes);
}

void mpi_record_together_at(struct mpi_record *r, MPI_Win window)
{
    count_collective(r, r->what ? find_kept_window(window) : NULL, -1, 0);
}

void mpi_record_epoch(const struct mpi_record *r, MPI_Win window, enum epoch e, MPI_Group group)
{
    struct communicator *c = r->what ? find_kept_window(window) : NULL;
    MPI_Group all;
    int n = 0;
    if (!c || PMPI_Group_size(group, &n) != MPI_SUCCESS)
        return;
    if (n > c->epochs[e].room) {
        free(c->epochs[e].list);
        c->epochs[e].list = malloc(2 * (size_t)n * sizeof(int)); /* and their ranks in the group */
        c->epochs[e].room = c->epochs[e].list ? n : 0;
    }
    c->epochs[e].n = 0;
    if (n > c->epochs[e].room || PMPI_Win_get_group(window, &all) != MPI_SUCCESS)
        return;
    for (int i = 0; i < n; i++)
        c->epochs[e].list[n + i] = i;
    if (PMPI_Group_translate_ranks(group, n, c->epochs[e].list + n, all, c->epochs[e].list) ==
        MPI_SUCCESS)
        c->epochs[e].n = n;
    PMPI_Group_free(&all);
}

void mpi_record_tell_epoch(const struct mpi_record *r, MPI_Win window, enum epoch e,
                           enum mpi_record_tag tag, enum mpi_record_what what)
{
    const struct communicator *c = r->what ? find_kept_window(window) : NULL;
    struct mpi_record part = *r;
    part.what = (uint8_t)what;
    part.tag = (int32_t)tag;
    part.end = what == MPI_RECORD_SENT ? r->begin : read_posix_clock(CLOCK_MONOTONIC);
    for (int i = 0; c && i < c->epochs[e].n; i++) {
        part.peer = c->epochs[e].list[i];
        mpi_record_put(&part);
    }
}

static void begin_world(void)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
    world.number = MPI_RECORD_WORLD;
    open_record_file(world.rank, world.ranks);
    if (!file.header)
        return;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_communicator, &key, NULL);
    PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget_window, &window_key, NULL);
    tell_member(&world);
}

/* The record of MPI_Init is of its end only: the file is there from then on. */
void mpi_record_init(struct mpi_record *r, int rc)
{
    if (rc != MPI_SUCCESS || file.header)
        return;
    begin_world();
    r->what = file.header ? MPI_RECORD_SPAN : 0;
    r->begin = r->order = read_posix_clock(CLOCK_MONOTONIC);
}
