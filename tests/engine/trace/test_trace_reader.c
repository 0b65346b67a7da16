/* The reader of a file is found by its content, and the same bytes give the same trace as a file,
 * packed with gzip, through a pipe, and packed through a pipe. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/trace_text.h"
#include "support/test.h"

enum { LONG = 200000 /* more than is looked at first, and more than fits into a pipe */ };

#define EVENT "{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}"
#define CALLS "\"syscalls\":[{\"name\":\"read\",\"args\":[],\"result\":0,\"duration_us\":1}]"
#define KERNEL                                                                                     \
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\","              \
    "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"                   \
    "\"KERNEL_DISPATCH\",\"Agent 1\",1,9,1,1,\"k\",1,100,200\n"

/* What is compared of a trace. */
struct seen {
    int rc;
    uint32_t nodes;
    uint64_t spans, time;
    char why[1024];
};

static void open_path(struct seen *s, const char *path)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    memset(s, 0, sizeof *s);
    s->rc = trace_open(&t, &path, 1, &err);
    s->nodes = t.calls->nnodes;
    s->spans = t.spans;
    for (uint32_t i = 0; i < t.calls->nnodes; i++)
        s->time += t.calls->start[i] + t.calls->duration[i];
    if (s->rc != 0)
        snprintf(s->why, sizeof s->why, "%s; %s", err.why, err.help);
    trace_free(&t);
}

static void open_file(struct seen *s, const char *text, size_t n, bool packed)
{
    char path[64];
    trace_text_file(path, text, n, packed);
    open_path(s, path);
    unlink(path);
}

/* A child writes the file into a named pipe. */
static void open_pipe(struct seen *s, const char *text, size_t n, bool packed)
{
    char file[64], pipe[80], line[256];
    trace_text_file(file, text, n, packed);
    snprintf(pipe, sizeof pipe, "%s.pipe", file);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    snprintf(line, sizeof line, "exec cat %s >%s 2>/dev/null", file, pipe);
    pid_t child = fork();
    if (child == 0)
        _exit(execl("/bin/sh", "sh", "-c", line, (char *)NULL));
    open_path(s, pipe);
    assert_int_equal(waitpid(child, NULL, 0), child);
    unlink(pipe);
    unlink(file);
}

static void is_same(const struct seen *file, const struct seen *other, const char *how,
                    const char *text)
{
    if (file->rc != other->rc || file->spans != other->spans || file->nodes != other->nodes ||
        file->time != other->time || strcmp(file->why, other->why) != 0)
        fail_msg("%s: %d %d spans '%s', the file: %d %d spans '%s': %.200s", how, other->rc,
                 (int)other->spans, other->why, file->rc, (int)file->spans, file->why, text);
}

static struct seen open_in_all_ways(const char *text, size_t n)
{
    struct seen file, other;
    open_file(&file, text, n, false);
    open_file(&other, text, n, true);
    is_same(&file, &other, "packed", text);
    open_pipe(&other, text, n, false);
    is_same(&file, &other, "pipe", text);
    open_pipe(&other, text, n, true);
    is_same(&file, &other, "packed pipe", text);
    return file;
}

/* The text with a filler of LONG bytes in the place of "@", which stands in a string. */
static char *lengthen(const char *text, size_t *n)
{
    const char *at = strchr(text, '@');
    char *out = malloc(strlen(text) + LONG);
    memcpy(out, text, (size_t)(at - text));
    memset(out + (at - text), 'x', LONG);
    strcpy(out + (at - text) + LONG, at + 1);
    *n = strlen(out);
    return out;
}

