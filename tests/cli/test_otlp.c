/*
 * rooftop sends spans of traced programs, of programs with bricks and of profiles; what a collector
 * does not take waits, and rooftop export otlp sends it. (Forks: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "export/delivery/http.h"
#include "support/collector.h"
#include "support/otlp_read.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

static const char *const good[] = {ANSWER_200, NULL};
static const char parent[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

static int begin(void **state)
{
    const int rc = temp_folder_make(state);
    setenv("D", temp_folder, 1);
    setenv("XDG_STATE_HOME", temp_folder, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    setenv("TRACEPARENT", parent, 1);
    /* a program that is traced cannot be looked into for leaks */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    return rc;
}

static int end(void **state)
{
    unsetenv("TRACEPARENT");
    return temp_folder_remove(state);
}

static void needs_library(void)
{
    struct error err = ERROR_INIT;
    if (!http_available(ENDPOINT_GRPC, NULL, 0, &err))
        skip_because("sending spans: %s", err.why);
}

static void open_collector(struct collector *c, int port, const char *const *answers)
{
    char text[16];
    needs_library();
    collector_start(c, port, answers);
    snprintf(text, sizeof text, "%d", c->port);
    setenv("PORT", text, 1);
}

static void read_all(struct collector *c, struct read_spans *spans)
{
    collector_stop(c);
    for (size_t i = 0; i < c->n; i++)
        otlp_read(spans, c->list[i].body, c->list[i].n);
}

/* --- a traced program --- */

TEST_WITH(test_trace, begin, end)
{
    struct program p;
    struct collector c;
    struct read_spans s = {.n = 0};
    open_collector(&c, 0, good);
    program_expect(&p,
                   "$BIN trace -f -o $D/trace --otlp http://127.0.0.1:$PORT --otlp-wait 60 -- "
                   "sh -c 'sort </dev/null; echo $TRACEPARENT; exit 3'",
                   3);
    read_all(&c, &s);
    assert_int_equal(s.n, 2);
    const struct read_span *sort = otlp_named(&s, "sort");
    const struct read_span *sh = &s.list[sort == &s.list[0]];
    assert_string_equal(sh->trace, "0af7651916cd43dd8448eb211c80319c");
    assert_string_equal(sh->parent, "b7ad6b7169203331");
    assert_string_equal(sort->parent, sh->id);
    assert_true(sh->begin <= sort->begin && sort->end <= sh->end);
    assert_true(sh->begin > UINT64_C(1500000000000000000)); /* the time of day */
    otlp_has(sh->attrs, "process.exit.code=3");
    assert_int_equal(sh->status, 2);
    otlp_has(s.resource, "service.name=sh");
    char told[64];
    snprintf(told, sizeof told, "00-%s-%s-01\n", sh->trace, sh->id);
    assert_string_equal(p.out, told); /* what the program was told */
    program_free(&p);
    otlp_read_free(&s);
    collector_free(&c);
}

/* A span for each call that the trace has, each with its line's result. */
TEST_WITH(test_calls, begin, end)
{
    struct program p;
    struct collector c;
    struct read_spans s = {.n = 0};
    size_t calls = 0;
    open_collector(&c, 0, good);
    program_expect(&p,
                   "$BIN trace -o $D/trace --calls openat,close --otlp-syscalls --otlp "
                   "http://127.0.0.1:$PORT --otlp-wait 60 -- cat /none; grep -c ' = ' $D/trace",
                   0);
    read_all(&c, &s);
    for (size_t i = 0; i < s.n; i++)
        calls += strcmp(s.list[i].name, "openat") == 0 || strcmp(s.list[i].name, "close") == 0;
    assert_int_equal(calls, atoi(p.out));
    assert_int_equal(s.n, calls + 1);
    const struct read_span *failed = NULL;
    for (size_t i = 0; i < s.n; i++)
        if (strstr(s.list[i].attrs, "\"/none\""))
            failed = &s.list[i];
    assert_non_null(failed);
    otlp_has(failed->attrs, "error.type=ENOENT");
    program_free(&p);
    otlp_read_free(&s);
    collector_free(&c);
}

/* The collector is away: the program's status and output are as ever, its spans wait, and are sent
 * when it is back, by gRPC as by HTTP. */
