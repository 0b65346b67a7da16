#include "capture/capture_impl.h"

#include <errno.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/calls.h"

struct code_copy {
    size_t size; /* of the bytes that follow */
    unsigned holders;
    char padding[48];
};
_Static_assert(sizeof(struct code_copy) == 64, "bytes behind it are aligned");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map readers = {.record = sizeof(struct code_copy *)};     /* by reader */
static struct map objects = {.record = sizeof(struct captured_object)}; /* by number */
static uint64_t last_object;

static struct code_copy *code_new(size_t size)
{
    struct code_copy *c = map_memory(sizeof *c + size);
    if (c)
        *c = (struct code_copy){.size = size, .holders = 1};
    return c;
}

/* Called under the lock. */
static void release_code_copy(struct code_copy *c)
{
    if (c && --c->holders == 0)
        map_memory_free(c, sizeof *c + c->size);
}

void code_drop(struct code_copy *c)
{
    pthread_mutex_lock(&lock);
    release_code_copy(c);
    pthread_mutex_unlock(&lock);
}

const void *code_data(const struct code_copy *c)
{
    return c + 1;
}

size_t code_size(const struct code_copy *c)
{
    return c->size;
}

static bool keep_reader(uint64_t reader, struct code_copy *c)
{
    if (!c)
        return false;
    pthread_mutex_lock(&lock);
    struct code_copy **slot = map_put(&readers, reader);
    if (slot) {
        release_code_copy(*slot);
        *slot = c;
    } else {
        release_code_copy(c);
    }
    pthread_mutex_unlock(&lock);
    return slot;
}

bool objects_reader_memory(uint64_t reader, const void *bytes, size_t size)
{
    struct code_copy *c = code_new(size);
    if (c)
        memcpy(c + 1, bytes, size);
    return keep_reader(reader, c);
}

bool objects_reader_file(uint64_t reader, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size <= 0)
        return false;
    struct code_copy *c = code_new((size_t)st.st_size);
    for (size_t done = 0; c && done < c->size;) {
        const ssize_t n = pread(fd, (char *)(c + 1) + done, c->size - done, (off_t)done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR) {
            code_drop(c);
            c = NULL;
        }
    }
    return keep_reader(reader, c);
}

void objects_reader_gone(uint64_t reader)
{
    pthread_mutex_lock(&lock);
    struct code_copy **slot = map_get(&readers, reader);
    if (slot) {
        release_code_copy(*slot);
        map_remove(&readers, reader);
    }
    pthread_mutex_unlock(&lock);
}

bool objects_loaded(uint64_t executable, uint64_t reader, uint64_t loaded)
{
    pthread_mutex_lock(&lock);
    struct code_copy **slot = map_get(&readers, reader);
    struct captured_object *o = slot ? map_put(&objects, ++last_object) : NULL;
    if (o) {
        *o = (struct captured_object){.executable = executable, .loaded = loaded, .code = *slot};
        o->code->holders++;
    }
    pthread_mutex_unlock(&lock);
    return o;
}

void objects_executable_gone(uint64_t executable)
{
    uint64_t key;
    pthread_mutex_lock(&lock);
    size_t at = 0;
    for (struct captured_object *o; (o = map_next(&objects, &at, &key));)
        if (o->executable == executable) {
            release_code_copy(o->code);
            map_remove(&objects, key);
        }
    pthread_mutex_unlock(&lock);
}

/*
 * Asks the loader where it put the object. Called without our lock, because the loader has its own.
 */
static void locate_object(struct captured_object *o)
{
    hsa_ven_amd_loader_1_01_pfn_t loader = {0};
    const hsa_loaded_code_object_t handle = {o->loaded};
    if (hsa.system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof loader, &loader) !=
            HSA_STATUS_SUCCESS ||
        !loader.hsa_ven_amd_loader_loaded_code_object_get_info)
        return;
    uint64_t base = 0, size = 0;
    int64_t delta = 0;
    if (loader.hsa_ven_amd_loader_loaded_code_object_get_info(
            handle, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE, &base) ||
        loader.hsa_ven_amd_loader_loaded_code_object_get_info(
            handle, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE, &size) ||
        loader.hsa_ven_amd_loader_loaded_code_object_get_info(
            handle, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA, &delta))
        return;
    o->base = base;
    o->size = size;
    o->delta = delta;
}

/* Finds the next object that was not located yet, and its number. */
static bool next_unlocated(uint64_t *after, struct captured_object *out)
{
    uint64_t key, best = 0;
    size_t at = 0;
    pthread_mutex_lock(&lock);
    for (struct captured_object *o; (o = map_next(&objects, &at, &key));)
        if (o->size == 0 && key > *after && (!best || key < best)) {
            best = key;
            *out = *o;
        }
    pthread_mutex_unlock(&lock);
    *after = best;
    return best;
}

static void locate_all(void)
{
    struct captured_object o = {0};
    for (uint64_t key = 0; next_unlocated(&key, &o);) {
        locate_object(&o);
        pthread_mutex_lock(&lock);
        struct captured_object *kept = map_get(&objects, key);
        if (kept) {
            kept->base = o.base;
            kept->size = o.size;
            kept->delta = o.delta;
        }
        pthread_mutex_unlock(&lock);
    }
}

static bool find_object(uint64_t address, struct captured_object *out)
{
    bool found = false;
    size_t at = 0;
    pthread_mutex_lock(&lock);
    for (struct captured_object *o; !found && (o = map_next(&objects, &at, NULL));)
        if (address - o->base < o->size) {
            *out = *o;
            o->code->holders++;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

bool objects_at(uint64_t address, struct captured_object *out)
{
    if (find_object(address, out))
        return true;
    locate_all();
    return find_object(address, out);
}

void objects_reset(void)
{
    size_t at = 0;
    pthread_mutex_lock(&lock);
    for (struct captured_object *o; (o = map_next(&objects, &at, NULL));)
        release_code_copy(o->code);
    at = 0;
    for (struct code_copy **c; (c = map_next(&readers, &at, NULL));)
        release_code_copy(*c);
    map_clear(&objects);
    map_clear(&readers);
    pthread_mutex_unlock(&lock);
}
