/*
 * An endpoint of chat completions: its answers are taken, its errors said, and the key goes nowhere
 * but into the header.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/temporary.h"
#include "engine/optimize/proposer.h"
#include "engine/value/text_file.h"
#include "support/collector.h"
#include "support/skip.h"
#include "support/test.h"

#define OK(json)   "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" json
#define CHAT(text) OK("{\"choices\":[{\"message\":{\"content\":\"" text "\"}}]}")
#define KEY        "sk-secret-of-the-test"

static char folder[64];
static const struct harness harness = {.function = "f"};

static struct proposal_request request_of(double limit_s)
{
    return (struct proposal_request){.number = 1,
                                     .path = "f.c",
                                     .text = "int f;\n",
                                     .n = 7,
                                     .original = "int f;\n",
                                     .n_original = 7,
                                     .function = "f",
                                     .build = "cc",
                                     .harness = &harness,
                                     .min_gain = 0.02,
                                     .folder = folder,
                                     .limit_s = limit_s};
}

/* Asks at a port, with a model. */
static int ask_at(int port, double limit_s, struct proposal_answer *out, struct error *err)
{
    char spec[128];
    struct proposer p;
    const struct proposal_request r = request_of(limit_s);
    snprintf(spec, sizeof spec, "openai:http://127.0.0.1:%d/v1/#model-7", port);
    *err = (struct error)ERROR_INIT;
    *out = (struct proposal_answer){.kind = PROPOSAL_NONE};
    if (proposer_open(&p, spec, err) == -ENOTSUP)
        skip_because("there is no libcurl");
    assert_non_null(p.ops);
    const int rc = p.ops->ask(p.state, &r, out, err);
    proposer_close(&p);
    return rc;
}

static char *kept(const char *name)
{
    char path[128], *text = NULL;
    size_t n = 0;
    struct error err = ERROR_INIT;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(text_file_read_most(&text, &n, path, 16 << 20, &err), 0);
    return text;
}

FIXTURE_STATUS(begin)
{
    snprintf(folder, sizeof folder, "/tmp/rooftop-test-XXXXXX");
    env_put("OPENAI_API_KEY", KEY);
    return mkdtemp(folder) ? 0 : -1;
}

FIXTURE(end)
{
    temporary_remove_folder(folder);
}

TEST_WITH(answers_are_taken, begin, end)
{
    static const struct {
        enum proposal_kind kind;
        const char *text, *note;
    } wanted[] = {
        {PROPOSAL_FILE, "int g;\n", "Use g & be faster."},
        {PROPOSAL_FILE, "int h;\n", ""},
        {PROPOSAL_DIFF, "--- a/f.c\n+++ b/f.c\n", ""},
        {PROPOSAL_NONE, NULL, ""},
        {PROPOSAL_FILE, "the longer one\n", "two"},
        {PROPOSAL_FILE, "int a;\n", "Here it is:"},
        {PROPOSAL_FILE, "    int b;\n", "1. Do this:"},
        {PROPOSAL_FILE, "int c;", "Take"},
        {PROPOSAL_FILE, "int d; // as ``` was said\nint e;", "Take"},
        {PROPOSAL_FILE, "int i;\n", ""},
        {PROPOSAL_FILE, "the key is *********************", ""},
    };
    const char *const answers[] = {
        CHAT("Use g & be faster.\\n```c\\nint g;\\n```\\nThat is all.\\n"),
        CHAT("int h;\\n"),
        CHAT("```diff\\n--- a/f.c\\n+++ b/f.c\\n```"),
        CHAT(" \\n"),
        CHAT("two\\n```\\none\\n```\\n```\\nthe longer one\\n```\\n"),
        CHAT("Here it is: ```c\\nint a;\\n```\\n"),
        CHAT("1. Do this:\\n    ```c\\n    int b;\\n    ```\\n"),
        CHAT("Take ```int c;``` as it is."),
        CHAT("Take ```c\\nint d; // as ``` was said\\nint e;```\\nThat is all."),
        CHAT("````c\\nint i;\\n````\\n"),
        CHAT("the key is " KEY),
        NULL};
    struct collector c;
    collector_start(&c, 0, answers);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct proposal_answer out;
        struct error err;
        if (ask_at(c.port, 60, &out, &err) != 0)
            fail_msg("answer %zu: %s: %s", i, err.what, err.why);
        assert_int_equal(out.kind, wanted[i].kind);
        if (wanted[i].text) {
            assert_string_equal(out.text, wanted[i].text);
            assert_int_equal(out.n, strlen(out.text));
        } else {
            assert_null(out.text);
        }
        assert_string_equal(out.note, wanted[i].note);
        free(out.text);
    }
    char *question = kept("question.json"), *answer = kept("answer.json");
    assert_non_null(strstr(question, "model-7"));
    assert_null(strstr(question, KEY));
    assert_non_null(strstr(answer, "the key is"));
    assert_null(strstr(answer, KEY));
    collector_stop(&c);
    assert_non_null(strstr(c.list[0].head, "POST /v1/chat/completions HTTP/1.1"));
    assert_non_null(strstr(c.list[0].head, "authorization: Bearer " KEY));
    assert_int_equal(c.list[0].n, strlen(question));
    free(question);
    free(answer);
    collector_free(&c);
}

