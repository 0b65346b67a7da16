#include "support/brick_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <unistd.h>

static char folder[64];

const char *brick_folder_begin(void)
{
    strcpy(folder, "/tmp/rooftop-bricks-XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("ROOFTOP_BRICKS", folder, 1);
    setenv("ROOFTOP_BRICKS_MIB", "128", 1);
    return folder;
}

void brick_folder_end(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(folder);
}

struct brick_reader *brick_file_open(int pid)
{
    struct brick_reader *r = NULL;
    struct error err = ERROR_INIT;
    char path[128], text[800];
    int i = 0;
    do
        snprintf(path, sizeof path, "%s/rooftop-%d-%d.bricks", folder, pid, i++);
    while (access(path, F_OK) == 0);
    snprintf(path, sizeof path, "%s/rooftop-%d-%d.bricks", folder, pid, i - 2);
    if (brick_reader_open(&r, path, &err) != 0)
        fail_msg("%s", error_format(&err, text, sizeof text));
    return r;
}

const struct brick_node *brick_file_node(const struct brick_reader *r, const char *path)
{
    uint32_t n, parent = BRICK_NONE;
    const struct brick_node *nodes = brick_reader_nodes(r, &n);
    for (;;) {
        size_t len = strcspn(path, "/");
        uint32_t i = 0;
        for (; i < n; i++) {
            const char *name = brick_reader_what(r, nodes[i].what)->name;
            if (nodes[i].parent == parent && strlen(name) == len && memcmp(name, path, len) == 0)
                break;
        }
        if (i == n)
            return NULL;
        if (path[len] == '\0')
            return &nodes[i];
        parent = i;
        path += len + 1;
    }
}
