/* Suggestions for mistyped names; compared with the distance found by trying all edits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "support/test.h"

static const char *offer(const char *wanted, const char *const *known, size_t n)
{
    static char list[400];
    struct nearest near;
    nearest_start(&near, wanted);
    for (size_t i = 0; i < n; i++)
        nearest_offer(&near, known[i]);
    nearest_list(&near, list, sizeof list);
    if (nearest_found(&near))
        assert_int_equal(strncmp(list + 1, nearest_found(&near), strlen(nearest_found(&near))), 0);
    else
        assert_string_equal(list, "");
    return list;
}

TEST(the_three_nearest_are_listed_best_first)
{
    static const char *const known[] = {"coloured", "detach",   "colour", "attach",
                                        "colours",  "view-gpu", "kolor",  "colore"};
    assert_string_equal(offer("detahc", known, 8), "'detach'");
    assert_string_equal(offer("Color", known, 8), "'colour', 'kolor' or 'colore'");
    assert_string_equal(offer("colour", known, 8), "'colour', 'colours' or 'coloured'");
    assert_string_equal(offer("vi", known, 8), "'view-gpu'"); /* the beginning of a name */
    assert_string_equal(offer("view-gp", (const char *const[]){"view-gpus-all", "view-gpu"}, 2),
                        "'view-gpu' or 'view-gpus-all'"); /* one edit comes first */
    assert_string_equal(offer("xyzzy", known, 8), "");
    assert_string_equal(offer("", known, 8), "");
    assert_string_equal(offer("color", known, 0), "");
}

/* The smallest number of edits, found by trying all. */
static int brute(const char *a, const char *b)
{
    if (!*a || !*b)
        return (int)(strlen(a) + strlen(b));
    if (*a == *b)
        return brute(a + 1, b + 1);
    int insert = brute(a, b + 1), remove = brute(a + 1, b), replace = brute(a + 1, b + 1);
    int least = insert < remove ? insert : remove;
    return 1 + (least < replace ? least : replace);
}

TEST(distances_are_those_of_all_edits)
{
    unsigned seed = 7;
    for (int i = 0; i < 3000; i++) {
        char a[8] = "", b[8] = "";
        for (char *w = a; w; w = w == a ? b : NULL) {
            seed = seed * 1103515245u + 12345u;
            int n = 1 + (int)(seed >> 16) % 6;
            for (int k = 0; k < n; k++) {
                seed = seed * 1103515245u + 12345u;
                w[k] = (char)('a' + (seed >> 16) % 3);
            }
            w[n] = '\0';
        }
        struct nearest near;
        nearest_start(&near, a);
        nearest_offer(&near, b);
        int want = brute(a, b);
        if (strlen(a) > 1 && strncmp(a, b, strlen(a)) == 0 && want > 1)
            want = 1;
        if (near.distance[0] != want)
            fail_msg("%s to %s: %d edits, told %d", a, b, want, near.distance[0]);
    }
}
