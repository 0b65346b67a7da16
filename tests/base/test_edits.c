/* The fewest edits: against a table that tries all ways, and applied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/edits.h"
#include "support/longest_common.h"
#include "support/test.h"

struct texts {
    const char *a, *b;
    size_t compared;
};

static bool same(const void *sequences, size_t a, size_t b)
{
    struct texts *t = (struct texts *)sequences;
    t->compared++;
    return t->a[a] == t->b[b];
}

/* Checks that the edits are in order, apart from each other, and make b of a. Returns how many
 * characters they remove and add. */
static size_t expect_turns(const char *a, const char *b, const struct edits *e)
{
    char made[256];
    size_t n = 0, x = 0, changed = 0;
    for (size_t i = 0; i < e->n; i++) {
        const struct edit *at = &e->list[i];
        assert_true(at->na + at->nb > 0);
        assert_true(at->a >= x + (i > 0)); /* a common element lies between two */
        memcpy(made + n, a + x, at->a - x);
        n += at->a - x;
        assert_int_equal(at->b, n);
        memcpy(made + n, b + at->b, at->nb);
        n += at->nb;
        x = at->a + at->na;
        changed += at->na + at->nb;
    }
    snprintf(made + n, sizeof made - n, "%s", a + x);
    assert_string_equal(made, b);
    return changed;
}

static void random_text(char out[64], unsigned *seed)
{
    const size_t n = (size_t)rand_r(seed) % 40;
    const int letters = 1 + rand_r(seed) % 5;
    for (size_t i = 0; i < n; i++)
        out[i] = (char)('a' + rand_r(seed) % letters);
    out[n] = '\0';
}

TEST(none_is_shorter_by_the_textbook)
{
    unsigned seed = 7;
    for (int round = 0; round < 20000; round++) {
        char a[64], b[64];
        random_text(a, &seed);
        random_text(b, &seed);
        const size_t na = strlen(a), nb = strlen(b);
        const size_t fewest = na + nb - 2 * longest_common(a, na, b, nb, 1);
        const struct texts t = {a, b, 0};
        struct edits e;
        edits_find(na, nb, fewest, same, &t, &e);
        if (expect_turns(a, b, &e) != fewest)
            fail_msg("%s to %s: not %zu edits", a, b, fewest);
        edits_free(&e);
        if (fewest == 0)
            continue;
        edits_find(na, nb, fewest - 1, same, &t, &e); /* one more than is searched for */
        assert_int_equal(e.n, 1);
        expect_turns(a, b, &e);
        const struct edit *all = &e.list[0];
        if (all->na > 0 && all->nb > 0) {
            assert_true(a[all->a] != b[all->b]);
            assert_true(a[all->a + all->na - 1] != b[all->b + all->nb - 1]);
        }
        edits_free(&e);
    }
}

/* Where two scripts are equally short, the one that removes first is taken, as before. */
TEST(what_is_removed_comes_first)
{
    struct edits e;
    edits_find(2, 2, 10, same, &(struct texts){"ab", "ba", 0}, &e);
    assert_int_equal(e.n, 2);
    assert_memory_equal(&e.list[0], (&(struct edit){0, 1, 0, 0}), sizeof(struct edit));
    assert_memory_equal(&e.list[1], (&(struct edit){2, 0, 1, 1}), sizeof(struct edit));
    edits_free(&e);
}

/* The end of the search depends on the limit, not on the lengths. */
TEST(long_sequences_that_share_nothing)
{
    enum { LONG = 3000000, MOST = 50 };
    char *a = malloc(LONG), *b = malloc(LONG);
    memset(a, 'a', LONG);
    memset(b, 'b', LONG);
    struct texts t = {a, b, 0};
    struct edits e;
    edits_find(LONG, LONG, MOST, same, &t, &e);
    assert_int_equal(e.n, 1);
    assert_true(e.list[0].na == LONG && e.list[0].nb == LONG);
    assert_true(t.compared < 2 * MOST * MOST);
    edits_free(&e);
    free(a);
    free(b);
}
