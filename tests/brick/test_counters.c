/*
 * Counters of the user's own program. Software events work everywhere, so the whole path is checked
 * with them against what the kernel says otherwise (getrusage); tests/platform/pmu checks counts of
 * hardware to the instruction. (Counts page faults, of which its shadow has more: not for TSan.)
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "brick/counter_page.h"
#include "rooftop/counters.h"
#include "support/skip.h"
#include "support/test.h"

enum { PAGES = 300, SLEEPS = 20 };

static rooftop_counters *group_or_skip(const char *events)
{
    rooftop_counters *g = rooftop_counters_open(events);
    assert_non_null(g);
    for (unsigned i = 0; i < rooftop_counters_n(g); i++)
        if (*rooftop_counters_why(g, i)) {
            static char why[256];
            snprintf(why, sizeof why, "%s: %s", rooftop_counters_name(g, i),
                     rooftop_counters_why(g, i));
            rooftop_counters_close(g);
            skip_because("%s", why);
        }
    return g;
}

static rooftop_counts reading(const rooftop_counters *g)
{
    rooftop_counts now;
    assert_int_equal(rooftop_counters_read(g, &now), 0);
    return now;
}

/* Touches n pages for the first time: a fault each. */
static void touch_pages(size_t n)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    char *at = mmap(NULL, n * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    madvise(at, n * size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < n; i++)
        ((volatile char *)at)[i * size] = 1;
    munmap(at, n * size);
}

static void sleep_often(int n)
{
    for (int i = 0; i < n; i++)
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

TEST(counts_are_those_of_the_kernel)
{
    rooftop_counters *g = group_or_skip("page-faults,context-switches,task-clock");
    struct rusage u, v;
    touch_pages(1);
    reading(g);
    getrusage(RUSAGE_THREAD, &u);
    rooftop_counts before = reading(g);
    touch_pages(PAGES);
    sleep_often(SLEEPS);
    rooftop_counts after = reading(g);
    getrusage(RUSAGE_THREAD, &v);
    rooftop_counts d = rooftop_counts_between(&before, &after);
    const uint64_t faults = (uint64_t)(v.ru_minflt - u.ru_minflt + v.ru_majflt - u.ru_majflt);
    assert_in_range(d.value[0], PAGES, faults); /* a page may be touched outside of the readings */
    assert_true(faults - d.value[0] < 20);
    assert_true(d.value[1] >= SLEEPS);
    assert_true(d.value[1] <= (uint64_t)(v.ru_nvcsw - u.ru_nvcsw + v.ru_nivcsw - u.ru_nivcsw));
    assert_true(d.value[2] > 0 && d.value[2] <= d.enabled_ns);
    assert_int_equal(d.enabled_ns, d.running_ns);
    assert_true(rooftop_counts_share(&d) == 1);
    assert_true(rooftop_counts_scaled(&d, 0) == (double)d.value[0]);
    assert_true(isnan(rooftop_counts_scaled(&d, ROOFTOP_COUNTERS_MAX)));
    rooftop_counters_close(g);
}

TEST(what_cannot_be_counted_says_why)
{
    rooftop_counters *g = rooftop_counters_open("page-faults,no-such-event,instructions,,r:u,x=1:");
    assert_non_null(g);
    assert_int_equal(rooftop_counters_n(g), 5);
    assert_string_equal(rooftop_counters_name(g, 1), "no-such-event");
    assert_string_equal(rooftop_counters_why(g, 1), "no event has this name here");
    assert_string_equal(rooftop_counters_name(g, 3), "r:u");
    assert_true(*rooftop_counters_why(g, 3) && *rooftop_counters_why(g, 4));
    assert_true(*rooftop_counters_why(g, 5));
    assert_string_equal(rooftop_counters_name(g, 5), "");
    rooftop_counts now;
    int rc = rooftop_counters_read(g, &now);
    if (*rooftop_counters_why(g, 0) == '\0') {
        assert_int_equal(rc, 0);
        touch_pages(PAGES);
        rooftop_counts then = reading(g);
        assert_true(then.value[0] >= now.value[0] + PAGES);
    }
    assert_int_equal(now.value[1], 0); /* an event that is not counted leaves its place empty */
    if (*rooftop_counters_why(g, 2))
        assert_non_null(strstr(rooftop_counters_why(g, 2), "P"));
    else
        assert_true(now.value[2] > 0);
    rooftop_counters_close(g);
    g = rooftop_counters_open("nothing");
    assert_int_equal(rooftop_counters_read(g, &now), -ENODATA);
    assert_int_equal(now.enabled_ns, 0);
    assert_true(rooftop_counts_share(&now) == 0);
    assert_true(isnan(rooftop_counts_scaled(&now, 0)));
    assert_false(rooftop_counters_fast(g));
    rooftop_counters_close(g);
    rooftop_counters_close(NULL);
}

TEST(names_and_numbers_are_the_same_event)
{
    /* 1:2 is PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS */
    rooftop_counters *g = group_or_skip("page-faults,faults=1:2,more=0x1:0x2:uk,faults:u");
    assert_string_equal(rooftop_counters_name(g, 1), "faults");
    assert_string_equal(rooftop_counters_name(g, 3), "faults:u");
    rooftop_counts before = reading(g);
    touch_pages(PAGES);
    rooftop_counts after = reading(g), d = rooftop_counts_between(&before, &after);
    assert_true(d.value[0] >= PAGES);
    assert_int_equal(d.value[1], d.value[0]);
    assert_int_equal(d.value[3], d.value[0]);
    assert_true(d.value[2] >= d.value[0]);
    rooftop_counters_close(g);
}

TEST(only_eight_are_taken)
{
    rooftop_counters *g =
        rooftop_counters_open("faults,faults,faults,faults,faults,faults,faults,faults,faults");
    assert_int_equal(rooftop_counters_n(g), ROOFTOP_COUNTERS_MAX);
    rooftop_counters_close(g);
}

struct other {
    rooftop_counters *group;
    pthread_barrier_t turn;
};

static void *count_and_wait(void *arg)
{
    struct other *o = arg;
    o->group = rooftop_counters_open("page-faults");
    pthread_barrier_wait(&o->turn); /* opened */
    pthread_barrier_wait(&o->turn); /* the other has read */
    touch_pages(PAGES);
    pthread_barrier_wait(&o->turn);
    pthread_barrier_wait(&o->turn);
    return NULL;
}

TEST(another_thread_reads_the_owner_s_counts)
{
    rooftop_counters_close(group_or_skip("page-faults"));
    struct other o;
    pthread_t thread;
    pthread_barrier_init(&o.turn, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, count_and_wait, &o), 0);
    pthread_barrier_wait(&o.turn);
    rooftop_counts before = reading(o.group);
    touch_pages(PAGES * 3); /* ours, not the thread's */
    pthread_barrier_wait(&o.turn);
    pthread_barrier_wait(&o.turn);
    rooftop_counts after = reading(o.group), d = rooftop_counts_between(&before, &after);
    pthread_barrier_wait(&o.turn);
    pthread_join(thread, NULL);
    assert_in_range(d.value[0], PAGES, PAGES * 2);
    rooftop_counters_close(o.group);
    pthread_barrier_destroy(&o.turn);
}

