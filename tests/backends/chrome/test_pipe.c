/* Reads traces from pipes like from files; reading from streams that never end can be given up. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/watch.h"
#include "engine/trace/trace.h"
#include "support/patience.h"
#include "support/test.h"

/* --- a thread that writes to the pipe --- */

struct text {
    const char *begin, *again; /* `again` is repeated without end; NULL: it is not */
    size_t nbegin, nagain;
};

struct writer {
    struct text text;
    int fd[2];
    char path[32];
    pthread_t thread;
};

static bool put(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        /* the reader has gone */
        if (done < 0)
            return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}

static void *run(void *arg)
{
    const struct writer *w = arg;
    bool on = put(w->fd[1], w->text.begin, w->text.nbegin);
    while (on && w->text.again)
        on = put(w->fd[1], w->text.again, w->text.nagain);
    close(w->fd[1]);
    return NULL;
}

static void start(struct writer *w, const struct text *t)
{
    w->text = *t;
    assert_int_equal(pipe2(w->fd, O_CLOEXEC), 0);
    snprintf(w->path, sizeof w->path, "/proc/self/fd/%d", w->fd[0]);
    assert_int_equal(pthread_create(&w->thread, NULL, run, w), 0);
}

static void end(struct writer *w)
{
    close(w->fd[0]);
    pthread_join(w->thread, NULL);
}

static struct text text_of(const char *begin, const char *again)
{
    return (struct text){begin, again, strlen(begin), again ? strlen(again) : 0};
}

/* --- what is read --- */

#define EVENT                                                                                      \
    "{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2},"                        \
    "{\"ph\":\"X\",\"name\":\"g\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":3}"
#define KERNELS                                                                                    \
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_"     \
    "Id\","                                                                                        \
    "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\"," \
    "\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\","    \
    "\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
#define KERNEL                                                                                     \
    "\"KERNEL_DISPATCH\",\"Agent 4\",1,0,7,1,1,\"k\",1,100,200,0,0,8,0,16,64,1,1,64,1,1\n"

static int open_it(const char *path, uint64_t *spans, struct error *err)
{
    struct trace t = {0};
    int rc = trace_open(&t, &path, 1, err);
    *spans = t.spans;
    trace_free(&t);
    return rc;
}

