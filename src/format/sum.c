#include "format/sum.h"

/* Inline: the library in the captured program must not need another library. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/capture.h"

enum { AT_ONCE = 512 };

uint64_t sum_block(const void *p, size_t n)
{
    return XXH3_64bits(p, n);
}

_Static_assert(sizeof(XXH3_state_t) <= sizeof(struct sum_parts), "a state has its room");

void sum_start(struct sum_parts *s)
{
    XXH3_state_t *state = (XXH3_state_t *)s->state;
    XXH3_INITSTATE(state);
    XXH3_64bits_reset(state);
}

void sum_add(struct sum_parts *s, const void *p, size_t n)
{
    XXH3_64bits_update((XXH3_state_t *)s->state, p, n);
}

uint64_t sum_end(const struct sum_parts *s)
{
    return XXH3_64bits_digest((const XXH3_state_t *)s->state);
}

struct hashed_bytes {
    XXH3_state_t state;
    unsigned char bytes[8 * AT_ONCE];
    size_t n;
};

static void start_sums(struct hashed_bytes *d)
{
    XXH3_INITSTATE(&d->state);
    XXH3_64bits_reset(&d->state);
    d->n = 0;
}

static void put_sum(struct hashed_bytes *d, uint64_t sum)
{
    for (int i = 0; i < 8; i++)
        d->bytes[d->n++] = (unsigned char)(sum >> (56 - 8 * i));
    if (d->n == sizeof d->bytes) {
        XXH3_64bits_update(&d->state, d->bytes, d->n);
        d->n = 0;
    }
}

static uint64_t end_sums(struct hashed_bytes *d)
{
    XXH3_64bits_update(&d->state, d->bytes, d->n);
    return XXH3_64bits_digest(&d->state);
}

uint64_t sum_blocks(const uint64_t *sums, size_t n)
{
    struct hashed_bytes d;
    start_sums(&d);
    for (size_t i = 0; i < n; i++)
        put_sum(&d, sums[i]);
    return end_sums(&d);
}

uint64_t sum_bytes(const void *p, size_t n)
{
    struct hashed_bytes d;
    start_sums(&d);
    for (size_t done = 0; done < n; done += CAPTURE_BLOCK)
        put_sum(&d, sum_block((const char *)p + done,
                              n - done < CAPTURE_BLOCK ? n - done : CAPTURE_BLOCK));
    return end_sums(&d);
}

const char *sum_text(uint64_t sum, char out[SUM_TEXT])
{
    for (int i = 0; i < 16; i++)
        out[i] = "0123456789abcdef"[sum >> (60 - 4 * i) & 15];
    out[16] = '\0';
    return out;
}
