/* scripts/animate.py: several pictures of rooftop's as one that changes. Forks: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

FIXTURE(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
}

FIXTURE(end)
{
    compiled_free();
}

static void picture(const char *name, int width, const char *elements)
{
    FILE *f = fopen(compiled_path(name), "w");
    assert_non_null(f);
    fprintf(f, "<svg width=\"%d\">\n<rect id=\"paper\"/>\n%s</svg>\n", width, elements);
    assert_int_equal(fclose(f), 0);
}

static void needs_python(void)
{
    if (!compiled_shell("command -v python3 >/dev/null"))
        skip_because("python3 is not installed, with which scripts/animate.py runs");
}

TEST(shared_elements_are_written_once)
{
    needs_python();
    picture("a.svg", 10, "<text>title</text>\n<rect id=\"mark\"/>\n<text>1</text>\n");
    picture("b.svg", 10, "<text>title</text>\n<text>2</text>\n");
    struct program p;
    program_run(&p, "scripts/animate.py $D/all.svg 1:$D/a.svg 3:$D/b.svg && cat $D/all.svg");
    assert_int_equal(p.status, 0);
    assert_string_equal(
        p.out,
        "<svg width=\"10\">\n<rect id=\"paper\"/>\n"
        "<g visibility=\"visible\"><animate attributeName=\"visibility\" calcMode=\"discrete\" "
        "dur=\"4s\" repeatCount=\"indefinite\" values=\"visible;hidden\" keyTimes=\"0;0.25\"/>\n"
        "<rect id=\"mark\"/>\n</g>\n<text>title</text>\n"
        "<g visibility=\"visible\"><animate attributeName=\"visibility\" calcMode=\"discrete\" "
        "dur=\"4s\" repeatCount=\"indefinite\" values=\"visible;hidden\" keyTimes=\"0;0.25\"/>\n"
        "<text>1</text>\n</g>\n"
        "<g visibility=\"hidden\"><animate attributeName=\"visibility\" calcMode=\"discrete\" "
        "dur=\"4s\" repeatCount=\"indefinite\" values=\"hidden;visible\" keyTimes=\"0;0.25\"/>\n"
        "<text>2</text>\n</g>\n</svg>\n");
    program_free(&p);
}

TEST(pictures_of_two_sizes_are_refused)
{
    needs_python();
    picture("a.svg", 10, "");
    picture("b.svg", 20, "");
    struct program p;
    program_run(&p, "scripts/animate.py $D/all.svg 1:$D/a.svg 1:$D/b.svg");
    assert_int_equal(p.status, 1);
    assert_non_null(strstr(p.err, "b.svg is of another size than the first picture"));
    program_free(&p);
}

TEST_MAIN(begin, end)