static void read_from_a_pipe(const char *bytes, size_t n, uint64_t spans)
{
    struct error err = ERROR_INIT;
    struct writer w;
    uint64_t seen;
    start(&w, &(struct text){bytes, NULL, n, 0});
    if (open_it(w.path, &seen, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    end(&w);
    assert_int_equal(seen, spans);
}

static size_t pack(const char *text, size_t n, char *out, size_t size)
{
    z_stream z = {.next_in = (Bytef *)text,
                  .avail_in = (uInt)n,
                  .next_out = (Bytef *)out,
                  .avail_out = (uInt)size};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return size - z.avail_out;
}

TEST(a_pipe_is_read_as_a_file_is)
{
    static char many[1 << 20], packed[1 << 20];
    read_from_a_pipe("{\"traceEvents\":[" EVENT "]}", sizeof "{\"traceEvents\":[" EVENT "]}" - 1,
                     2);
    read_from_a_pipe(KERNELS KERNEL, sizeof KERNELS KERNEL - 1, 1);
    size_t n = (size_t)snprintf(many, sizeof many, "{\"traceEvents\":[");
    for (int i = 0; i < 5000;
         i++) /* more than the recognition looks at, and more than fits into a pipe */
        n += (size_t)snprintf(many + n, sizeof many - n, "%s%s", i ? "," : "", EVENT);
    n += (size_t)snprintf(many + n, sizeof many - n, "]}");
    read_from_a_pipe(many, n, 10000);
    read_from_a_pipe(packed, pack(many, n, packed, sizeof packed), 10000);
}

TEST(what_cannot_be_streamed_is_refused)
{
    static const char *const texts[] = {"SQLite format 3", "hello", ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error err = ERROR_INIT;
        struct writer w;
        uint64_t spans;
        start(&w, &(struct text){texts[i], NULL, strlen(texts[i]) + 1, 0});
        assert_true(open_it(w.path, &spans, &err) < 0);
        end(&w);
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_non_null(strstr(err.why, "from a pipe only"));
        assert_non_null(strstr(err.help, "file"));
    }
}

/* --- streams without an end --- */

static void is_given_up(const char *path, const char *what)
{
    enum { MOST = 60, SOON = 8 };
    struct patience p = {.most = MOST};
    const struct watch w = {patience_lasts, &p}, *before = watch_set(&w);
    struct error err = ERROR_INIT;
    uint64_t spans;
    int rc = open_it(path, &spans, &err);
    watch_set(before);
    if (rc != -ECANCELED)
        fail_msg("%s: %d, %s", what, rc, err.why);
    if (p.looks > MOST + SOON)
        fail_msg("%s: %u looks after it was given up", what, p.looks - MOST);
}

TEST(streams_without_an_end_are_given_up)
{
    static char spaces[65536], quoted[65536], lines[65536];
    memset(spaces, ' ', sizeof spaces - 1);
    memset(quoted, 'a', sizeof quoted - 1);
    memset(lines, '\n', sizeof lines - 1);
    const struct {
        const char *what;
        struct text text;
    } endless[] = {
        {"events", text_of("{\"traceEvents\":[" EVENT, "," EVENT)},
        {"space", text_of("[" EVENT ",", spaces)},
        {"a string", text_of("[" EVENT ",{\"ph\":\"X\",\"name\":\"", quoted)},
        {"members", text_of("{\"traceEvents\":[" EVENT "],\"x\":[", "{\"a\":[[[1]]]},")},
        {"events of no use", text_of("[" EVENT, ",1,[],{}")},
        {"rows", text_of(KERNELS, KERNEL)},
        {"empty lines", text_of(KERNELS, lines)},
    };
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        struct writer w;
        start(&w, &endless[i].text);
        is_given_up(w.path, endless[i].what);
        end(&w);
    }
}

/* Endless gzip streams: of zeros, and of empty blocks. */
TEST(packed_streams_without_an_end_are_given_up)
{
    static char head[4096], zeros[65536], nothing[65535];
    static char text[] = "[" EVENT ",";
    static char space[1 << 20];
    static const unsigned char stored[5] = {0, 0, 0, 0xff, 0xff};
    memset(space, ' ', sizeof space);
    z_stream z = {.next_in = (Bytef *)text,
                  .avail_in = sizeof text - 1,
                  .next_out = (Bytef *)head,
                  .avail_out = sizeof head};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FULL_FLUSH), Z_OK);
    size_t nhead = sizeof head - z.avail_out;
    z.next_in = (Bytef *)space;
    z.avail_in = sizeof space;
    z.next_out = (Bytef *)zeros;
    z.avail_out = sizeof zeros;
    /* a full flush, after which the block can be repeated */
    assert_int_equal(deflate(&z, Z_FULL_FLUSH), Z_OK);
    size_t nzeros = sizeof zeros - z.avail_out;
    deflateEnd(&z);
    /* a stored block of no bytes */
    for (size_t i = 0; i + 5 <= sizeof nothing; i += 5)
        memcpy(nothing + i, stored, sizeof stored);
    const struct text endless[] = {{head, zeros, nhead, nzeros},
                                   {head, nothing, nhead, sizeof nothing}};
    for (size_t i = 0; i < 2; i++) {
        struct writer w;
        start(&w, &endless[i]);
        is_given_up(w.path, i ? "empty blocks" : "packed zeros");
        end(&w);
    }
}

TEST(a_pipe_that_says_nothing_is_given_up)
{
    char name[] = "/tmp/rooftop-pipe-XXXXXX", fifo[64];
    int fd[2];
    assert_non_null(mkdtemp(name));
    snprintf(fifo, sizeof fifo, "%s/p", name);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    is_given_up(fifo, "a pipe without a writer");
    unlink(fifo);
    rmdir(name);
    assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
    assert_true(put(fd[1], "[{\"ph\":", 7));
    snprintf(fifo, sizeof fifo, "/proc/self/fd/%d", fd[0]);
    is_given_up(fifo, "a writer that stops");
    close(fd[0]);
    close(fd[1]);
}

TEST(deep_and_long_things_are_refused)
{
    static char row[65536];
    memset(row, 'x', sizeof row - 1);
    const struct {
        struct text text;
        const char *why;
    } endless[] = {{text_of("[" EVENT ",", "["), "inside of each other"},
                   {text_of(KERNELS, row), "a row of more than"}};
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        struct error err = ERROR_INIT;
        struct writer w;
        uint64_t spans;
        start(&w, &endless[i].text);
        assert_true(open_it(w.path, &spans, &err) < 0);
        end(&w);
        if (!strstr(err.why, endless[i].why))
            fail_msg("%zu: '%s'", i, err.why);
    }
}

TEST(devices_and_terminals_are_refused)
{
    static const char *const paths[] = {"/dev/zero", "/dev/null"};
    static const char *const whys[] = {"from a pipe only", "nothing came from it"};
    for (size_t i = 0; i < 2; i++) {
        struct error err = ERROR_INIT;
        uint64_t spans;
        assert_true(open_it(paths[i], &spans, &err) < 0);
        assert_non_null(strstr(err.why, whys[i]));
    }
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    return tests_run(NULL, NULL);
}
