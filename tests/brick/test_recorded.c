/* What librooftop writes about spans, compared with a model: nesting, dependencies, times; and
 * which files of other programs it removes. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/skip.h"
#include "support/test.h"

static struct brick_reader *read_ours(void)
{
    struct brick_reader *r;
    struct error err = ERROR_INIT;
    if (brick_reader_open(&r, rooftop_path(), &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_int_equal(brick_reader_poll(r, &err), 0);
    return r;
}

/* The record of a span; fails unless there is exactly one. */
static struct brick_record record_of(const struct brick_reader *r, uint64_t span)
{
    size_t n, found = 0;
    const struct brick_event *e = brick_reader_events(r, &n);
    struct brick_record record = {0};
    for (size_t i = 0; i < n; i++)
        if ((e[i].record.type & 15) == BRICK_SPAN && e[i].record.span == span) {
            record = e[i].record;
            found++;
        }
    assert_int_equal(found, 1);
    return record;
}

/* The path of a node: "b0/b3". */
static void path_of(const struct brick_reader *r, uint32_t node, char *out, size_t size)
{
    uint32_t n;
    const struct brick_node *nodes = brick_reader_nodes(r, &n);
    char below[512];
    out[0] = '\0';
    for (; node != BRICK_NONE; node = nodes[node].parent) {
        snprintf(below, sizeof below, "%s", out);
        snprintf(out, size, "%s%s%s", brick_reader_what(r, nodes[node].what)->name,
                 *below ? "/" : "", below);
    }
}

/* --- a random program and the model of what it did --- */

enum { KINDS = 5, DEEP = 9, DONE = 3000 };

struct open_span {
    rooftop_timer timer;
    char path[128];
};
struct done_span {
    uint64_t span, parent, elements, bytes, flops;
    char path[128];
};

static struct done_span done[DONE];
static unsigned ndone;
static uint32_t seed = 11;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void put_done(uint64_t span, uint64_t parent, const char *path)
{
    struct done_span *d = &done[ndone];
    *d = (struct done_span){.span = span,
                            .parent = parent,
                            .elements = ndone,
                            .bytes = ndone + 1000,
                            .flops = ndone + 2000};
    snprintf(d->path, sizeof d->path, "%s", path);
}

static void path_in(char out[128], const struct open_span *open, unsigned depth, unsigned kind)
{
    if (depth)
        snprintf(out, 128, "%s/b%u", open[depth - 1].path, kind);
    else
        snprintf(out, 128, "b%u", kind);
}

/* Stopping a span that is not the innermost one ends all spans inside it. */
static void stop_at(struct open_span *open, unsigned *depth, unsigned at)
{
    put_done(open[at].timer.span, at ? open[at - 1].timer.span : 0, open[at].path);
    const struct done_span *d = &done[ndone++];
    rooftop_stop_span(open[at].timer, d->elements, d->bytes, d->flops);
    *depth = at;
}

static rooftop_id id[KINDS];

static void run_at_random(void)
{
    struct open_span open[DEEP];
    unsigned depth = 0;
    for (unsigned k = 0; k < KINDS; k++) {
        char name[8];
        snprintf(name, sizeof name, "b%u", k);
        id[k] = rooftop_register(name, ROOFTOP_OTHER);
    }
    while (ndone < DONE) {
        unsigned what = below(8), kind = below(KINDS);
        char path[128];
        path_in(path, open, depth, kind);
        if (what < 4 && depth < DEEP) {
            open[depth].timer = rooftop_start_span(id[kind]);
            memcpy(open[depth++].path, path, sizeof path);
        } else if (what == 4) {
            put_done(0, depth ? open[depth - 1].timer.span : 0, path);
            struct done_span *d = &done[ndone++];
            d->span = rooftop_span(id[kind], 1, 2, d->elements, d->bytes, d->flops);
        } else if (depth) {
            stop_at(open, &depth, what == 5 ? below(depth) : depth - 1);
        }
    }
    while (depth)
        rooftop_stop(open[--depth].timer, 0);
}

