/* Flame graphs of samples: boxes are as wide as their share, inside their callers, and coloured by
 * what changed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/functions/hot_profile.h"
#include "export/stacks/export_flame.h"
#include "support/test.h"
#include "support/trace_text.h"

#define OLD "main;hot;leaf 700\nmain;warm 300\n"
#define NEW "main;hot;leaf 500\nmain;warm 400\nother<&> 100\n"

static char *flame(const char *before, const char *after)
{
    struct trace a, b;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    trace_text_read(&b, after);
    if (before) {
        trace_text_read(&a, before);
        export_flame_difference(f, &a.samples->stacks, &b.samples->stacks);
        trace_free(&a);
    } else {
        export_flame(f, &b.samples->stacks);
    }
    trace_free(&b);
    fclose(f);
    return text;
}

struct box {
    double x, width;
    unsigned y;
    char fill[8];
};

static struct box box_of(const char *text, const char *title)
{
    struct box b = {.fill = ""};
    const char *at = strstr(text, title);
    at = at ? strstr(at, "<rect ") : NULL;
    if (!at) {
        fail_msg("no '%s' in %s", title, text);
        return b;
    }
    assert_int_equal(sscanf(at, "<rect x=\"%lf\" y=\"%u\" width=\"%lf\" height=\"19\" fill=\"%7s\"",
                            &b.x, &b.y, &b.width, b.fill),
                     4);
    return b;
}

TEST(boxes_are_shares_inside_their_callers)
{
    char *text = flame(NULL, NEW);
    const struct box main = box_of(text, "<title>main  900 samples, 90.00 %<"),
                     hot = box_of(text, "<title>hot  500 samples, 50.00 %<"),
                     leaf = box_of(text, "<title>leaf  500 samples"),
                     other = box_of(text, "<title>other&lt;&amp;&gt;  100 samples");
    assert_true(fabs(main.width - 1180 * 0.9) < 0.01 && fabs(hot.width - 1180 * 0.5) < 0.01);
    assert_true(fabs(main.width + other.width - 1180) < 0.02);
    assert_true(hot.y > main.y && leaf.y > hot.y && other.y == main.y);
    assert_true(hot.x >= main.x && hot.x + hot.width <= main.x + main.width + 0.01);
    assert_true(leaf.x == hot.x && leaf.width == hot.width);
    free(text);
}

TEST(colours_say_what_changed)
{
    char *same = flame(OLD, OLD), *text = flame(OLD, NEW);
    assert_non_null(strstr(same, "0.00 % of before is in calls that are gone"));
    assert_string_equal(box_of(same, "<title>hot ").fill, "#f0f0f0");
    assert_string_equal(box_of(same, "<title>warm ").fill, "#f0f0f0");
    assert_string_equal(box_of(text, "50.00 %, before 70.00 %").fill, "#7878f0"); /* the largest */
    assert_string_equal(box_of(text, "40.00 %, before 30.00 %").fill, "#f0b4b4"); /* half of it */
    assert_string_equal(box_of(text, "10.00 %, before 0.00 %").fill, "#f0b4b4");
    free(text);
    text = flame(NEW, "main;warm 1\n");
    assert_non_null(strstr(text, "60.00 % of before is in calls that are gone"));
    free(same);
    free(text);
}

/* A recursion of many levels gives a picture of bounded height. */
TEST(deep_stacks_are_bounded)
{
    enum { DEPTH = 5000 };
    char *folded = calloc(DEPTH + 4, 2), *text;
    for (int i = 0; i < DEPTH; i++)
        snprintf(folded + 2 * i, 3, "f;");
    snprintf(folded + 2 * DEPTH, 8, "f 9\n");
    text = flame(NULL, folded);
    assert_non_null(strstr(text, "viewBox=\"0 0 1200 20044\""));
    free(folded);
    free(text);
}