TEST(members_may_stand_in_any_order)
{
    static const struct {
        const char *text;
        unsigned spans;
    } list[] = {
        {"{\"metadata\":{\"source\":\"@\"},\"traceEvents\":[" EVENT "]}", 1},
        {"{\"a\":\"@\",\"b\":[1,{\"traceEvents\":2}],\"traceEvents\":[" EVENT "," EVENT "]}", 2},
        {"\xef\xbb\xbf\n {\"traceEvents\":[" EVENT "],\"metadata\":\"@\"}", 1},
        {"[{},{\"name\":\"@\",\"args\":{},\"ph\":\"M\"}," EVENT "]", 1},
        {"{\"traceEvents\":[{\"name\":\"renacer-json-v1 @\",\"ph\":\"M\"}," EVENT "]}", 1},
        {"{\"format\":\"renacer-json-v1\",\"other\":\"@\"," CALLS "}", 1},
        {"{\"other\":\"@\"," CALLS ",\"format\":\"renacer-json-v1\"}", 1},
        {"{" CALLS ",\"other\":\"@\",\"format\":\"renacer-json-v1\",\"version\":\"1\"}", 1},
        {"{\"other\":\"@\",\"rocprofiler-sdk-tool\":[{\"buffer_records\":{\"hip_api\":[{\"thread_"
         "id\":1,"
         "\"start_timestamp\":1,\"end_timestamp\":2}]}}]}",
         1},
        {KERNEL "\"KERNEL_DISPATCH\",\"Agent 1\",1,9,2,1,\"k@\",2,300,400\n", 2},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        size_t n;
        char *text = lengthen(list[i].text, &n);
        struct seen s = open_in_all_ways(text, n);
        if (s.rc != 0 || s.spans != list[i].spans)
            fail_msg("%zu: %d, %d spans: %s", i, s.rc, (int)s.spans, s.why);
        free(text);
    }
}

