/*
 * compile_commands.json with any bytes: words and paths are not longer than their source, paths
 * are plain, and what is taken for the GPU's build has no more words than the command.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/reproduce/device_build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_plain(const char *path)
{
    if (path[0] != '/' || strstr(path, "//") || strstr(path, "/../") || strstr(path, "/./"))
        abort();
}

static void look_at(const struct compile_command *c)
{
    struct arena arena = {0};
    struct device_build b;
    expect_plain(c->file);
    expect_plain(c->directory);
    device_build_of(&b, c, &arena);
    if (b.n > c->argc)
        abort();
    for (size_t i = 0; i < b.n; i++)
        if (b.words[i].path)
            expect_plain(b.words[i].path);
    arena_free(&arena);
}

static void read_words(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    size_t argc, bytes = 0;
    const char *line = arena_strndup(&arena, (const char *)data, size);
    const char **argv = shell_split(&arena, line, &argc);
    for (size_t i = 0; i < argc; i++)
        bytes += strlen(argv[i]);
    if (argv[argc] || bytes > strlen(line))
        abort();
    expect_plain(path_plain(&arena, "/base", line));
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct compile_commands *c = NULL;
    struct error err = ERROR_INIT;
    char path[64];
    read_words(data, size);
    const int fd = memfd_create("commands", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (compile_commands_read(&c, path, &err) != 0 && (!err.what[0] || !err.why[0]))
        abort();
    for (size_t i = 0; c && i < c->n; i++)
        look_at(&c->all[i]);
    compile_commands_free(c);
    close(fd);
    return 0;
}