/* The sums that the program itself can read. */
static void sums_are_those_of_the_model(void)
{
    rooftop_stats want[KINDS] = {0};
    for (unsigned i = 0; i < DONE; i++) {
        unsigned kind = (unsigned)(strrchr(done[i].path, 'b')[1] - '0');
        want[kind].count++;
        want[kind].elements += done[i].elements;
        want[kind].bytes += done[i].bytes;
        want[kind].flops += done[i].flops;
    }
    for (unsigned k = 0; k < KINDS; k++) {
        rooftop_stats is = rooftop_stats_of(id[k]);
        /* including spans that were open at the end */
        assert_in_range(is.count, want[k].count, want[k].count + DEEP);
        assert_int_equal(is.elements, want[k].elements);
        assert_int_equal(is.bytes, want[k].bytes);
        assert_int_equal(is.flops, want[k].flops);
        assert_true(is.min_ns <= is.max_ns && is.max_ns <= is.total_ns);
    }
}

TEST(every_span_says_what_it_was_in)
{
    run_at_random();
    sums_are_those_of_the_model();
    struct brick_reader *r = read_ours();
    for (unsigned i = 0; i < DONE; i++) {
        struct brick_record is = record_of(r, done[i].span);
        char path[512];
        path_of(r, is.node, path, sizeof path);
        if (strcmp(path, done[i].path) != 0)
            fail_msg("span %u is in %s, not %s", i, path, done[i].path);
        if (is.parent != done[i].parent)
            fail_msg("span %u (%s): another one is around it", i, path);
        assert_int_equal(is.elements, done[i].elements);
        assert_int_equal(is.bytes, done[i].bytes);
        assert_int_equal(is.flops, done[i].flops);
        assert_true(is.start <= is.end);
        assert_false(is.type & BRICK_RECORD_DEVICE);
    }
    brick_reader_close(r);
}

/* What the file says about its program. */
TEST(the_file_says_whose_it_is)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t wall = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    struct brick_reader *r = read_ours();
    const struct brick_header *h = brick_reader_header(r);
    assert_int_equal(h->pid, getpid());
    assert_int_equal(h->capacity, UINT64_C(128) << 20); /* as set by ROOFTOP_BRICKS_MIB */
    assert_int_equal(h->sync, rooftop_get_sync());
    assert_true(h->created_ns <= now && h->created_wall_ns <= wall);
    /* both clocks were read at the same time */
    uint64_t since = now - h->created_ns, since_wall = wall - h->created_wall_ns;
    uint64_t apart = since > since_wall ? since - since_wall : since_wall - since;
    assert_true(apart < UINT64_C(3600000000000));
    assert_string_equal(h->program, "test_recorded");
    brick_reader_close(r);
}

/* Deferred times count from when recording began, and are converted to the clock of all other
 * spans. */
TEST(deferred_times_count_from_the_beginning)
{
    rooftop_id late = rooftop_register("told later", ROOFTOP_OTHER);
    rooftop_record_deferred(late, 100, 350, 7);
    rooftop_finalize(0);
    struct brick_reader *r = read_ours();
    const struct brick_header *h = brick_reader_header(r);
    size_t n, found = 0;
    const struct brick_event *e = brick_reader_events(r, &n);
    assert_int_equal(h->epoch_ns, h->created_ns);
    for (size_t i = 0; i < n; i++) {
        char path[512];
        if ((e[i].record.type & 15) != BRICK_SPAN || e[i].record.elements != 7 ||
            e[i].record.end - e[i].record.start != 250)
            continue;
        path_of(r, e[i].record.node, path, sizeof path);
        if (strcmp(path, "told later") != 0)
            continue;
        assert_int_equal(e[i].record.start, h->created_ns + 100);
        found++;
    }
    assert_int_equal(found, 1);
    brick_reader_close(r);
}