static void waits_and_goes(const char *protocol, const char *const *answers, size_t prefix)
{
    struct program p;
    struct collector c;
    struct read_spans s = {.n = 0};
    char port[16];
    needs_library();
    const int free_port = collector_free_port();
    snprintf(port, sizeof port, "%d", free_port);
    setenv("PORT", port, 1);
    setenv("PROTOCOL", protocol, 1);
    program_expect(&p,
                   "$BIN trace -o $D/trace --otlp http://127.0.0.1:$PORT --otlp-protocol $PROTOCOL "
                   "--otlp-wait 0 -- sh -c 'echo hello; exit 4'",
                   4);
    assert_string_equal(p.out, "hello\n");
    assert_non_null(strstr(p.err, "1 span waits in "));
    program_free(&p);
    program_expect(&p, "$BIN otlp --dry-run && stat -c %a $D/rooftop/otlp/*.otlp", 0);
    program_sees(&p, "1 span in 1 message");
    program_sees(&p, "\n600\n");
    program_free(&p);
    program_expect(&p, "$BIN otlp --otlp-wait 0", 7); /* still away */
    assert_non_null(strstr(p.err, "0 spans were sent"));
    program_free(&p);
    open_collector(&c, free_port, answers);
    program_expect(&p, "$BIN otlp --otlp-wait 60 && ls $D/rooftop/otlp", 0);
    assert_string_equal(p.out, "");
    assert_non_null(strstr(p.err, "1 span was sent in 1 message"));
    program_free(&p);
    collector_stop(&c);
    assert_int_equal(c.n, 1);
    otlp_read(&s, c.list[0].body + prefix, c.list[0].n - prefix);
    otlp_has(s.list[0].attrs, "process.exit.code=4");
    otlp_read_free(&s);
    collector_free(&c);
}

TEST_WITH(test_away, begin, end)
{
    waits_and_goes("http/protobuf", good, 0);
}

TEST_WITH(test_away_grpc, begin, end)
{
    static const char *const answers[] = {"grpc 0", NULL};
    waits_and_goes("grpc", answers, 5);
}

TEST_WITH(test_damaged, begin, end)
{
    struct program p;
    struct collector c;
    open_collector(&c, 0, good);
    program_expect(&p,
                   "mkdir -p -m 700 $D/rooftop/otlp; printf 'rooftop-otlp 1\\nurl http://x\\n' "
                   ">$D/rooftop/otlp/00000000000000000001-0000001-00000001.otlp; $BIN otlp; "
                   "echo $?; ls $D/rooftop/otlp; $BIN otlp",
                   0);
    assert_string_equal(p.out, "7\n00000000000000000001-0000001-00000001.otlp.damaged\n");
    assert_non_null(strstr(p.err, "1 damaged files"));
    program_free(&p);
    collector_free(&c);
}

/* Keeps a span for a collector that is not there yet; its port becomes a variable. */
static int keep(const char *variable)
{
    char port[16];
    const int n = collector_free_port();
    snprintf(port, sizeof port, "%d", n);
    setenv(variable, port, 1);
    setenv("PORT", port, 1);
    program_answers("$BIN trace -o $D/trace --otlp http://127.0.0.1:$PORT --otlp-wait 0 -- true", 0,
                    "", "1 span waits in ");
    return n;
}

/* Headers are secrets of the collector that the environment names: no other one gets them, although
 * messages wait for it. */
