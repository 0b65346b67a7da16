#include "tui/term/term_impl.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"

enum {
    MAGIC_16 = 0432,  /* numbers have two bytes */
    MAGIC_32 = 01036, /* numbers have four bytes */
    /* indices of capabilities: ncurses' include/Caps */
    BOOL_CCC = 27,
    NUM_COLORS = 13,
    NUM_PAIRS = 14,
    STR_OC = 298,
    STR_INITC = 299,
    STR_SETAF = 359,
    STR_SETAB = 360,
    STRINGS_NEEDED = STR_SETAB + 1,
};

/* A parsed entry; pointers lead into the original bytes. */
struct terminfo_entry {
    const unsigned char *names, *bools, *strings, *ext;
    size_t names_len, nbools, nnums, nstrs, strings_len, ext_len;
    int32_t nums[64];
    int strs[1024];
};

static int get_terminfo_short(const unsigned char *p)
{
    return (int16_t)(p[0] | p[1] << 8);
}

static int32_t get_terminfo_long(const unsigned char *p)
{
    return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                     (uint32_t)p[3] << 24);
}

static bool parse_terminfo_entry(struct terminfo_entry *e, const unsigned char *p, size_t len)
{
    if (len < 12)
        return false;
    int magic = get_terminfo_short(p), wide = magic == MAGIC_32 ? 4 : 2;
    int header[5];
    for (int i = 0; i < 5; i++) {
        header[i] = get_terminfo_short(p + 2 + 2 * i);
        if (header[i] < 0)
            return false;
    }
    if ((magic != MAGIC_16 && magic != MAGIC_32) || header[2] > 64 || header[3] > 1024)
        return false;
    size_t at = 12;
    e->names = p + at;
    e->names_len = (size_t)header[0];
    at += e->names_len;
    e->bools = p + at;
    e->nbools = (size_t)header[1];
    at += e->nbools;
    at += at & 1;
    size_t nums = at;
    e->nnums = (size_t)header[2];
    at += e->nnums * (size_t)wide;
    size_t strs = at;
    e->nstrs = (size_t)header[3];
    at += e->nstrs * 2;
    e->strings_len = (size_t)header[4];
    if (at + e->strings_len > len)
        return false;
    e->strings = p + at;
    at += e->strings_len;
    for (size_t i = 0; i < e->nnums; i++)
        e->nums[i] =
            wide == 4 ? get_terminfo_long(p + nums + i * 4) : get_terminfo_short(p + nums + i * 2);
    for (size_t i = 0; i < e->nstrs; i++)
        e->strs[i] = get_terminfo_short(p + strs + i * 2);
    at += at & 1;
    e->ext = at < len ? p + at : NULL;
    e->ext_len = at < len ? len - at : 0;
    return true;
}

int term_info_colors(const unsigned char *entry, size_t len)
{
    struct terminfo_entry e;
    if (!parse_terminfo_entry(&e, entry, len))
        return -1;
    return e.nnums > NUM_COLORS && e.nums[NUM_COLORS] > 0 ? e.nums[NUM_COLORS] : 0;
}

/* --- writing --- */

struct terminfo_bytes {
    unsigned char data[TERM_INFO_MAX];
    size_t n;
    bool full;
};

static void put_terminfo_bytes(struct terminfo_bytes *b, const void *p, size_t n)
{
    if (b->n + n > sizeof b->data) {
        b->full = true;
        return;
    }
    memcpy(b->data + b->n, p, n);
    b->n += n;
}

static void put_terminfo_short(struct terminfo_bytes *b, int v)
{
    put_terminfo_bytes(b, (unsigned char[]){(unsigned char)v, (unsigned char)(v >> 8)}, 2);
}

static void put_terminfo_long(struct terminfo_bytes *b, int32_t v)
{
    put_terminfo_bytes(b,
                       (unsigned char[]){(unsigned char)v, (unsigned char)(v >> 8),
                                         (unsigned char)(v >> 16), (unsigned char)(v >> 24)},
                       4);
}

