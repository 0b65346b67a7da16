#include "engine/replay/replay_key.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/arena.h"

enum { CHUNK = 1 << 16 };
#define FILE_MAX ((uint64_t)1 << 30)

/* Adds a regular file's contents to the hash; false if it cannot be read. */
static bool add_file(XXH3_state_t *h, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= FILE_MAX;
    char *chunk = xcalloc(CHUNK, 1);
    for (ssize_t n = 1; ok && n > 0;) {
        n = read(fd, chunk, CHUNK);
        ok = n >= 0;
        if (n > 0)
            XXH3_64bits_update(h, chunk, (size_t)n);
    }
    free(chunk);
    close(fd);
    return ok;
}

static bool add_below(XXH3_state_t *h, const char *folder, const char *name)
{
    char path[4300];
    snprintf(path, sizeof path, "%.4096s/%s", folder, name);
    return add_file(h, path);
}

static void put_digest(char out[REPLAY_HASH_TEXT], XXH3_state_t *h, bool read)
{
    out[0] = '\0';
    if (read)
        snprintf(out, REPLAY_HASH_TEXT, "%016" PRIx64, (uint64_t)XXH3_64bits_digest(h));
    XXH3_64bits_reset(h);
}

void replay_key_of(struct replay_key *out, const struct capture *head)
{
    XXH3_state_t *h = XXH3_createState();
    if (!h)
        abort();
    XXH3_64bits_reset(h);
    snprintf(out->kernel, sizeof out->kernel, "%s", head->mangled_name);
    /* capture_complete contains the checksums of the documents, and those the checksums of all
     * other files; captures of other tools do not have it */
    bool read = add_below(h, head->path, "capture_complete");
    if (!read) {
        read = add_below(h, head->path, "dispatch.json");
        read = add_below(h, head->path, "memory_regions.json") || read;
    }
    put_digest(out->capture, h, read);
    read = add_below(h, head->path, "kernel.hsaco");
    put_digest(out->code, h, read);
    XXH3_freeState(h);
}

void replay_key_code(struct replay_key *key, const char *hsaco)
{
    XXH3_state_t *h = XXH3_createState();
    if (!h)
        abort();
    XXH3_64bits_reset(h);
    bool read = add_file(h, hsaco);
    put_digest(key->code, h, read);
    XXH3_freeState(h);
}
