#include "capture/capture_impl.h"

#include <pthread.h>
#include <string.h>

enum { FIRST_ROOM = 1024, CHUNK = 1 << 18, NAME_ROOM = 1 << 16 };

/* Open addressing. A larger table replaces a smaller one, which is kept because a thread may still
 * read it. */
struct seen_table {
    size_t room, used;
    struct {
        _Atomic uint64_t key;
        struct seen *_Atomic value; /* NULL: its executable was destroyed */
    } slots[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held by all writers */
static struct seen_table *_Atomic table;
static struct seen_name *names;
static char *chunk, *name_buffer;
static size_t chunk_left;

/* Takes memory that is never freed; its amount is bounded by the number of kernels. */
static void *take_seen_memory(size_t size)
{
    size = (size + 15) / 16 * 16;
    if (size > CHUNK / 4)
        return map_memory(size);
    if (size > chunk_left) {
        char *fresh = map_memory(CHUNK);
        if (!fresh)
            return NULL;
        chunk = fresh;
        chunk_left = CHUNK;
    }
    chunk_left -= size;
    return chunk + chunk_left;
}

static const char *keep_name(const char *text, size_t len)
{
    char *to = take_seen_memory(len + 1);
    if (to) {
        memcpy(to, text, len);
        to[len] = '\0';
    }
    return to;
}

static size_t hash_kernel_object(uint64_t key, size_t room)
{
    return (size_t)((key >> 6) * 0x9e3779b97f4a7c15ull >> 20) & (room - 1);
}

static struct seen *look_up(const struct seen_table *t, uint64_t object)
{
    if (!t)
        return NULL;
    for (size_t i = hash_kernel_object(object, t->room);; i = (i + 1) & (t->room - 1)) {
        const uint64_t key = atomic_load_explicit(&t->slots[i].key, memory_order_acquire);
        if (key == object)
            return atomic_load_explicit(&t->slots[i].value, memory_order_acquire);
        if (key == 0)
            return NULL;
    }
}

/* Inserts a kernel; there must be a free slot. */
static void insert_kernel(struct seen_table *t, uint64_t object, struct seen *value)
{
    size_t i = hash_kernel_object(object, t->room);
    while (t->slots[i].key && t->slots[i].key != object)
        i = (i + 1) & (t->room - 1);
    t->used += t->slots[i].key == 0;
    atomic_store_explicit(&t->slots[i].value, value, memory_order_release);
    atomic_store_explicit(&t->slots[i].key, object, memory_order_release);
}

static bool grow_seen_table(void)
{
    struct seen_table *t = table;
    if (t && 2 * (t->used + 1) <= t->room)
        return true;
    const size_t room = t ? 2 * t->room : FIRST_ROOM;
    struct seen_table *larger = map_memory(sizeof *larger + room * sizeof larger->slots[0]);
    if (!larger)
        return false;
    larger->room = room;
    for (size_t i = 0; t && i < t->room; i++)
        if (t->slots[i].value)
            insert_kernel(larger, t->slots[i].key, t->slots[i].value);
    atomic_store(&table, larger);
    return true;
}

/* --- names of kernels --- */

static struct seen_name *intern_kernel_name(const char *mangled, size_t len)
{
    for (struct seen_name *n = names; n; n = n->next)
        if (strlen(n->mangled) == len && memcmp(n->mangled, mangled, len) == 0)
            return n;
    struct seen_name *n = take_seen_memory(sizeof *n);
    if (!name_buffer)
        name_buffer = map_memory(NAME_ROOM);
    if (!n || !name_buffer)
        return NULL;
    memset(n, 0, sizeof *n);
    n->mangled = keep_name(mangled, len);
    if (!n->mangled)
        return NULL;
    demangle_kernel(n->mangled, name_buffer, NAME_ROOM);
    n->demangled = keep_name(name_buffer, strlen(name_buffer));
    if (!n->demangled)
        return NULL;
    n->row = control_kernel_row(tool.control, n->mangled,
                                len ? n->demangled : "(not from a known code object)");
    n->next = names;
    names = n;
    return n;
}

static size_t without_kd(const char *name)
{
    const size_t len = strlen(name);
    return len > 3 && strcmp(name + len - 3, ".kd") == 0 ? len - 3 : len;
}

static struct seen_name *find_name(const struct captured_object *o, uint64_t object)
{
    struct captured_symbol s;
    for (size_t at = 0; code_next_symbol(code_data(o->code), code_size(o->code), &at, &s);)
        if (s.kernel && s.address + (uint64_t)o->delta == object)
            return intern_kernel_name(s.name, without_kd(s.name));
    return intern_kernel_name("", 0);
}

static struct seen *learn_kernel(uint64_t object)
{
    struct captured_object o = {0};
    const bool known = objects_at(object, &o);
    struct seen *s = take_seen_memory(sizeof *s);
    struct seen_name *name = known ? find_name(&o, object) : intern_kernel_name("", 0);
    if (known)
        code_drop(o.code);
    if (!s || !name || !grow_seen_table())
        return NULL;
    *s = (struct seen){.object = object, .executable = o.executable, .name = name};
    insert_kernel(table, object, s);
    return s;
}

struct seen *seen_at(uint64_t object)
{
    struct seen *s = look_up(atomic_load_explicit(&table, memory_order_acquire), object);
    if (s || object == 0)
        return s;
    pthread_mutex_lock(&lock);
    s = look_up(table, object);
    s = s ? s : learn_kernel(object);
    pthread_mutex_unlock(&lock);
    return s;
}

static void forget_kernels(bool all, uint64_t executable)
{
    pthread_mutex_lock(&lock);
    struct seen_table *t = table;
    for (size_t i = 0; t && i < t->room; i++) {
        const struct seen *s = t->slots[i].value;
        if (s && (all || s->executable == executable))
            atomic_store(&t->slots[i].value, NULL);
    }
    pthread_mutex_unlock(&lock);
}

void seen_executable_gone(uint64_t executable)
{
    forget_kernels(false, executable);
}

void seen_reset(void)
{
    forget_kernels(true, 0);
}
