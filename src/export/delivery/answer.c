#include "export/delivery/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "base/print.h"

/* --- headers --- */

/* Copies the value of the header if it is this one; cut to size. */
static bool read_header_value(const char *line, size_t n, const char *name, char *out, size_t size)
{
    const size_t k = strlen(name);
    if (n <= k || strncasecmp(line, name, k) != 0 || line[k] != ':')
        return false;
    line += k + 1;
    n -= k + 1;
    while (n && (*line == ' ' || *line == '\t')) {
        line++;
        n--;
    }
    snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), line);
    return true;
}

enum { LONGEST_S = 86400 }; /* the longest wait that a collector may ask for */

/* Reads milliseconds. */
static uint64_t read_pushback_ns(const char *text)
{
    const unsigned long ms = strtoul(text, NULL, 10);
    return (ms < LONGEST_S * 1000ul ? ms : LONGEST_S * 1000ul) * UINT64_C(1000000);
}

/* Reads seconds, or a date in the form of RFC 9110. */
static uint64_t retry_after(const char *text, uint64_t wall_ns)
{
    static const char *const months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char *end, month[4];
    struct tm tm = {0};
    const unsigned long s = strtoul(text, &end, 10);
    if (end != text && !*end && *text != '-')
        return (s < LONGEST_S ? s : LONGEST_S) * UINT64_C(1000000000);
    if (sscanf(text, "%*3s, %d %3s %d %d:%d:%d GMT", &tm.tm_mday, month, &tm.tm_year, &tm.tm_hour,
               &tm.tm_min, &tm.tm_sec) != 6)
        return 0;
    const char *at = strlen(month) == 3 ? strstr(months, month) : NULL;
    if (!at || tm.tm_year < 1970 || tm.tm_year > 9999)
        return 0;
    tm.tm_mon = (int)(at - months) / 3;
    tm.tm_year -= 1900;
    const time_t when = timegm(&tm);
    const time_t now = (time_t)(wall_ns / 1000000000u);
    if (when <= now)
        return 0;
    return (uint64_t)(when - now < LONGEST_S ? when - now : LONGEST_S) * UINT64_C(1000000000);
}

void answer_header(struct answer *a, const char *line, size_t n, uint64_t wall_ns)
{
    char text[ANSWER_TEXT];
    if (read_header_value(line, n, "retry-after", text, sizeof text))
        a->retry_ns = retry_after(text, wall_ns);
    else if (read_header_value(line, n, "grpc-retry-pushback-ms", text, sizeof text) &&
             text[0] != '-')
        a->retry_ns = read_pushback_ns(text);
    else if (read_header_value(line, n, "grpc-status", text, sizeof text))
        a->grpc = text[0] >= '0' && text[0] <= '9' ? (int)(strtoul(text, NULL, 10) % 1000) : 2;
    read_header_value(line, n, "grpc-message", a->grpc_text, sizeof a->grpc_text);
    read_header_value(line, n, "content-type", a->type, sizeof a->type);
    read_header_value(line, n, "location", a->location, sizeof a->location);
}

/* --- messages of protobuf that collectors send --- */

struct field {
    uint64_t number, value; /* value: only for a varint */
    const uint8_t *data;    /* only for bytes; else NULL */
    size_t n;
};

static bool read_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*p)++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool skip_answer_bytes(const uint8_t **p, const uint8_t *end, size_t n)
{
    if ((size_t)(end - *p) < n)
        return false;
    *p += n;
    return true;
}

/* Reads the next field. false: the message ends or is damaged. */
static bool read_answer_field(const uint8_t **p, const uint8_t *end, struct field *f)
{
    uint64_t tag, n;
    *f = (struct field){0};
    if (!read_varint(p, end, &tag))
        return false;
    f->number = tag >> 3;
    switch (tag & 7) {
    case 0:
        return read_varint(p, end, &f->value);
    case 1:
        return skip_answer_bytes(p, end, 8);
    case 2:
        if (!read_varint(p, end, &n) || (uint64_t)(end - *p) < n)
            return false;
        f->data = *p;
        f->n = n;
        return skip_answer_bytes(p, end, n);
    case 5:
        return skip_answer_bytes(p, end, 4);
    default:
        return false;
    }
}

static void copy_answer_text(char out[ANSWER_TEXT], const void *text, size_t n)
{
    char whole[ANSWER_TEXT];
    snprintf(whole, sizeof whole, "%.*s", (int)(n < sizeof whole ? n : sizeof whole - 1),
             (const char *)text);
    print_line(out, ANSWER_TEXT, "%s", whole);
}

/* ExportTraceServiceResponse.partial_success (1): rejected_spans (1), error_message (2). */
static void read_response(const uint8_t *p, size_t n, struct verdict *v)
{
    const uint8_t *end = p + n;
    struct field f, g;
    while (read_answer_field(&p, end, &f)) {
        if (f.number != 1 || !f.data)
            continue;
        const uint8_t *q = f.data, *stop = f.data + f.n;
        while (read_answer_field(&q, stop, &g)) {
            if (g.number == 1 && !g.data)
                v->rejected = g.value;
            else if (g.number == 2 && g.data)
                copy_answer_text(v->text, g.data, g.n);
        }
    }
}

/* google.rpc.Status: message (2). */
static void read_rpc_status(const uint8_t *p, size_t n, struct verdict *v)
{
    const uint8_t *end = p + n;
    struct field f;
    while (read_answer_field(&p, end, &f))
        if (f.number == 2 && f.data)
            copy_answer_text(v->text, f.data, f.n);
}