/* A budget belongs to an id; setting one for an unknown id has no effect. */
TEST(budgets_are_of_their_id)
{
    rooftop_id with = rooftop_register("with a budget", ROOFTOP_OTHER);
    rooftop_id without = rooftop_register("without", ROOFTOP_OTHER);
    rooftop_budget(with, 1234);
    rooftop_budget(without + 1, 99);
    rooftop_budget((rooftop_id)0x7fffffff, 99);
    rooftop_span(with, 10, 20, 0, 0, 0);
    rooftop_span(without, 10, 20, 0, 0, 0);
    rooftop_id next = rooftop_register("the id after", ROOFTOP_OTHER);
    assert_int_equal(next, without + 1);
    rooftop_span(next, 10, 20, 0, 0, 0);
    static const struct {
        const char *name;
        uint64_t budget;
    } cases[] = {{"with a budget", 1234}, {"without", 0}, {"the id after", 0}};
    struct brick_reader *r = read_ours();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct brick_node *n = brick_file_node(r, cases[i].name);
        assert_non_null(n);
        assert_int_equal(brick_reader_what(r, n->what)->desc.budget_ns, cases[i].budget);
    }
    brick_reader_close(r);
}

TEST(the_same_code_is_kept_once)
{
    static const char code[] = "ptx of a kernel", other[] = "another";
    uint64_t a = rooftop_code(ROOFTOP_PTX, "k", "k.cu", code, sizeof code);
    assert_int_equal(rooftop_code(ROOFTOP_PTX, "k", "k.cu", code, sizeof code), a);
    assert_int_not_equal(rooftop_code(ROOFTOP_PTX, "o", "o.cu", other, sizeof other), a);
    struct brick_reader *r = read_ours();
    size_t size;
    uint32_t kind;
    const char *path;
    assert_int_equal(brick_reader_header(r)->ncodes, 2);
    char *text = brick_reader_code(r, a, &size, &kind, &path);
    assert_int_equal(size, sizeof code);
    assert_string_equal(text, code);
    assert_string_equal(path, "k.cu");
    free(text);
    brick_reader_close(r);
}

/* --- dependencies --- */

TEST(edges_lead_from_what_was_before)
{
    rooftop_id id = rooftop_register("step", ROOFTOP_OTHER);
    uint64_t a = rooftop_span(id, 10, 20, 0, 0, 0), b = rooftop_span(id, 30, 40, 0, 0, 0);
    uint64_t c = rooftop_span(id, 50, 60, 0, 0, 0);
    rooftop_depends(a, b);
    rooftop_joins(b, c);
    rooftop_depends(0, b); /* a span that was not recorded: no dependency */
    rooftop_depends(b, 0);
    struct brick_reader *r = read_ours();
    size_t n, edges = 0;
    const struct brick_event *e = brick_reader_events(r, &n);
    for (size_t i = 0; i < n; i++) {
        const struct brick_record *x = &e[i].record;
        if ((x->type & 15) != BRICK_EDGE)
            continue;
        bool join = x->type & BRICK_RECORD_JOIN;
        assert_true(join ? x->span == b && x->parent == c : x->span == a && x->parent == b);
        edges++;
    }
    assert_int_equal(edges, 2);
    brick_reader_close(r);
}

/* --- times, and amounts of work --- */

struct device {
    uint64_t clock, stamps[8];
    uint32_t n;
};

static int device_sync(void *c)
{
    (void)c;
    return 0;
}
static int device_record(void *c, uint32_t *event)
{
    struct device *d = c;
    d->clock += 1000;
    d->stamps[d->n] = d->clock;
    *event = ++d->n;
    return 0;
}
static int device_resolve(void *c, uint32_t event, uint64_t *ns)
{
    const struct device *d = c;
    *ns = d->stamps[event - 1];
    return 0;
}

