/* What an answer of a collector means: sent, again later, given up, or nothing more is sent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/delivery/answer.h"
#include "support/test.h"

static struct answer answer;
static struct verdict verdict;
/* 2023-11-14 22:13:20 */
#define NOW UINT64_C(1700000000000000000)

static void judge(enum endpoint_protocol protocol, int status, const char *headers,
                  const char *body, size_t n)
{
    answer = (struct answer){.grpc = -1, .status = status};
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", headers);
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        answer_header(&answer, line, strlen(line), NOW);
    memcpy(answer.body, body, n);
    answer.n = n;
    answer_judge(&answer, protocol, &verdict);
}

TEST(test_status)
{
    static const struct {
        int status;
        enum outcome outcome;
    } cases[] = {{200, OUTCOME_TAKEN},   {202, OUTCOME_TAKEN}, {301, OUTCOME_STOP},
                 {400, OUTCOME_REFUSED}, {401, OUTCOME_STOP},  {403, OUTCOME_STOP},
                 {404, OUTCOME_STOP},    {408, OUTCOME_LATER}, {413, OUTCOME_REFUSED},
                 {422, OUTCOME_REFUSED}, {429, OUTCOME_LATER}, {500, OUTCOME_LATER},
                 {501, OUTCOME_STOP},    {502, OUTCOME_LATER}, {503, OUTCOME_LATER},
                 {504, OUTCOME_LATER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        judge(ENDPOINT_PROTOBUF, cases[i].status, "", "", 0);
        if (verdict.outcome != cases[i].outcome)
            fail_msg("status %d is outcome %d", cases[i].status, verdict.outcome);
    }
}

/* Where a proxy answers with its page, nothing was taken; what a body that is packed says is not
 * looked at. */
TEST(test_not_a_collector)
{
    judge(ENDPOINT_PROTOBUF, 200, "content-type: text/html; charset=utf-8", "<html>", 6);
    assert_int_equal(verdict.outcome, OUTCOME_STOP);
    assert_non_null(strstr(verdict.text, "web page"));
    judge(ENDPOINT_JSON, 503, "content-type: text/html", "<html>", 6);
    assert_int_equal(verdict.outcome, OUTCOME_LATER);
    judge(ENDPOINT_JSON, 200, "content-type: application/json\ncontent-encoding: gzip",
          "\x1f\x8b\x08\0", 4);
    assert_int_equal(verdict.outcome, OUTCOME_TAKEN);
    assert_int_equal(verdict.rejected, 0);
}

TEST(test_grpc_status)
{
    static const enum outcome expected[17] = {
        [0] = OUTCOME_TAKEN, [1] = OUTCOME_LATER,   [2] = OUTCOME_STOP,   [3] = OUTCOME_REFUSED,
        [4] = OUTCOME_LATER, [5] = OUTCOME_STOP,    [6] = OUTCOME_STOP,   [7] = OUTCOME_STOP,
        [8] = OUTCOME_LATER, [9] = OUTCOME_REFUSED, [10] = OUTCOME_LATER, [11] = OUTCOME_LATER,
        [12] = OUTCOME_STOP, [13] = OUTCOME_STOP,   [14] = OUTCOME_LATER, [15] = OUTCOME_LATER,
        [16] = OUTCOME_STOP};
    for (int i = 0; i < 17; i++) {
        char header[64];
        snprintf(header, sizeof header, "Grpc-Status: %d\nGrpc-Message: so", i);
        judge(ENDPOINT_GRPC, 200, header, "", 0);
        if (verdict.outcome != expected[i])
            fail_msg("gRPC status %d is outcome %d", i, verdict.outcome);
    }
    judge(ENDPOINT_GRPC, 200, "grpc-status: x", "", 0);
    assert_int_equal(verdict.outcome, OUTCOME_STOP);
    judge(ENDPOINT_GRPC, 404, "content-type: text/html", "", 0); /* no server of gRPC */
    assert_int_equal(verdict.outcome, OUTCOME_STOP);
    judge(ENDPOINT_GRPC, 503, "content-type: text/html", "", 0); /* a proxy */
    assert_int_equal(verdict.outcome, OUTCOME_LATER);
    judge(ENDPOINT_GRPC, 400, "content-type: text/html", "", 0); /* says nothing of the spans */
    assert_int_equal(verdict.outcome, OUTCOME_STOP);
}

TEST(test_retry_after)
{
    static const struct {
        const char *header;
        uint64_t seconds;
    } cases[] = {{"retry-after: 7", 7},
                 {"Retry-After:7", 7},
                 {"retry-after: -7", 0},
                 {"retry-after: 99999999999999999999", 86400},
                 {"retry-after: Tue, 14 Nov 2023 22:13:50 GMT", 30},
                 {"retry-after: Tue, 14 Nov 2023 22:13:00 GMT", 0},
                 {"retry-after: Fri, 31 Dec 2099 23:59:59 GMT", 86400},
                 {"retry-after: Fri, 31 Foo 2099 23:59:59 GMT", 0},
                 {"retry-after: soon", 0},
                 {"retry-after:", 0},
                 {"grpc-retry-pushback-ms: 2000", 2},
                 {"grpc-retry-pushback-ms: -1", 0},
                 {"grpc-retry-pushback-ms: 86400001", 86400},
                 {"grpc-retry-pushback-ms: 99999999999999999999", 86400},
                 {"x-retry-after: 7", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        judge(ENDPOINT_PROTOBUF, 503, cases[i].header, "", 0);
        if (answer.retry_ns != cases[i].seconds * UINT64_C(1000000000))
            fail_msg("%s: %llu ns", cases[i].header, (unsigned long long)answer.retry_ns);
    }
}

#define PARTIAL "\x0a\x0b\x08\x02\x12\x07too old"

TEST(test_partial)
{
    static const char protobuf[] = PARTIAL, grpc[] = "\0\0\0\0\x0d" PARTIAL;
    static const char json[] =
        "{\"partialSuccess\":{\"rejectedSpans\":2,\"errorMessage\":\"too old\"}}";
    static const char type[] = "content-type: application/x-protobuf";
    judge(ENDPOINT_PROTOBUF, 200, type, protobuf, sizeof protobuf - 1);
    assert_int_equal(verdict.rejected, 2);
    assert_string_equal(verdict.text, "too old");
    judge(ENDPOINT_GRPC, 200, "grpc-status: 0", grpc, sizeof grpc - 1);
    assert_int_equal(verdict.rejected, 2);
    judge(ENDPOINT_JSON, 200, "content-type: application/json; charset=utf-8", json,
          sizeof json - 1);
    assert_int_equal(verdict.rejected, 2);
    assert_string_equal(verdict.text, "too old");
    for (size_t n = 0; n < sizeof protobuf - 1; n++) { /* cut anywhere: taken all the same */
        judge(ENDPOINT_PROTOBUF, 200, type, protobuf, n);
        assert_int_equal(verdict.outcome, OUTCOME_TAKEN);
    }
    judge(ENDPOINT_PROTOBUF, 200, "content-type: text/html", protobuf, sizeof protobuf - 1);
    assert_int_equal(verdict.rejected, 0);
}

/* google.rpc.Status in a failure; control characters do not reach the terminal. */
TEST(test_failure)
{
    static const char body[] = "\x08\x03\x12\x07no \033[1m";
    judge(ENDPOINT_PROTOBUF, 400, "content-type: application/x-protobuf", body, sizeof body - 1);
    assert_string_equal(verdict.text, "it answers HTTP status 400: no ?[1m");
    judge(ENDPOINT_PROTOBUF, 302, "location: http://b/\033x", "", 0);
    assert_string_equal(verdict.text, "it answers HTTP status 302: moved to http://b/?x");
    answer = (struct answer){.grpc = -1, .broken = "no route"};
    answer_judge(&answer, ENDPOINT_PROTOBUF, &verdict);
    assert_int_equal(verdict.outcome, OUTCOME_LATER);
    answer.address = true;
    answer_judge(&answer, ENDPOINT_PROTOBUF, &verdict);
    assert_int_equal(verdict.outcome, OUTCOME_STOP);
    assert_string_equal(verdict.text, "no route");
}
