/*
 * What is read back from outside: a file of the spool, and what a collector answers. A byte
 * chooses; of an answer, lines of headers come before an empty line, and the body after it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "export/delivery/answer.h"
#include "export/delivery/spool.h"

static void read_file(const uint8_t *data, size_t n)
{
    struct spool_message m = {.fd = -1};
    uint8_t *copy = malloc(n + 1);
    memcpy(copy, data, n);
    if (spool_parse(copy, n, &m) &&
        (m.data < copy || m.data + m.n != copy + n || !m.url[0] || m.protocol > ENDPOINT_GRPC))
        abort();
    free(copy);
}

static void read_answer(const uint8_t *data, size_t n, enum endpoint_protocol protocol)
{
    static struct answer a;
    struct verdict v;
    if (n < 2)
        return;
    a = (struct answer){.grpc = -1, .status = 100 + data[0] * 2};
    const char *p = (const char *)data + 1, *end = (const char *)data + n;
    while (p < end && *p != '\n') {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const size_t len = stop ? (size_t)(stop - p) : (size_t)(end - p);
        answer_header(&a, p, len, UINT64_C(1700000000000000000));
        p = stop ? stop + 1 : end;
    }
    p += p < end;
    a.n = (size_t)(end - p) < ANSWER_BODY ? (size_t)(end - p) : ANSWER_BODY;
    memcpy(a.body, p, a.n);
    answer_judge(&a, protocol, &v);
    if (v.outcome > OUTCOME_STOP || !memchr(v.text, 0, sizeof v.text))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 4 == 3)
        read_file(data + 1, size - 1);
    else
        read_answer(data + 1, size - 1, (enum endpoint_protocol)(data[0] % 4));
    return 0;
}