/* Reads either message as JSON. */
static void read_json_answer(const uint8_t *p, size_t n, struct verdict *v)
{
    cJSON *doc = cJSON_ParseWithLength((const char *)p, n);
    const cJSON *part = cJSON_GetObjectItemCaseSensitive(doc, "partialSuccess");
    const cJSON *count = cJSON_GetObjectItemCaseSensitive(part, "rejectedSpans");
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(part, "errorMessage");
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(doc, "message");
    if (cJSON_IsString(count) && count->valuestring[0] != '-')
        v->rejected = strtoull(count->valuestring, NULL, 10);
    else if (cJSON_IsNumber(count) && count->valuedouble > 0 && count->valuedouble < 1e15)
        v->rejected = (uint64_t)count->valuedouble;
    text = cJSON_IsString(text) ? text : message;
    if (cJSON_IsString(text))
        copy_answer_text(v->text, text->valuestring, strlen(text->valuestring));
    cJSON_Delete(doc);
}

static void read_answer_body(const struct answer *a, bool failed, struct verdict *v)
{
    if (strncasecmp(a->type, "application/json", 16) == 0)
        read_json_answer(a->body, a->n, v);
    else if (strncasecmp(a->type, "application/x-protobuf", 22) == 0)
        (failed ? read_rpc_status : read_response)(a->body, a->n, v);
}

/* --- consequences --- */

static enum outcome of_http(int status)
{
    switch (status) {
    case 408: /* the collector gave up waiting for the request */
    case 429:
    case 500: /* not in the specification's list: proxies send it while their collector restarts */
    case 502:
    case 503:
    case 504:
        return OUTCOME_LATER;
    case 400:
    case 413:
    case 422:
        return OUTCOME_REFUSED;
    default:
        return status >= 200 && status < 300 ? OUTCOME_TAKEN : OUTCOME_STOP;
    }
}

static void judge_http(const struct answer *a, struct verdict *v)
{
    v->outcome = of_http(a->status);
    if (v->outcome == OUTCOME_TAKEN && strncasecmp(a->type, "text/html", 9) == 0) {
        v->outcome = OUTCOME_STOP; /* a login page of a proxy, or some web site */
        print_line(v->text, sizeof v->text, "it answers with a web page: it is no collector");
        return;
    }
    read_answer_body(a, v->outcome != OUTCOME_TAKEN, v);
    if (v->outcome == OUTCOME_TAKEN) {
        if (a->huge)
            print_line(v->text, sizeof v->text, "its answer was too long and was not read");
        return;
    }
    char said[ANSWER_TEXT];
    snprintf(said, sizeof said, "%s", v->text);
    const bool moved = a->status >= 300 && a->status < 400 && a->location[0];
    if (moved)
        print_line(v->text, sizeof v->text, "it answers HTTP status %d: moved to %.180s", a->status,
                   a->location);
    else
        print_line(v->text, sizeof v->text, "it answers HTTP status %d%s%.180s", a->status,
                   said[0] ? ": " : "", said);
}

/* The outcome of a status of gRPC. Retries RESOURCE_EXHAUSTED too: waiting does no harm. */
static enum outcome of_grpc(int code)
{
    switch (code) {
    case 0:
        return OUTCOME_TAKEN;
    case 1:  /* CANCELLED */
    case 4:  /* DEADLINE_EXCEEDED */
    case 8:  /* RESOURCE_EXHAUSTED */
    case 10: /* ABORTED */
    case 11: /* OUT_OF_RANGE */
    case 14: /* UNAVAILABLE */
    case 15: /* DATA_LOSS */
        return OUTCOME_LATER;
    case 3: /* INVALID_ARGUMENT */
    case 9: /* FAILED_PRECONDITION */
        return OUTCOME_REFUSED;
    default:
        return OUTCOME_STOP;
    }
}

static void judge_grpc(const struct answer *a, struct verdict *v)
{
    enum { PREFIX = 5 }; /* a byte for compression and four for the length */
    if (a->grpc < 0) {
        v->outcome = a->status == 200 ? OUTCOME_LATER : of_http(a->status);
        v->outcome = v->outcome == OUTCOME_TAKEN || v->outcome == OUTCOME_REFUSED ? OUTCOME_STOP
                                                                                  : v->outcome;
        print_line(v->text, sizeof v->text, "it answers HTTP status %d without a status of gRPC",
                   a->status);
        return;
    }
    v->outcome = of_grpc(a->grpc);
    if (v->outcome != OUTCOME_TAKEN)
        print_line(v->text, sizeof v->text, "it answers gRPC status %d%s%.180s", a->grpc,
                   a->grpc_text[0] ? ": " : "", a->grpc_text);
    else if (a->n >= PREFIX && a->body[0] == 0)
        read_response(a->body + PREFIX, a->n - PREFIX, v);
}

void answer_judge(const struct answer *a, enum endpoint_protocol protocol, struct verdict *out)
{
    *out = (struct verdict){.outcome = OUTCOME_LATER};
    if (a->broken[0]) {
        print_line(out->text, sizeof out->text, "%s", a->broken);
        out->outcome = a->address ? OUTCOME_STOP : OUTCOME_LATER;
    } else if (protocol == ENDPOINT_GRPC) {
        judge_grpc(a, out);
    } else {
        judge_http(a, out);
    }
}