TEST(work_is_kept_apart_in_every_mode)
{
    static const enum rooftop_sync modes[] = {ROOFTOP_IMMEDIATE, ROOFTOP_PER_LAYER,
                                              ROOFTOP_DEFERRED};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct device d = {.clock = 5000};
        char name[16];
        snprintf(name, sizeof name, "mode %zu", i);
        rooftop_id id = rooftop_register(name, ROOFTOP_OTHER);
        rooftop_set_device(&(rooftop_device){&d, device_sync, device_record, device_resolve});
        rooftop_set_sync(modes[i]);
        assert_int_equal(rooftop_get_sync(), modes[i]);
        rooftop_timer outer = rooftop_start_span(id), t = rooftop_start_span(id);
        rooftop_stop_span(t, 3, 5, 7);
        rooftop_stop_span(outer, 11, 13, 17);
        rooftop_finalize(0);
        rooftop_set_device(NULL);
        struct brick_reader *r = read_ours();
        struct brick_record in = record_of(r, t.span), out = record_of(r, outer.span);
        assert_true(in.type & BRICK_RECORD_DEVICE && out.type & BRICK_RECORD_DEVICE);
        /* the second and third event of the device */
        assert_true(in.start == 7000 && in.end == 8000);
        assert_true(out.start == 6000 && out.end == 9000);
        assert_true(in.elements == 3 && in.bytes == 5 && in.flops == 7);
        assert_true(out.elements == 11 && out.bytes == 13 && out.flops == 17);
        assert_true(in.parent == outer.span && out.parent == 0);
        brick_reader_close(r);
    }
    rooftop_set_sync(ROOFTOP_DEFERRED);
}

/* A span that is stopped before spans inside it has its device time from its own first event on. */
TEST(a_span_that_ends_too_early_has_its_own_time)
{
    struct device d = {.clock = 5000};
    rooftop_id id = rooftop_register("early", ROOFTOP_OTHER);
    rooftop_set_device(&(rooftop_device){&d, device_sync, device_record, device_resolve});
    rooftop_set_sync(ROOFTOP_DEFERRED);
    rooftop_timer around = rooftop_start_span(id), outer = rooftop_start_span(id);
    rooftop_start_span(id);
    rooftop_stop_span(outer, 1, 2, 3);
    rooftop_stop_span(around, 4, 5, 6);
    rooftop_finalize(0);
    rooftop_set_device(NULL);
    struct brick_reader *r = read_ours();
    struct brick_record is = record_of(r, outer.span), last = record_of(r, around.span);
    assert_true(is.type & BRICK_RECORD_DEVICE);
    assert_true(is.start == 7000 && is.end == 9000 && is.parent == around.span);
    assert_true(last.start == 6000 && last.end == 10000 && last.parent == 0);
    brick_reader_close(r);
}

TEST(a_mode_that_is_none_changes_nothing)
{
    rooftop_set_sync(ROOFTOP_PER_LAYER);
    rooftop_set_sync((enum rooftop_sync)99);
    rooftop_set_sync((enum rooftop_sync) - 1);
    assert_int_equal(rooftop_get_sync(), ROOFTOP_PER_LAYER);
    rooftop_id id = rooftop_register("still on", ROOFTOP_OTHER);
    rooftop_stop(rooftop_start(id), 1);
    assert_int_equal(rooftop_stats_of(id).count, 1);
    rooftop_set_sync(ROOFTOP_DEFERRED);
}

/* A missing shape counts as one thread; missing elements are not taken from another span. */
TEST(a_kernel_without_a_shape_is_one_thread)
{
    uint32_t grid[3] = {32, 2, 3};
    rooftop_id id = rooftop_kernel("shapeless", 7, NULL, NULL, 0),
               half = rooftop_kernel("half", 8, grid, NULL, 16);
    rooftop_span(id, 10, 20, 0, 0, 0);
    rooftop_span(half, 10, 20, 0, 0, 0);
    struct brick_reader *r = read_ours();
    const struct brick_node *a = brick_file_node(r, "shapeless"), *b = brick_file_node(r, "half");
    const struct brick_desc *x = &brick_reader_what(r, a->what)->desc,
                            *y = &brick_reader_what(r, b->what)->desc;
    for (int i = 0; i < 3; i++) {
        assert_true(x->grid[i] == 1 && x->block[i] == 1);
        assert_true(y->grid[i] == grid[i] && y->block[i] == 1);
    }
    assert_int_equal(y->shared_bytes, 16);
    brick_reader_close(r);
}