TEST_WITH(test_secrets, begin, end)
{
    struct program p;
    struct collector c, other;
    needs_library();
    const int port = keep("A"), second = keep("B");
    collector_start(&c, port, good);
    collector_start(&other, second, good);
    setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret", 1);
    program_expect(&p, "$BIN otlp --otlp-wait 60", 7); /* for neither of them */
    assert_non_null(strstr(p.err, "0 spans were sent"));
    assert_null(strstr(p.err, "secret"));
    program_free(&p);
    program_expect(
        &p, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$A $BIN otlp --otlp-wait 60; echo $?", 0);
    assert_string_equal(p.out, "7\n");
    assert_non_null(strstr(p.err, "1 span was sent"));
    assert_non_null(strstr(p.err, "OTEL_EXPORTER_OTLP_HEADERS is meant for another collector"));
    program_free(&p);
    unsetenv("OTEL_EXPORTER_OTLP_HEADERS");
    program_answers("$BIN otlp --otlp-wait 60", 0, "", "");
    collector_stop(&c);
    collector_stop(&other);
    assert_int_equal(c.n, 1);
    assert_int_equal(other.n, 1);
    assert_non_null(strstr(c.list[0].head, "x-key: secret\r\n"));
    assert_null(strstr(other.list[0].head, "secret"));
    collector_free(&c);
    collector_free(&other);
}

/* A terminal shows that it is being sent, and to whom. */
TEST_WITH(test_progress, begin, end)
{
    static const char *const silent[] = {ANSWER_SILENT, NULL};
    struct collector c;
    struct pty p;
    char url[64];
    open_collector(&c, 0, silent);
    program_answers("$BIN trace -o $D/trace --otlp http://127.0.0.1:$PORT --otlp-wait 0 -- true", 0,
                    "", "1 span waits in ");
    snprintf(url, sizeof url, "http://127.0.0.1:%d", c.port);
    const char *const argv[] = {program_rooftop(), "export", "otlp", "--otlp", url,
                                "--otlp-wait",     "60",     NULL};
    assert_int_equal(pty_start(&p, &(struct pty_config){.argv = argv, .cols = 160}), 0);
    assert_true(pty_until_text(&p, "sending: 0 spans in 0 messages so far, to http://127.0.0.1:"));
    pty_keys(&p, "\x03");
    assert_true(pty_until_state(&p, PTY_GONE));
    assert_true(pty_until_no_text(&p, "sending: "));
    pty_end(&p);
    collector_stop(&c);
    collector_free(&c);
}

/* One collector refuses, another one never answers: the third gets its spans. */
TEST_WITH(test_each, begin, end)
{
    static const char *const wrong[] = {
        "HTTP/1.1 404 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", NULL};
    static const char *const silent[] = {ANSWER_SILENT, NULL};
    struct program p;
    struct collector a, b, c;
    needs_library();
    const int first = keep("A"), second = keep("B"), third = keep("C");
    collector_start(&a, first, wrong);
    collector_start(&b, second, silent);
    collector_start(&c, third, good);
    program_expect(&p,
                   "$BIN otlp --otlp-wait 600 & pid=$!; "
                   "while [ $(ls $D/rooftop/otlp | wc -l) != 2 ]; do sleep 0.02; done; "
                   "kill -TERM $pid; wait $pid; echo $?",
                   0);
    assert_string_equal(p.out, "7\n");
    assert_non_null(strstr(p.err, "1 span was sent"));
    assert_non_null(strstr(p.err, "HTTP status 404"));
    program_free(&p);
    collector_free(&a);
    collector_free(&b);
    collector_stop(&c);
    assert_int_equal(c.n, 1);
    collector_free(&c);
}

/* Spans that are rejected are gone: the status says so. */
TEST_WITH(test_rejected, begin, end)
{
    static const char *const part[] = {
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n"
        "content-length: 66\r\n\r\n"
        "{\"partialSuccess\":{\"rejectedSpans\":\"1\",\"errorMessage\":\"too old\"}}  ",
        NULL};
    struct collector c;
    needs_library();
    const int port = keep("A");
    open_collector(&c, port, part);
    program_answers("$BIN otlp --otlp-wait 60", 7, "", "1 span was refused: too old");
    program_answers("$BIN export --otlp http://127.0.0.1:$PORT --otlp-wait 60 "
                    "tests/data/chrome/kineto_cuda.json",
                    7, "", "1 span was refused: too old");
    collector_free(&c);
}

/* A server whose certificate nobody vouches for gets nothing, no header and no span. */
TEST_WITH(test_untrusted, begin, end)
{
    struct program p;
    char port[16];
    needs_library();
    program_run(&p, "command -v openssl && openssl req -x509 -newkey rsa:2048 -nodes -keyout "
                    "$D/key.pem -out $D/cert.pem -days 2 -subj /CN=localhost -addext "
                    "subjectAltName=IP:127.0.0.1");
    const bool has = p.status == 0;
    program_free(&p);
    if (!has)
        skip_because("certificates: openssl is not installed");
    snprintf(port, sizeof port, "%d", collector_free_port());
    setenv("PORT", port, 1);
    /* until the server listens, the connection is refused and tried again */
    static const char line[] =
        "timeout 50 openssl s_server -quiet -accept 127.0.0.1:$PORT -cert $D/cert.pem -key "
        "$D/key.pem >$D/got 2>$D/err </dev/zero & "
        "OTEL_EXPORTER_OTLP_HEADERS=x-key=secret $BIN trace -o $D/trace --otlp "
        "https://127.0.0.1:$PORT --otlp-wait 40 -- true; kill $!; wait $!; grep -ac x-key $D/got";
    program_run(&p, line);
    assert_string_equal(p.out, "0\n");
    assert_non_null(strstr(p.err, "certificate"));
    assert_non_null(strstr(p.err, "1 span waits in "));
    program_free(&p);
    char path[256];
    snprintf(path, sizeof path, "%s/cert.pem", temp_folder);
    setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", path, 1);
    /* It is the same server. It answers zeros at once, so a request may end before it was sent. */
    bool seen = false;
    for (int i = 0; i < 8 && !seen; i++) {
        program_run(&p, line);
        seen = strcmp(p.out, "1\n") == 0;
        program_free(&p);
    }
    unsetenv("OTEL_EXPORTER_OTLP_CERTIFICATE");
    assert_true(seen);
}

/* --- profiles --- */

/* A kernel is the child of the call that launched it; the file and the message have the same
 * spans. */
TEST_WITH(test_export, begin, end)
{
    struct program p;
    struct collector c;
    struct read_spans s = {.n = 0};
    unsetenv("TRACEPARENT");
    program_expect(&p, "$BIN export --format otlp tests/data/chrome/kineto_cuda.json", 0);
    char *text = strdup(p.out);
    program_free(&p);
    open_collector(&c, 0, good);
    program_expect(&p,
                   "$BIN export --otlp http://127.0.0.1:$PORT --otlp-wait 60 "
                   "tests/data/chrome/kineto_cuda.json",
                   0);
    assert_string_equal(p.out, "");
    read_all(&c, &s);
    const cJSON *span;
    size_t i = 0, launched = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        cJSON *doc = cJSON_Parse(line);
        const cJSON *rs = cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "resourceSpans"), 0);
        const cJSON *ss = cJSON_GetArrayItem(cJSON_GetObjectItem(rs, "scopeSpans"), 0);
        cJSON_ArrayForEach(span, cJSON_GetObjectItem(ss, "spans"))
        {
            assert_true(i < s.n);
            assert_string_equal(cJSON_GetObjectItem(span, "spanId")->valuestring, s.list[i].id);
            assert_string_equal(cJSON_GetObjectItem(span, "name")->valuestring, s.list[i].name);
            i++;
        }
        cJSON_Delete(doc);
    }
    assert_int_equal(i, s.n);
    for (size_t k = 0; k < s.n; k++) {
        if (!strstr(s.list[k].attrs, "rooftop.kind=kernel\n"))
            continue;
        size_t up = 0;
        while (up < s.n && strcmp(s.list[up].id, s.list[k].parent) != 0)
            up++;
        assert_true(up < s.n && s.list[up].begin <= s.list[k].begin);
        launched += strstr(s.list[up].attrs, "rooftop.kind=function\n") != NULL;
    }
    if (!launched)
        fail_msg("no kernel is below a call among %zu spans", s.n);
    free(text);
    program_free(&p);
    otlp_read_free(&s);
    collector_free(&c);
}

