/* The text of a thread trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/code/att_export.h"
#include "support/att_made.h"
#include "support/test.h"

/* Engine 1 has one moment only, so its waves over time are not known; engine 0 has a mean of 0.5.
 */
TEST(a_mean_without_time_is_not_known)
{
    struct att a = {.name = "made", .gfxv = ""};
    char *text = NULL;
    size_t n;
    att_made_event(&a, 0, 100, 0, true);
    att_made_event(&a, 0, 200, 0, false);
    att_made_event(&a, 0, 300, 0, true);
    att_made_event(&a, 1, 300, 0, true);
    att_finish(&a);
    FILE *f = open_memstream(&text, &n);
    assert_non_null(f);
    att_export_text(f, &a, true);
    fclose(f);
    const char *zero = strstr(text, "SE0 "), *one = strstr(text, "SE1 ");
    assert_true(zero && one);
    assert_int_equal(strncmp(zero, "SE0         0.5      1", 22), 0);
    assert_int_equal(strncmp(one, "SE1         n/a      1", 22), 0);
    free(text);
    att_free(&a);
}
