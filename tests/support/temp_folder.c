#include "support/temp_folder.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cmocka.h>

enum { PATH_MAX_ = 512 };

char temp_folder[64];

int temp_folder_make(void **state)
{
    (void)state;
    strcpy(temp_folder, "/tmp/rooftop-test-XXXXXX");
    return mkdtemp(temp_folder) && setenv("D", temp_folder, 1) == 0 ? 0 : -1;
}

static int drop(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

int temp_folder_remove(void **state)
{
    (void)state;
    return nftw(temp_folder, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static void path_of(const char *name, char path[PATH_MAX_])
{
    int n = snprintf(path, PATH_MAX_, "%s/%s", temp_folder, name);
    assert_in_range(n, 1, PATH_MAX_ - 1);
    for (char *at = path + strlen(temp_folder) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
}

void temp_folder_put(const char *name, const char *text)
{
    char path[PATH_MAX_];
    path_of(name, path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

void temp_folder_pack(const char *name, const char *text)
{
    char path[PATH_MAX_];
    path_of(name, path);
    gzFile f = gzopen(path, "w");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, text, (unsigned)strlen(text)), strlen(text));
    assert_int_equal(gzclose(f), Z_OK);
}
