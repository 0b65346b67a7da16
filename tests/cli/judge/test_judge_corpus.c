// The corpus of the judge and what docs/JUDGE.md says of it: as many cases as it counts, a guard
// that exists for each cheat, and for each documented hack cases that are there.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/judge/judge.h"
#include "support/test.h"

#define DATA "tests/data/judge/"

static char *docs;

FIXTURE_STATUS(read_docs)
{
    FILE *f = fopen("docs/JUDGE.md", "re");
    if (!f)
        return -1;
    docs = calloc(1, 1 << 20);
    const size_t n = docs ? fread(docs, 1, (1 << 20) - 1, f) : 0;
    fclose(f);
    return n > 0 ? 0 : -1;
}

FIXTURE(free_docs)
{
    free(docs);
}

// The files of a folder itself that end so; each one's first line names a guard, or is of an honest
// candidate.
static unsigned cases_in(const char *folder, const char *ending, bool cheats)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        const char *dot = strrchr(e->d_name, '.');
        char path[512], line[256] = "", guard[64] = "";
        if (!dot || strcmp(dot, ending) != 0)
            continue;
        n++;
        if (!cheats)
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        FILE *f = fopen(path, "re");
        assert_non_null(f);
        assert_non_null(fgets(line, sizeof line, f));
        fclose(f);
        assert_int_equal(sscanf(line, "//%*[ ]%63[a-z-]:", guard), 1);
        if (judge_guard_named(guard) == JUDGE_NO_GUARD)
            fail_msg("%s: there is no guard '%s'", path, guard);
    }
    closedir(d);
    return n;
}

// The number that stands behind these words.
static unsigned said(const char *words)
{
    const char *at = strstr(docs, words);
    if (!at) {
        fail_msg("docs/JUDGE.md does not say: %s", words);
        return 0;
    }
    return (unsigned)strtoul(at + strlen(words), NULL, 10);
}

TEST(test_counts)
{
    assert_int_equal(said("`tests/data/judge/gpu/cheats` has "),
                     cases_in(DATA "gpu/cheats", ".hip", true));
    assert_int_equal(said("`gpu/cheats/source` "),
                     cases_in(DATA "gpu/cheats/source", ".hip", true));
    assert_int_equal(said("`gpu/honest` "), cases_in(DATA "gpu/honest", ".hip", false));
    assert_int_equal(said("`gpu/honest/source` "),
                     cases_in(DATA "gpu/honest/source", ".hip", false));
}

// Rows "| 6 | ... | `cheats/a.c` `gpu/cheats/b.hip` |": each hack from 1 to 22 has one, each file
// exists.
TEST(test_hacks)
{
    const char *at = strstr(docs, "| hack | guards | C | HIP |");
    unsigned next = 1;
    assert_non_null(at);
    for (at = strchr(at, '\n'); at && at[1] == '|'; at = strchr(at + 1, '\n')) {
        const char *end = strchr(at + 1, '\n');
        unsigned number = 0;
        if (!end || sscanf(at + 1, "| %u ", &number) != 1)
            continue;
        assert_int_equal(number, next++);
        for (const char *p = strchr(at, '`'); p && p < end; p = strchr(p, '`')) {
            char path[512];
            const size_t n = strcspn(p + 1, "`");
            snprintf(path, sizeof path, DATA "%.*s", (int)n, p + 1);
            FILE *f = n > 2 && strchr(path + sizeof DATA, '.') ? fopen(path, "re") : NULL;
            if (!f)
                fail_msg("hack %u: there is no %s", number, path);
            else
                fclose(f);
            p += n + 2;
        }
    }
    assert_int_equal(next, 23);
}

TEST_MAIN(read_docs, free_docs)