/* What a user may well have instead is refused with the way to what can be read. */
TEST(other_files_of_profilers_tell_what_to_do)
{
    static const struct {
        const char *text, *help;
    } list[] = {
        {"NVIDIA Tegra Profiler Report 1.\n\vLocal (CLI)", "nsys export --type sqlite"},
        {"NVIDIA Tegra Profiler Report 2023@4", "nsys export --type sqlite"},
        {"SQLite format 3", "results.json"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct seen s;
        open_file(&s, list[i].text, strlen(list[i].text), false);
        if (s.rc == 0 || !strstr(s.why, list[i].help))
            fail_msg("%zu: %d: %s", i, s.rc, s.why);
    }
}

TEST(output_before_a_trace_of_calls)
{
    static const char text[] = "{\"said\":\"by the program\"}\n{ no JSON\n\n"
                               "{\"a\":1," CALLS ",\"format\":\"renacer-json-v1\"}\n";
    struct seen s = open_in_all_ways(text, sizeof text - 1);
    assert_int_equal(s.rc, 0);
    assert_int_equal(s.spans, 1);
}

TEST(what_is_not_read_is_refused_alike)
{
    static const struct {
        const char *text, *why;
    } list[] = {
        {"{\"nodes\":[{\"ph\":1}],\"a\":\"@\"}", "none of the formats"},
        {"[1,2,\"@\"]", "none of the formats"},
        {"{\"a\":\"@\",\"schema\":\"rooftop.tree/1\"}", "what rooftop printed (rooftop.tree/1)"},
        {"PK\003\004@", "it is a zip archive; unzip it"},
        {"\x28\xb5\x2f\xfd@", "it is packed with zstd; unpack it: zstd -d"},
        {"BZh9@", "it is packed with bzip2"},
        {"{\n  \"format\": \"rooftop-golden/1\",\n  \"name\": \"@\"}\n",
         "it is a golden trace; rooftop check golden NAME"},
        {"{\"schema\":\"rooftop.optimize/1\",\"source\":\"@\"}\n",
         "it is the log of an optimizer; rooftop --view optimize"},
        {"words, words @", "none of the formats"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        size_t n;
        char *text = lengthen(list[i].text, &n);
        struct seen s = open_in_all_ways(text, n);
        if (s.rc == 0 || !strstr(s.why, list[i].why))
            fail_msg("%zu: %d: %s", i, s.rc, s.why);
        free(text);
    }
}

/* Protobufs look alike: the name tells how one becomes a file that is read. */
TEST(protobufs_are_known_by_their_names)
{
    static const char *const list[][2] = {{".pftrace", "traceconv json"},
                                          {".perfetto-trace", "traceconv json"},
                                          {"host.xplane.pb", ".trace.json.gz"},
                                          {".pb", "none of the formats"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char file[64], path[128];
        struct seen s;
        trace_text_file(file, "\n\x03\x08\x01\x10\n\x02\x08\x02", 9, false);
        snprintf(path, sizeof path, "%s%s", file, list[i][0]);
        assert_int_equal(rename(file, path), 0);
        open_path(&s, path);
        unlink(path);
        if (s.rc == 0 || !strstr(s.why, list[i][1]))
            fail_msg("%s: %d: %s", path, s.rc, s.why);
    }
}

/* The message lists every format, and none is cut off. */
TEST(every_format_is_listed)
{
    struct seen s = open_in_all_ways("words", 5);
    for (size_t i = 0; readers[i]; i++)
        if (!strstr(s.why, readers[i]->summary))
            fail_msg("%s is not in: %s", readers[i]->summary, s.why);
}

/* Databases and recordings are read at any place of the file: neither from a pipe nor packed. */
TEST(a_database_must_be_a_file)
{
    static char bytes[LONG] = "SQLite format 3";
    struct seen s;
    open_file(&s, bytes, sizeof bytes, true);
    assert_non_null(strstr(s.why, "gzip"));
    assert_non_null(strstr(s.why, "unpack it first, with gunzip"));
    open_pipe(&s, bytes, sizeof bytes, false);
    assert_non_null(strstr(s.why, "write it to a file first"));
    open_pipe(&s, bytes, sizeof bytes, true);
    assert_non_null(strstr(s.why, "packed with gzip"));
    assert_non_null(strstr(s.why, "zcat FILE.gz | rooftop report -"));
}

TEST(a_session_and_an_empty_file_are_called_so)
{
    static const struct {
        char application[4];
        const char *says;
    } list[] = {
        {{'r', 'o', 'o', 'f'}, "it is a session of rooftop record; rooftop FILE shows it"},
        {{'r', 't', 'b', 'h'}, "it is the history of benchmarks; rooftop compare history --db"},
        {{'r', 't', 'r', 'p'}, "it is the history of replays; rooftop compare history --import"},
    };
    char bytes[4096] = "SQLite format 3";
    struct seen s;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        memcpy(bytes + 68, list[i].application, sizeof list[i].application);
        open_file(&s, bytes, sizeof bytes, false);
        assert_non_null(strstr(s.why, list[i].says));
    }
    open_file(&s, "", 0, false);
    assert_non_null(strstr(s.why, "it is empty"));
}

/* Files of CPU profilers are recognised by what they begin with; those that look alike are not. */
TEST(files_of_samples_are_recognised)
{
    static const struct {
        const char *text, *reader;
    } list[] = {
        /* as perf 6.1 prints them: with and without a CPU, of a thread, with -g, with a header */
        {"sandpile  1751 13289.335292:   10101010 cpu-clock:uhH:  559a3f21248b f+0x24b (/x)\n",
         "perf script"},
        {"# ========\n# captured on    : Mon\n#\nIsolated Web Co 17/18 [003] 5.335292:   1 cycles:"
         " \n\t559a3f21248b f+0x2 (/x)\n\n",
         "perf script"},
        {"main;run;step 120\nmain;run 3\nmain 1\n", "folded stacks"},
        {"std::vector<int, A>::at(unsigned long);operator new 7\n", "folded stacks"},
        {"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{"
         "\"frames\":[]},\"profiles\":[]}",
         "speedscope"},
        {"{\"version\":\"0.0.1\",\"shared\":{},\"$schema\":\"https://www.speedscope.app/"
         "file-format-schema.json\"}",
         "speedscope"},
        {"{\"libs\":[],\"threads\":[],\"meta\":{}}", "Firefox Profiler"},
        {"\n\4\10\1\20\2\n\4\10\3\20\4", "pprof"},
        {"\x48\7\x5a\4\10\1\20\2\n\4\10\3\20\4", "pprof"}, /* as Go writes it */
        {"PERFILE2h", "perf.data"},
    };
    static const char *const others[] = {
        "a word and a number 7\n", "a;b\n", "a;b 7\nno count\n", "1.5: 2\n", "x 1.5: y\n",
        "2026 1.x: y\n",           "a;b 7"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct error err = ERROR_INIT;
        char path[64];
        trace_text_file(path, list[i].text, strlen(list[i].text), false);
        const struct reader_ops *r = trace_reader(path, &err);
        unlink(path);
        if (!r || strcmp(r->name, list[i].reader) != 0)
            fail_msg("%zu: %s instead of %s", i, r ? r->name : err.why, list[i].reader);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct seen s;
        open_file(&s, others[i], strlen(others[i]), false);
        if (!strstr(s.why, "none of the formats"))
            fail_msg("%zu: %s", i, s.why);
    }
}

TEST(damaged_gzip_is_called_so)
{
    static const char text[] = "\x1f\x8b\x08\0\0\0\0\0\0\3garbage, of some length";
    struct seen s;
    open_file(&s, text, sizeof text - 1, false);
    assert_non_null(strstr(s.why, "damaged"));
    assert_non_null(strstr(s.why, "gzip -t"));
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    return tests_run(NULL, NULL);
}
