/* base/list.h: no element is lost while an array grows, and it grows by doubling. */
#include <stdlib.h>

#include "base/list.h"
#include "support/test.h"

TEST(elements_stay_while_a_list_grows)
{
    enum { N = 10000 };
    struct {
        uint32_t *at, n, cap;
    } l = {0};
    unsigned grown = 0;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t before = l.cap;
        LIST_ROOM(l.at, l.n, l.cap);
        grown += l.cap != before;
        assert_true(l.n < l.cap);
        l.at[l.n++] = i;
    }
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(l.at[i], i);
    assert_true(grown <= 9); /* 64 * 2^8 = 16384 */
    free(l.at);
}

TEST(there_is_room_already)
{
    size_t n = 0, cap = 3;
    char *p = xcalloc(cap, 1), *before = p;
    for (; n < 3; n++)
        LIST_ROOM(p, n, cap);
    assert_ptr_equal(p, before);
    assert_int_equal(cap, 3);
    LIST_ROOM(p, n, cap);
    assert_int_equal(cap, 6);
    free(p);
}

TEST(a_list_fits_what_is_asked_for)
{
    int *list = NULL;
    size_t cap = 0;
    for (size_t need = 1; need < 1000; need += need / 3 + 1) {
        LIST_FIT(list, need, cap);
        assert_in_range(cap, need, 2 * need);
        assert_non_null(list);
        if (!list)
            return;
        list[need - 1] = (int)need;
        assert_int_equal(list[0], 1);
    }
    free(list);
}
