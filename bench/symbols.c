/*
 * symbols FILE [-p] <ADDRESSES: names the addresses (hexadecimal, in the file's own address space,
 * one a line) without a warm cache, and prints the cost as JSON. -p prints the frames instead, as
 * addr2line -fiCe does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/env.h"
#include "symbols/symbols.h"

enum { FRAMES = 64 };

static void print(const struct symbol_frame *frames, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%s\n%s:%d\n", frames[i].name, frames[i].file ? frames[i].file : "??",
               frames[i].line);
    if (n == 0)
        printf("??\n??:0\n");
}

int main(int argc, char **argv)
{
    uint64_t *at = NULL, ip;
    size_t n = 0, cap = 0, named = 0, inlined = 0, lines = 0;
    if (argc < 2)
        return 2;
    while (scanf("%" SCNx64, &ip) == 1) {
        if (n == cap)
            at = xrealloc(at, cap = cap ? cap * 2 : 4096, sizeof *at);
        at[n++] = ip;
    }
    uint64_t begin = env_now_ns();
    struct error err = ERROR_INIT;
    struct symbols *s = symbols_new((size_t)4 << 30);
    struct symbol_file *f = symbols_file(s, argv[1], &err);
    struct symbol_frame frames[FRAMES];
    for (size_t i = 0; f && i < n; i++) {
        size_t got = symbol_file_resolve(f, at[i], frames, FRAMES);
        named += got > 0;
        inlined += got > 1;
        lines += got && frames[0].line > 0;
        if (argc > 2)
            print(frames, got);
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    if (argc <= 2)
        printf("{\"addresses\": %zu, \"named\": %zu, \"inlined\": %zu, \"lines\": %zu, "
               "\"seconds\": %.3f, \"tables_mib\": %.1f, \"rss_mib\": %.1f}\n",
               n, named, inlined, lines, (double)(env_now_ns() - begin) / 1e9,
               (double)symbols_memory(s) / 1048576, (double)use.ru_maxrss / 1024);
    symbols_free(s);
    free(at);
    return f ? 0 : 1;
}