/* What is on this host is not asked through a proxy, which would get the key. */
TEST_WITH(no_proxy_gets_the_key, begin, end)
{
    const char *const answers[] = {CHAT("int h;\\n"), NULL};
    struct collector c, proxy;
    struct proposal_answer out;
    struct error err;
    char address[64];
    collector_start(&c, 0, answers);
    collector_start(&proxy, 0, answers);
    snprintf(address, sizeof address, "http://127.0.0.1:%d", proxy.port);
    env_put("http_proxy", address);
    const int rc = ask_at(c.port, 60, &out, &err);
    env_put("http_proxy", NULL);
    if (rc != 0)
        fail_msg("%s: %s", err.what, err.why);
    free(out.text);
    collector_stop(&proxy);
    collector_stop(&c);
    assert_int_equal(proxy.n, 0);
    assert_int_equal(c.n, 1);
    collector_free(&proxy);
    collector_free(&c);
}

/* A body of 9 MiB. */
static char *huge(void)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
    const size_t n = 9 << 20;
    char *text = malloc(sizeof head + n);
    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, ' ', n);
    text[sizeof head - 1 + n] = '\0';
    return text;
}

TEST_WITH(errors_are_said, begin, end)
{
    char *large = huge();
    const char *const answers[] = {
        "HTTP/1.1 500 Broken\r\nconnection: close\r\n\r\n{\"error\":{\"message\":\"no " KEY "\"}}",
        "HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: http://127.0.0.1:1/\r\n\r\n",
        ANSWER_CUT,
        ANSWER_NONE,
        large,
        OK("{\"choices\":[]}"),
        OK("no JSON"),
        OK("{\"choices\":[{\"finish_reason\":\"length\",\"message\":{\"content\":\"int\"}}]}"),
        ANSWER_SILENT,
        NULL};
    static const char *const why[] = {"HTTP status 500: no *****",
                                      "it sends elsewhere",
                                      "",
                                      "",
                                      "more than 8 MiB",
                                      "no chat completion",
                                      "no chat completion",
                                      "tokens ended",
                                      ""};
    struct collector c;
    collector_start(&c, 0, answers);
    for (size_t i = 0; i < sizeof why / sizeof *why; i++) {
        struct proposal_answer out;
        struct error err;
        const double limit_s = answers[i + 1] ? 60 : 0.3;
        assert_int_equal(ask_at(c.port, limit_s, &out, &err), -EIO);
        assert_null(out.text);
        assert_int_equal(err.kind, ERROR_TARGET);
        if (!strstr(err.why, why[i]))
            fail_msg("answer %zu: %s, not %s", i, err.why, why[i]);
        assert_null(strstr(err.why, KEY));
    }
    collector_stop(&c);
    collector_free(&c);
    free(large);
}

TEST_WITH(addresses_that_are_refused, begin, end)
{
    static const char *const specs[] = {
        "openai:",
        "openai:ftp://host/v1",
        "openai:https:///v1",
        "openai:https://user:password@host/v1",
        "openai:https://host/v1?key=x",
        "openai:https://host/a b",
        "openai:http://example.com/v1", /* the key would be readable on the way */
        "openai:http://127.0.0.1.example.com/v1",
        "openai:http://localhost.example.com/v1",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct proposer p;
        struct error err = ERROR_INIT;
        if (proposer_open(&p, specs[i], &err) != -EINVAL)
            fail_msg("%s is taken", specs[i]);
        assert_null(p.ops);
        assert_null(strstr(err.why, "password"));
    }
    env_put("OPENAI_API_KEY", "two\r\nlines: of a header");
    struct proposer p;
    struct error err = ERROR_INIT;
    assert_int_equal(proposer_open(&p, "openai:https://host/v1", &err), -EINVAL);
    assert_null(strstr(err.why, "lines"));
    env_put("OPENAI_API_KEY", NULL);
    if (proposer_open(&p, "openai:http://example.com/v1", &err) == 0)
        proposer_close(&p); /* without a key there is nothing to hide */
    else
        assert_int_equal(err.kind, ERROR_UNSUPPORTED);
}
