#include "engine/functions/functions.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* main calls itself and work; the inner main also calls work. */
static const struct hot_symbol symbols[] = {
    {.name = "main"}, {.name = "work"}, {.name = "sleep"}, {.name = "alone"}};
static const struct hot_node nodes[] = {
    {-1, 0, 1}, /* main */
    {0, 1, 4},  /* main > work */
    {0, 0, 2},  /* main > main */
    {2, 1, 8},  /* main > main > work */
    {3, 0, 16}, /* main > main > work > main */
    {1, 2, 32}, /* main > work > sleep */
    {-1, 3, 3}, /* another root */
};
static const struct hot_stacks tree = {.samples = 66,
                                       .symbols = symbols,
                                       .nsymbols = 4,
                                       .nodes = nodes,
                                       .nnodes = sizeof nodes / sizeof *nodes};

static const struct function_row *row(const struct function_row *rows, size_t n, uint32_t symbol)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].symbol == symbol)
            return &rows[i];
    fail_msg("no row of symbol %u", symbol);
    return NULL;
}

TEST(self_is_what_fell_into_the_function)
{
    struct function_row *rows;
    size_t n = functions_list(&tree, &rows);
    assert_int_equal(n, 4);
    assert_int_equal(row(rows, n, 0)->self, 19);
    assert_int_equal(row(rows, n, 1)->self, 12);
    assert_int_equal(row(rows, n, 2)->self, 32);
    assert_int_equal(row(rows, n, 3)->self, 3);
    free(rows);
}

TEST(recursion_is_counted_once)
{
    struct function_row *rows;
    size_t n = functions_list(&tree, &rows);
    /* everything below the outer main, counted once */
    assert_int_equal(row(rows, n, 0)->total, 63);
    assert_int_equal(row(rows, n, 1)->total, 60);
    assert_int_equal(row(rows, n, 2)->total, 32);
    assert_int_equal(row(rows, n, 3)->total, 3);
    free(rows);
}

TEST(most_samples_come_first_and_ties_by_name)
{
    static const struct hot_symbol names[] = {{.name = "b"}, {.name = "a"}, {.name = "c"}};
    static const struct hot_node equal[] = {{-1, 0, 5}, {-1, 1, 5}, {-1, 2, 6}};
    struct hot_stacks p = {.symbols = names, .nsymbols = 3, .nodes = equal, .nnodes = 3};
    struct function_row *rows;
    assert_int_equal(functions_list(&p, &rows), 3);
    assert_int_equal(rows[0].symbol, 2);
    assert_int_equal(rows[1].symbol, 1);
    assert_int_equal(rows[2].symbol, 0);
    free(rows);
}

TEST(nothing_sampled_is_an_empty_list)
{
    struct function_row *rows;
    assert_int_equal(functions_list(&(struct hot_stacks){0}, &rows), 0);
    free(rows);
}

/* A very deep stack of one function. */
TEST(deep_recursion_is_one_row)
{
    enum { DEPTH = 2000 };
    static const struct hot_symbol one[] = {{.name = "f"}};
    struct hot_node *chain = calloc(DEPTH, sizeof *chain);
    assert_non_null(chain);
    for (int i = 0; i < DEPTH; i++)
        chain[i] = (struct hot_node){i - 1, 0, 1};
    struct hot_stacks p = {.symbols = one, .nsymbols = 1, .nodes = chain, .nnodes = DEPTH};
    struct function_row *rows;
    assert_int_equal(functions_list(&p, &rows), 1);
    assert_int_equal(rows[0].self, DEPTH);
    assert_int_equal(rows[0].total, DEPTH);
    free(rows);
    free(chain);
}