static void pad_to_even(struct terminfo_bytes *b)
{
    if (b->n & 1)
        put_terminfo_bytes(b, "", 1);
}

/*
 * Writes the extended part with the boolean RGB before all others, which makes ncurses read colour
 * numbers as red, green and blue. Without it start_color() would allocate a table of 16.7 million
 * colours. Layout: counts of booleans, numbers, strings, all strings, bytes; the values; then the
 * names.
 */
static bool put_extended(struct terminfo_bytes *b, const struct terminfo_entry *e)
{
    static const unsigned char none[10];
    const unsigned char *x = e->ext_len >= 10 ? e->ext : none;
    int nb = get_terminfo_short(x), nn = get_terminfo_short(x + 2), ns = get_terminfo_short(x + 4),
        table = get_terminfo_short(x + 8);
    if (nb < 0 || nn < 0 || ns < 0 || table < 0 || nb + nn + ns > 2048)
        return false;
    size_t bools = 10, nums = bools + (size_t)nb;
    nums += nums & 1;
    size_t wide = 2; /* size of the original's numbers: the one for which the sizes agree */
    for (;; wide = 4) {
        size_t strs = nums + (size_t)nn * wide;
        if (e->ext_len < 10 || strs + (size_t)(ns + nb + nn + ns) * 2 + (size_t)table == e->ext_len)
            break;
        if (wide == 4)
            return false;
    }
    size_t strs = nums + (size_t)nn * wide, name_offs = strs + (size_t)ns * 2;
    size_t text = name_offs + (size_t)(nb + nn + ns) * 2;
    put_terminfo_short(b, nb + 1);
    put_terminfo_short(b, nn);
    put_terminfo_short(b, ns);
    put_terminfo_short(b, ns + nb + 1 + nn + ns);
    put_terminfo_short(b, table + 4);
    put_terminfo_bytes(b, "\1", 1);
    put_terminfo_bytes(b, x + bools, (size_t)nb);
    pad_to_even(b);
    for (int i = 0; i < nn; i++)
        put_terminfo_long(b, wide == 4 ? get_terminfo_long(x + nums + (size_t)i * 4)
                                       : get_terminfo_short(x + nums + (size_t)i * 2));
    put_terminfo_bytes(b, x + strs, (size_t)ns * 2);
    /* Names are counted from the end of the values; the new name comes after all others. */
    int values = 0;
    for (int i = 0; i < ns; i++) {
        int off = get_terminfo_short(x + strs + (size_t)i * 2);
        if (off >= table)
            return false;
        const unsigned char *s = x + text + off;
        const unsigned char *end = off >= 0 ? memchr(s, 0, (size_t)(table - off)) : NULL;
        if (end && (int)(end - (x + text)) + 1 > values)
            values = (int)(end - (x + text)) + 1;
    }
    put_terminfo_short(b, table - values);
    put_terminfo_bytes(b, x + name_offs, (size_t)(nb + nn + ns) * 2);
    put_terminfo_bytes(b, x + text, (size_t)table);
    put_terminfo_bytes(b, "RGB", 4);
    return true;
}

char *term_info_hex(const unsigned char *entry, size_t len)
{
    static const char digit[] = "0123456789ABCDEF";
    char *hex = xcalloc(len * 2 + 5, 1);
    strcpy(hex, "hex:");
    for (size_t i = 0; i < len; i++) {
        hex[4 + i * 2] = digit[entry[i] >> 4];
        hex[5 + i * 2] = digit[entry[i] & 15];
    }
    return hex;
}

