#include "support/nsys_file.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <inttypes.h>
#include <sqlite3.h>

static char dir[64];

int nsys_set_up(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/rooftop-nsys-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

const char *nsys_folder(void)
{
    return dir;
}

static void name_in(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%.60s", dir, name);
}

const char *nsys_path(const char *name)
{
    static char path[128];
    name_in(path, name);
    return path;
}

int nsys_tear_down(void **state)
{
    (void)state;
    DIR *d = opendir(dir);
    if (!d)
        return -1;
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') {
            char path[128];
            name_in(path, e->d_name);
            remove(path);
        }
    closedir(d);
    return rmdir(dir);
}

void nsys_run(const char *path, const char *const *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA synchronous=0; BEGIN", NULL, NULL, NULL);
    for (; *sql; sql++) {
        char *message = NULL;
        sqlite3_exec(db, *sql, NULL, NULL, &message);
        if (message)
            fail_msg("%.100s…: %s", *sql, message);
    }
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
}

static unsigned long long add(unsigned long long h, const void *data, size_t n)
{
    for (const unsigned char *p = data; n--; p++)
        h = (h ^ *p) * 0x100000001b3ull;
    return h;
}

unsigned long long nsys_digest(void)
{
    unsigned long long sum = 0;
    DIR *d = opendir(dir);
    static char block[65536];
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[128];
        name_in(path, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        unsigned long long h = add(1, e->d_name, strlen(e->d_name));
        for (size_t n; f && (n = fread(block, 1, sizeof block, f)) > 0;)
            h = add(h, block, n);
        if (f)
            fclose(f);
        sum += h; /* the sum does not depend on the order of the files */
    }
    closedir(d);
    return sum;
}

void nsys_read(struct trace *t, const char *path)
{
    struct error err = ERROR_INIT;
    unsigned long long before = nsys_digest();
    *t = (struct trace){0};
    if (trace_open(t, &path, 1, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    if (nsys_digest() != before)
        fail_msg("reading %s changed it, or a file beside it", path);
}

char *nsys_dump(const struct trace *t)
{
    const struct graph *g = t->calls;
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t i = 0; i < g->nnodes; i++) {
        fprintf(f, "%s/%s", g->parent[i] == GRAPH_NONE ? "" : graph_name(g, g->parent[i]),
                graph_name(g, i));
        if (g->start[i] != GRAPH_UNKNOWN)
            fprintf(f, " %" PRIu64 "+%" PRIu64, g->start[i], g->duration[i]);
        fprintf(f, "%s\n", g->flags[i] & NODE_FAILED ? " failed" : "");
    }
    fclose(f);
    return text;
}

uint32_t nsys_node(const struct trace *t, const char *name)
{
    uint32_t found = GRAPH_NONE;
    for (uint32_t i = 0; i < t->calls->nnodes; i++) {
        if (strcmp(graph_name(t->calls, i), name) != 0)
            continue;
        if (found != GRAPH_NONE)
            fail_msg("several nodes are called %s", name);
        found = i;
    }
    if (found == GRAPH_NONE)
        fail_msg("no node is called %s", name);
    return found;
}

size_t nsys_links(const struct trace *t, const char *from, const char *to)
{
    const struct graph *g = t->calls;
    size_t n = 0;
    for (uint32_t i = 0; i < g->nedges; i++)
        n += g->edge_kind[i] == EDGE_LAUNCHES &&
             strcmp(graph_name(g, g->edge_from[i]), from) == 0 &&
             strcmp(graph_name(g, g->edge_to[i]), to) == 0;
    return n;
}