/* --- files of programs that have ended --- */

enum { STALE = 12, KEPT = 8 };

static pid_t ended_process(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    return pid;
}

static void make_old(const char *name, long age)
{
    char path[128];
    snprintf(path, sizeof path, "/dev/shm/%s", name);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    struct timespec times[2] = {{.tv_sec = 1000000000 - age}, {.tv_sec = 1000000000 - age}};
    if (fd < 0 || futimens(fd, times) != 0 || close(fd) != 0)
        _exit(3);
}

static bool is_there(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "/dev/shm/%s", name);
    return access(path, F_OK) == 0;
}

static bool put_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Makes a user namespace in which user and group keep their ids. */
static bool own_users(void)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(groups, sizeof groups, "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    return unshare(CLONE_NEWUSER) == 0 && put_text("/proc/self/uid_map", users) &&
           put_text("/proc/self/setgroups", "deny") && put_text("/proc/self/gid_map", groups);
}

static bool own_shm(void)
{
    return (geteuid() == 0 || own_users()) && unshare(CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("shm", "/dev/shm", "tmpfs", 0, NULL) == 0;
}

/* A program that ends removes its file, unless a folder was named to keep it in. */
static bool leaves_a_file(void)
{
    char name[64];
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        rooftop_stop(rooftop_start(rooftop_register("short", ROOFTOP_OTHER)), 0);
        exit(rooftop_path() && access(rooftop_path(), F_OK) == 0 ? 0 : 1);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        return true;
    snprintf(name, sizeof name, "rooftop-%d-0.bricks", (int)pid);
    return is_there(name);
}

/* Begins to record with a /dev/shm of its own. Returns 0 if all is right, 1 + the check that
 * failed, or 77 if it is not possible here. */
static int sweep_in_a_child(void)
{
    static const char *const not_ours[] = {"rooftop-%d-0.text", "rooftap-%d-0.bricks",
                                           "rooftop-x%d.bricks"};
    char name[64], live[64], others[64], stale[STALE][64];
    if (!own_shm())
        return 77;
    snprintf(live, sizeof live, "rooftop-%d-7.bricks", (int)getppid());
    make_old(live, 9999);
    for (int i = 0; i < STALE; i++) {
        snprintf(stale[i], sizeof stale[i], "rooftop-%d-0.bricks", (int)ended_process());
        /* the order of names differs from that of ages */
        make_old(stale[i], 10 * ((i * 5) % STALE));
    }
    pid_t gone = ended_process();
    for (size_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++) {
        snprintf(name, sizeof name, not_ours[i], (int)gone);
        make_old(name, 9999);
    }
    snprintf(others, sizeof others, "/dev/shm/rooftop-%d-0.bricks", (int)gone);
    make_old(others + strlen("/dev/shm/"), 9999);
    bool can_give = geteuid() == 0 && chown(others, 12345, 12345) == 0;
    unsetenv("ROOFTOP_BRICKS");
    if (leaves_a_file())
        return 6;
    rooftop_stop(rooftop_start(rooftop_register("begins", ROOFTOP_OTHER)), 0);
    if (!rooftop_path() || strncmp(rooftop_path(), "/dev/shm/", 9) != 0)
        return 2;
    if (!is_there(live) || (can_give && access(others, F_OK) != 0))
        return 3;
    for (size_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++) {
        snprintf(name, sizeof name, not_ours[i], (int)gone);
        if (!is_there(name))
            return 4;
    }
    for (int i = 0; i < STALE; i++)
        if (is_there(stale[i]) != ((i * 5) % STALE < KEPT))
            return 5;
    return 0;
}

/* The newest eight files of the user's own ended programs are kept; other files are not touched. */
TEST(files_of_ended_programs_are_swept)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(sweep_in_a_child());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip_because("files that ended programs left in /dev/shm: a /dev/shm of its own needs root "
                     "or user namespaces");
    assert_int_equal(WEXITSTATUS(status), 0);
}

BRICK_FOLDER_MAIN