TEST_WITH(test_refused, begin, end)
{
    static const char *const bad[] = {
        "HTTP/1.1 400 Bad\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", NULL};
    struct collector c;
    open_collector(&c, 0, bad);
    program_answers("$BIN export --otlp http://127.0.0.1:$PORT --otlp-wait 60 "
                    "tests/data/chrome/kineto_cuda.json",
                    7, "", "spans were refused: it answers HTTP status 400");
    collector_free(&c);
}

/* Bad addresses and settings are refused before anything is started. */
TEST_WITH(test_usage, begin, end)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"--otlp localhost:4318", "it does not begin with http://"},
        {"--otlp env", "OTEL_EXPORTER_OTLP_ENDPOINT is not set"},
        {"--otlp http://h:99999", "its port is no number from 1 to 65535"},
        {"--otlp http://h:x/v1", "its port is no number from 1 to 65535"},
        {"--otlp http://[::1]:0", "its port is no number from 1 to 65535"},
        {"--otlp http://:4318", "it is no address of a collector"},
        {"--otlp 'http://a b'", "a character that addresses do not have"},
        {"--otlp http://me:secret@h:1", "a user name or a password"},
        {"--otlp http://h:1 --otlp-protocol http/xml", "--otlp-protocol"},
        {"--otlp http://h:1 --otlp-spool-size 1", "--otlp-spool-size"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        struct program p;
        snprintf(line, sizeof line, "$BIN trace %s -- touch $D/started", cases[i].line);
        program_expect(&p, line, 2);
        if (!strstr(p.err, cases[i].says))
            fail_msg("%s says %s", cases[i].line, p.err);
        program_free(&p);
    }
    struct program p;
    program_expect(&p,
                   "OTEL_EXPORTER_OTLP_HEADERS='a=b%0d%0ac: d' $BIN trace --otlp http://h:1 -- "
                   "touch $D/started; OTEL_EXPORTER_OTLP_TIMEOUT=-1 $BIN trace --otlp http://h:1 "
                   "-- touch $D/started; test ! -e $D/started",
                   0);
    assert_non_null(strstr(p.err, "an entry is no header of HTTP"));
    assert_non_null(strstr(p.err, "it is no number of milliseconds"));
    program_free(&p);
    /* a mistyped folder is no empty one, and is not made */
    program_answers("$BIN otlp --otlp-spool $D/none", 3, "", "No such file");
    program_answers("$BIN otlp --dry-run --otlp-spool $D/none; s=$?; test ! -e $D/none && exit $s",
                    3, "", "No such file");
    program_answers("$BIN trace --otlp-syscalls -- true", 2, "", "--otlp-syscalls needs --otlp");
}
