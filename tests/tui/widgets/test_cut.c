/* Neighbours whose names are too long for their column stay different. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tui/widgets/cut.h"
#include "support/test.h"

static void expect_cut(const char *text, const char *other, int cells, const char *want)
{
    char out[256];
    cut_apart(out, sizeof out, text, other, cells, false);
    if (strcmp(out, want) != 0)
        fail_msg("'%s' beside '%s' is '%s', not '%s'", text, other, out, want);
}

TEST(what_differs_at_the_end_is_seen_at_the_end)
{
    assert_true(cut_looks_same("gemm_f16_128x128_nn", "gemm_f16_128x128_tn", 12));
    assert_false(cut_looks_same("gemm_f16_128x128_nn", "gemm_f32_128x128_nn", 12)); /* seen */
    assert_false(cut_looks_same("gemm_f16_128x128_nn", "gemm_f16_128x128_nn", 12)); /* equal */
    assert_false(cut_looks_same("gemm_f16", "gemm_f16_128x128_tn", 12)); /* one of them fits */
    expect_cut("gemm_f16_128x128_nn", "gemm_f16_128x128_tn", 12, "gemm_f…28_nn");
}

TEST(what_differs_in_the_middle_is_seen_there)
{
    expect_cut("void at::native::kernel_A_with_a_long_tail_of_types",
               "void at::native::kernel_B_with_a_long_tail_of_types", 16,
               "…el_A_with_a_long_tail_of_types");
}

/* Drawn in so many cells: a text that does not fit loses its end. */
static void shown(const char *text, int cells, char out[300])
{
    const bool cut = text_width(text) > cells;
    snprintf(out, 300, "%.*s", (int)text_fit_cells(text, cut ? cells - 1 : cells), text);
}

TEST(any_two_that_looked_the_same_are_told_apart)
{
    enum { LENGTH = 60, CELLS = 20 };
    char a[LENGTH + 1] = "", b[LENGTH + 1] = "", one[256], other[256], x[300], y[300];
    for (int differ = CELLS; differ < LENGTH; differ++) {
        for (int i = 0; i < LENGTH; i++)
            a[i] = b[i] = (char)('a' + i % 7);
        a[differ] = 'X';
        b[differ] = 'Y';
        assert_true(cut_looks_same(a, b, CELLS));
        shown(cut_apart(one, sizeof one, a, b, CELLS, true), CELLS, x);
        shown(cut_apart(other, sizeof other, b, a, CELLS, true), CELLS, y);
        if (strcmp(x, y) == 0 || !strchr(x, 'X') || !strchr(y, 'Y'))
            fail_msg("at %d: '%s' and '%s'", differ, x, y);
        assert_true(text_width(x) <= CELLS);
    }
}

TEST(characters_are_cut_whole)
{
    char out[256];
    cut_apart(out, sizeof out, "ééééééééééééééééééàéééééééééééééééééé",
              "ééééééééééééééééééèéééééééééééééééééé", 10, false);
    assert_string_equal(out, "…éééàéééééééééééééééééé");
}

TEST(a_program_in_long_folders_keeps_its_name)
{
    char out[256];
    const char *const one = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -I src -D A=1 src/one.c",
                      *const other = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -I src src/two.c",
                      *const elsewhere =
                          "/opt/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -I src -D A=1 "
                          "src/one.c";
    cut_apart(out, sizeof out, one, other, 30, true);
    assert_string_equal(out, "cc1 -quiet -I s~ A=1 src/one.c");
    cut_apart(out, sizeof out, one, elsewhere, 30, true);
    assert_non_null(strstr(out, "usr")); /* nothing else differs */
    cut_apart(out, sizeof out, "/bin/cat aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
              "/bin/cat aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2", 30, true);
    assert_true(strncmp(out, "/bin/cat", 8) == 0);
}

static void expect_program(const char *line, int cells, const char *want)
{
    if (strcmp(cut_folders(line, cells), want) != 0)
        fail_msg("'%s' in %d cells is '%s', not '%s'", line, cells, cut_folders(line, cells), want);
}

TEST(a_command_line_loses_its_folders_before_its_name)
{
    expect_program("/usr/bin/gemm --m 4096", 30, "/usr/bin/gemm --m 4096"); /* it fits */
    expect_program("/usr/bin/gemm --m 4096", 18, "gemm --m 4096");
    expect_program("build/release/rooftop -- sleep 1", 18, "rooftop -- sleep 1");
    expect_program("./gemm --with many arguments", 18, "./gemm --with many arguments"); /* short */
    expect_program("cc1 -I /usr/include/c++/12", 18, "cc1 -I /usr/include/c++/12");
    expect_program("sshd: someone@pts/3 and more", 18, "sshd: someone@pts/3 and more");
    expect_program("/a/folder/that/is/its/own/name/", 18, "name/");
    expect_program("", 18, "");
}