char *term_info_direct(const unsigned char *entry, size_t len)
{
    static const char setaf[] = "\033[38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%dm";
    static const char setab[] = "\033[48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%dm";
    struct terminfo_entry e;
    if (!parse_terminfo_entry(&e, entry, len) || e.nstrs < STRINGS_NEEDED || e.nnums <= NUM_PAIRS)
        return NULL;
    /* not cleared: 32 KiB, of which only a little is used */
    struct terminfo_bytes made, *b = &made;
    b->n = 0;
    b->full = false;
    size_t table = e.strings_len + sizeof setaf + sizeof setab;
    put_terminfo_short(b, MAGIC_32);
    put_terminfo_short(b, (int)e.names_len);
    put_terminfo_short(b, (int)e.nbools);
    put_terminfo_short(b, (int)e.nnums);
    put_terminfo_short(b, (int)e.nstrs);
    put_terminfo_short(b, (int)table);
    put_terminfo_bytes(b, e.names, e.names_len);
    for (size_t i = 0; i < e.nbools; i++)
        put_terminfo_bytes(b, i == BOOL_CCC ? (const unsigned char *)"" : e.bools + i, 1);
    pad_to_even(b);
    e.nums[NUM_COLORS] = 0x1000000;
    e.nums[NUM_PAIRS] = 0x7fff;
    for (size_t i = 0; i < e.nnums; i++)
        put_terminfo_long(b, e.nums[i]);
    e.strs[STR_OC] = e.strs[STR_INITC] = -1;
    e.strs[STR_SETAF] = (int)e.strings_len;
    e.strs[STR_SETAB] = (int)(e.strings_len + sizeof setaf);
    for (size_t i = 0; i < e.nstrs; i++)
        put_terminfo_short(b, e.strs[i]);
    put_terminfo_bytes(b, e.strings, e.strings_len);
    put_terminfo_bytes(b, setaf, sizeof setaf);
    put_terminfo_bytes(b, setab, sizeof setab);
    pad_to_even(b);
    bool ok = table < 0x7fff && put_extended(b, &e) && !b->full;
    return ok ? term_info_hex(b->data, b->n) : NULL;
}

/* --- finding --- */

static long read_terminfo_file(const char *dir, size_t dir_len, const char *term,
                               unsigned char *out)
{
    char path[4096];
    for (int form = 0; form < 2;
         form++) { /* folders are named by letter, or by its number on file systems without case */
        if (form == 0)
            snprintf(path, sizeof path, "%.*s/%c/%s", (int)dir_len, dir, term[0], term);
        else
            snprintf(path, sizeof path, "%.*s/%02x/%s", (int)dir_len, dir, (unsigned char)term[0],
                     term);
        FILE *f = fopen(path, "re");
        if (!f)
            continue;
        size_t n = fread(out, 1, TERM_INFO_MAX, f);
        fclose(f);
        if (n >= 12)
            return (long)n;
    }
    return -ENOENT;
}

/* For systems that have no terminfo of that terminal. */
static long copy_carried_entry(const char *term, unsigned char out[TERM_INFO_MAX])
{
    for (const struct carried_entry *c = term_carried; c->name; c++)
        if (strcmp(c->name, term) == 0 && c->size <= TERM_INFO_MAX) {
            memcpy(out, c->bytes, c->size);
            return (long)c->size;
        }
    return -ENOENT;
}

long term_info_read(const char *term, unsigned char out[TERM_INFO_MAX])
{
    static const char places[] =
        "/etc/terminfo:/lib/terminfo:/usr/share/terminfo:/usr/lib/terminfo";
    char home[1024] = "", list[6000];
    if (!term[0] || strchr(term, '/'))
        return -ENOENT;
    if (env_get("HOME"))
        snprintf(home, sizeof home, "%s/.terminfo", env_get("HOME"));
    snprintf(list, sizeof list, "%.1000s:%s:%.3000s:%s",
             env_get("TERMINFO") ? env_get("TERMINFO") : "", home,
             env_get("TERMINFO_DIRS") ? env_get("TERMINFO_DIRS") : "", places);
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ":");
        long got = n ? read_terminfo_file(p, n, term, out) : -ENOENT;
        if (got > 0)
            return got;
        p += n + (p[n] == ':');
    }
    return copy_carried_entry(term, out);
}