TEST(a_child_opens_a_group_of_its_own)
{
    rooftop_counters *g = group_or_skip("page-faults");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        rooftop_counts now;
        int rc = rooftop_counters_read(g, &now);
        rooftop_counters_close(g);
        rooftop_counters *own = rooftop_counters_open("page-faults");
        _exit(rc == -ECHILD && rooftop_counters_read(own, &now) == 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    rooftop_counts before = reading(g);
    touch_pages(PAGES);
    rooftop_counts after = reading(g);
    assert_true(after.value[0] - before.value[0] >= PAGES);
    rooftop_counters_close(g);
}

TEST(descriptors_of_the_program_keep_their_numbers)
{
    int before = open("/dev/null", O_RDONLY);
    close(before);
    rooftop_counters *g = group_or_skip("page-faults,task-clock");
    int after = open("/dev/null", O_RDONLY);
    close(after);
    rooftop_counters_close(g);
    assert_int_equal(after, before);
}

/* Descriptors of this process that count; returns how many, at most `most`. */
static int counting_descriptors(int *out, int most)
{
    int n = 0;
    for (int fd = 0; fd < 65536 && n < most; fd++) {
        char path[64], name[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, name, sizeof name - 1) > 0 && strstr(name, "[perf_event]"))
            out[n++] = fd;
    }
    return n;
}

/* A program that becomes a daemon closes all descriptors, and may get their numbers again. */
TEST(a_number_that_the_program_took_over_stays_open)
{
    int fds[4];
    rooftop_counters *g = group_or_skip("page-faults,task-clock");
    assert_int_equal(counting_descriptors(fds, 4), 2);
    const int own = open("/dev/null", O_RDONLY);
    assert_int_equal(dup2(own, fds[0]), fds[0]);
    rooftop_counters_close(g);
    assert_true(fcntl(fds[0], F_GETFD) >= 0);
    assert_int_equal(fcntl(fds[1], F_GETFD), -1);
    close(fds[0]);
    close(own);
    assert_int_equal(counting_descriptors(fds, 4), 0);
}

