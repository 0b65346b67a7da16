/*
 * Links of README.md and docs/: the files that they name exist, and docs/README.md names every
 * page. Forks: not for TSan.
 */
#include "support/program.h"
#include "support/test.h"

/* Runs a shell's commands that print what is wrong. */
static void prints_nothing(const char *commands)
{
    struct program p;
    program_run(&p, commands);
    assert_int_equal(p.status, 0);
    assert_string_equal(p.err, "");
    assert_string_equal(p.out, "");
    program_free(&p);
}

TEST(every_link_leads_to_a_file)
{
    prints_nothing("for page in README.md docs/*.md; do cd \"$(dirname $page)\" || exit 1;"
                   " grep -o '](\\([^)]*\\))' \"${page##*/}\" | sed 's/^](//; s/)$//; s/#.*//' |"
                   " grep -v '^http' | sort -u | while read -r file; do"
                   " [ -e \"${file:-.}\" ] || echo \"$page: $file does not exist\"; done;"
                   " cd \"$OLDPWD\"; done");
}

TEST(the_index_has_every_page)
{
    prints_nothing("cd docs && for page in *.md *.json; do [ $page = README.md ] ||"
                   " grep -qF \"]($page)\" README.md || echo \"docs/README.md lacks $page\"; done");
}

TEST(readme_fits_on_a_few_screens)
{
    prints_nothing("awk 'END { if (NR > 150) print NR \" lines\" }' README.md");
}

TEST_MAIN(NULL, NULL)
