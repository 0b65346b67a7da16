#include "symbols/symbols_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"
#include "base/search.h"

enum { ROWS_MAX = 4 << 20, TEXT_MAX = 256 << 20, FUNCTION_MAX = 1 << 20 };
static const uint64_t retry_first_ns = 1000000000u, retry_last_ns = 300000000000u;

struct linux_symbol {
    uint64_t address;
    uint32_t size; /* reaches to the next symbol of any kind */
    uint32_t name; /* offset in text; the module's name, or "", follows it */
    bool code;
};

struct kernel_symbols {
    struct strings *strings;
    struct linux_symbol *rows;
    size_t n, cap;
    char *text;
    size_t used, room;
    bool read;
    uint64_t again_ns, wait_ns; /* when to read the list again for an unknown address */
};

struct kernel_symbols *kernel_symbols_new(struct strings *strings)
{
    struct kernel_symbols *k = xcalloc(1, sizeof *k);
    k->strings = strings;
    k->wait_ns = retry_first_ns;
    return k;
}

void kernel_symbols_free(struct kernel_symbols *k)
{
    if (!k)
        return;
    free(k->rows);
    free(k->text);
    free(k);
}

size_t kernel_symbols_memory(const struct kernel_symbols *k)
{
    return k ? k->cap * sizeof *k->rows + k->room : 0;
}

static void put_kernel_text(struct kernel_symbols *k, const char *text, size_t len)
{
    if (k->used + len + 1 > k->room) {
        k->room = k->room ? k->room * 2 : 1 << 20;
        k->text = xrealloc(k->text, k->room, 1);
    }
    memcpy(k->text + k->used, text, len);
    k->text[k->used + len] = '\0';
    k->used += len + 1;
}

/* Parses "ffffffff81000000 T _stext", perhaps followed by "\t[module]". False: the line is
 * something else. */
static bool add_kallsyms_line(struct kernel_symbols *k, char *line)
{
    char *p = line;
    uint64_t address = strtoull(line, &p, 16);
    if (p == line || p[0] != ' ' || !isalpha((unsigned char)p[1]) || p[2] != ' ' || address == 0 ||
        k->n >= ROWS_MAX || k->used > TEXT_MAX)
        return false;
    const char *name = p + 3, *module = strchr(name, '[');
    size_t len = strcspn(name, "\t\n "), module_len = module ? strcspn(module, "\n") : 0;
    int type = tolower((unsigned char)p[1]);
    LIST_ROOM(k->rows, k->n, k->cap);
    struct linux_symbol *r = &k->rows[k->n++];
    *r = (struct linux_symbol){.address = address, .name = (uint32_t)k->used};
    r->code = (type == 't' || type == 'w') && len > 0;
    if (!r->code)
        return true;
    put_kernel_text(k, name, len);
    put_kernel_text(k, module ? module : "", module_len < 128 ? module_len : 128);
    return true;
}

static int compare_linux_symbols(const void *a, const void *b)
{
    const struct linux_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->code != y->code)
        return x->code ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static void set_sizes(struct kernel_symbols *k)
{
    size_t n = 0;
    if (k->n)
        qsort(k->rows, k->n, sizeof *k->rows, compare_linux_symbols);
    for (size_t i = 0; i < k->n; i++) {
        if (n == 0 || k->rows[n - 1].address != k->rows[i].address)
            k->rows[n++] = k->rows[i];
    }
    k->n = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t next = i + 1 < n ? k->rows[i + 1].address : UINT64_MAX;
        uint64_t size = next - k->rows[i].address;
        k->rows[i].size = (uint32_t)(size < FUNCTION_MAX ? size : FUNCTION_MAX);
    }
}

static void read_kallsyms(struct kernel_symbols *k)
{
    char path[512], line[1024];
    FILE *f = fopen(env_path(path, sizeof path, "/proc/kallsyms"), "re");
    k->read = true;
    k->n = k->used = 0;
    /* Hidden addresses are all 0, so the first line shows it. */
    bool shown = f != NULL;
    for (size_t i = 0; shown && fgets(line, sizeof line, f); i++)
        shown = add_kallsyms_line(k, line) || i > 0;
    if (f)
        fclose(f);
    set_sizes(k);
}

static const struct linux_symbol *find_linux_symbol(const struct kernel_symbols *k, uint64_t ip)
{
    size_t low = 0;
    SEARCH_FIRST(low, k->n, k->rows[low].address <= ip);
    const struct linux_symbol *r = low ? &k->rows[low - 1] : NULL;
    return r && r->code && ip - r->address < r->size ? r : NULL;
}

/* Modules and BPF programs come and go, so the list is read again; each time that this does not
 * help, the next reading waits longer. */
static const struct linux_symbol *read_kallsyms_again(struct kernel_symbols *k, uint64_t ip)
{
    uint64_t now = env_now_ns();
    if (k->read && now < k->again_ns)
        return NULL;
    read_kallsyms(k);
    const struct linux_symbol *r = find_linux_symbol(k, ip);
    if (r)
        k->wait_ns = retry_first_ns;
    else
        k->wait_ns = k->wait_ns < retry_last_ns / 2 ? k->wait_ns * 2 : retry_last_ns;
    k->again_ns = now + k->wait_ns;
    return r;
}

bool kernel_symbols_find(struct kernel_symbols *k, uint64_t ip, struct symbol_frame *out,
                         const char **module)
{
    const struct linux_symbol *r = find_linux_symbol(k, ip);
    if (!r)
        r = read_kallsyms_again(k, ip);
    if (module)
        *module = NULL;
    if (!r)
        return false;
    const char *name = k->text + r->name, *in = name + strlen(name) + 1;
    *out = (struct symbol_frame){
        .name = strings_add(k->strings, name), .address = r->address, .size = r->size};
    if (module && *in)
        *module = strings_add(k->strings, in);
    return true;
}