/* However many threads count, the program can open files. */
TEST(half_of_the_descriptors_are_the_program_s)
{
    enum { LIMIT = 256, GROUPS = 2 * LIMIT };
    rooftop_counters_close(group_or_skip("page-faults"));
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        struct rlimit limit;
        int refused = 0, open_files = 0;
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = LIMIT;
        setrlimit(RLIMIT_NOFILE, &limit);
        for (int i = 0; i < GROUPS; i++)
            refused += *rooftop_counters_why(rooftop_counters_open("page-faults"), 0) != 0;
        while (open("/dev/null", O_RDONLY) >= 0)
            open_files++;
        _exit(refused >= GROUPS - LIMIT / 2 && open_files > LIMIT / 4 ? 0 : 1);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static void *read_when_cancelled(void *arg)
{
    rooftop_counters *g = rooftop_counters_open("page-faults");
    pthread_cancel(pthread_self());
    rooftop_counts now;
    rooftop_counters_read(g, &now);
    *(bool *)arg = true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    rooftop_counters_close(g);
    return NULL;
}

/* The program's own points are enough: a reading may stand where it holds a lock. */
TEST(a_reading_is_no_point_of_cancellation)
{
    pthread_t thread;
    bool has_read = false;
    rooftop_counters_close(group_or_skip("page-faults"));
    assert_int_equal(pthread_create(&thread, NULL, read_when_cancelled, &has_read), 0);
    pthread_join(thread, NULL);
    assert_true(has_read);
}

/* A group can lose its registers between the reading of a count and that of the times: then these
 * stand still, and the next reading would have smaller ones. */
TEST(times_run_only_in_registers)
{
    struct perf_event_mmap_page page = {.time_enabled = 1000, .time_running = 500, .time_mult = 1};
    uint64_t enabled = 0, running = 0;
    assert_false(page_times(&page, &enabled, &running));
    page.index = 1;
    assert_true(page_times(&page, &enabled, &running));
    assert_true(enabled >= 1000);
    assert_int_equal(enabled - running, 500);
}

/* The formulas that linux/perf_event.h gives for struct perf_event_mmap_page, in numbers that do
 * not overflow, against those of the library, with pages made up here. */
TEST(registers_and_ticks_become_what_the_kernel_documents)
{
    static const struct {
        uint64_t value;
        unsigned width;
        int64_t is;
    } registers[] = {
        {0, 48, 0},
        {0x7fffffffffff, 48, 0x7fffffffffff},
        {0x800000000000, 48, -0x800000000000}, /* the sign is bit 47 */
        {0xffffffffffff, 48, -1},
        {0xabcd800000000001, 48, -0x7fffffffffff}, /* above the width nothing counts */
        {0xffffffff, 32, -1},
        {0xffffffff, 40, 0xffffffff},
        {0x8000000000000000, 64, INT64_MIN},
        {0x7fffffffffffffff, 64, INT64_MAX},
        {3, 2, -1},
    };
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        assert_true((int64_t)page_extended(registers[i].value, registers[i].width) ==
                    registers[i].is);
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        struct perf_event_mmap_page page = {.time_shift = (uint16_t)(random % 33),
                                            .time_mult = (uint32_t)(random >> 20),
                                            .time_offset = random >> 24};
        uint64_t ticks = random * 2654435761u >> 8;
        const __uint128_t quot = ticks >> page.time_shift;
        const __uint128_t rem = ticks - ((uint64_t)quot << page.time_shift);
        __uint128_t ns = quot * page.time_mult + (rem * page.time_mult >> page.time_shift);
        assert_true(page_since(&page, ticks) == (uint64_t)(ns + page.time_offset));
        /* which is ticks * mult >> shift, but for what the split rounds off: nothing */
        assert_true((uint64_t)ns ==
                    (uint64_t)((__uint128_t)ticks * page.time_mult >> page.time_shift));
    }
    /* a counter of ticks that wraps: only its lower bits are known, and they wrapped since */
    struct perf_event_mmap_page wraps = {
        .time_mult = 1, .time_cycles = 0xfffffff0, .time_mask = 0xffffffff};
    wraps.cap_user_time_short = 1;
    assert_true(page_since(&wraps, 0x10) == 0x100000010);
    assert_true(page_since(&wraps, 0xfffffff8) == 0xfffffff8);
}

/* No page of an event that is not in a register, or whose width makes no sense, reads one: x86-64's
 * instruction would end the program where the kernel does not allow it. */
TEST(a_register_is_read_only_where_the_page_names_one)
{
    struct perf_event_mmap_page page = {.pmc_width = 48};
    uint64_t value = 7;
    assert_false(page_read(&page, &value));
    page.index = 1;
    page.pmc_width = 0;
    assert_false(page_read(&page, &value));
    page.pmc_width = 65;
    assert_false(page_read(&page, &value));
    assert_int_equal(value, 7);
    assert_false(page_usable(&page));
    page.cap_user_rdpmc = 1;
    assert_false(page_usable(&page)); /* the times are needed, too */
}

TEST(parts_of_the_time_are_scaled)
{
    const rooftop_counts before = {1000, 500, {10, 20}}, after = {5000, 1500, {1010, 20}};
    rooftop_counts d = rooftop_counts_between(&before, &after);
    assert_true(rooftop_counts_share(&d) == 0.25);
    assert_true(rooftop_counts_scaled(&d, 0) == 4000);
    assert_true(rooftop_counts_scaled(&d, 1) == 0);
    const rooftop_counts never = {4000, 0, {0}};
    assert_true(isnan(rooftop_counts_scaled(&never, 0)));
}
