#include <stdlib.h>
#include <string.h>

#include "export/stacks/export_folded.h"
#include "support/hot_scene.h"
#include "support/test.h"

static char *folded(const struct hot_stacks *p)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    export_folded(f, p);
    fclose(f);
    return text;
}

TEST(stacks_are_lines)
{
    struct arena a = {0};
    char *text = folded(scene_stacks(&a, 0, false));
    assert_non_null(strstr(text, "\n_start;main;gemm::pack_b;__memcpy_avx_unaligned_erms;"
                                 "asm_exc_page_fault_[k];clear_page_erms_[k] "));
    assert_non_null(strstr(text, ";gemm::microkernel_[i];_mm256_fmadd_ps_[i] "));
    assert_non_null(strstr(text, ";LazyCompile:*check script.js:3_[j] "));
    free(text);
    arena_free(&a);
}

/* Whatever names contain: each line has frames, a blank and a number, and the numbers add up to
 * the total. */
TEST(any_name_keeps_lines_whole)
{
    struct arena a = {0};
    const struct hot_stacks *p = scene_stacks(&a, 3, true);
    char *text = folded(p);
    uint64_t sum = 0;
    size_t lines = 0, want = 0;
    for (char *at = text; *at; lines++) {
        char *end = strchr(at, '\n'), *stop;
        assert_non_null(end);
        *end = '\0';
        char *number = strrchr(at, ' ');
        assert_non_null(number);
        sum += strtoull(number + 1, &stop, 10);
        assert_ptr_equal(stop, end);
        assert_null(strpbrk(at, "\033\t\r"));
        at = end + 1;
    }
    for (size_t i = 0; i < p->nnodes; i++)
        want += p->nodes[i].self > 0;
    assert_int_equal(lines, want);
    assert_int_equal(sum, p->samples);
    free(text);
    arena_free(&a);
}
