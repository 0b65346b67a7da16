/*
 * Rust's mangled names, form v0. The name is written while it is parsed, by recursive descent.
 * Depth, steps and output are bounded, because a short name that refers to itself can expand to a
 * long text. The grammar is in Rust's RFC 2603.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbols/demangle/demangle.h"

enum { DEPTH_MAX = 200, STEPS_MAX = 20000, LIFETIMES_MAX = 26 };

struct rust {
    const char *start, *p; /* start: after "_R"; back references count from here */
    char *out;
    size_t used, size;
    int depth, steps;
    uint64_t lifetimes; /* bound in the enclosing scopes */
    bool bad, silent;   /* silent: parse without output */
};

static void put_rust_type(struct rust *r);
static void put_rust_path(struct rust *r, bool value);

static void put_n(struct rust *r, const char *text, size_t n)
{
    if (r->silent || r->bad)
        return;
    size_t room = r->size - 1 - r->used;
    memcpy(r->out + r->used, text, n < room ? n : room);
    r->used += n < room ? n : room;
    r->bad |= n > room; /* too long to be useful */
}

static void put_piece(struct rust *r, const char *text)
{
    put_n(r, text, strlen(text));
}

static void put_rust_number(struct rust *r, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_piece(r, text);
}

static bool eat_character(struct rust *r, char c)
{
    if (r->bad || *r->p != c)
        return false;
    r->p++;
    return true;
}

static char next_character(struct rust *r)
{
    if (r->bad || !*r->p) {
        r->bad = true;
        return '\0';
    }
    return *r->p++;
}

static bool enter_production(struct rust *r)
{
    if (r->depth >= DEPTH_MAX || r->steps++ >= STEPS_MAX)
        r->bad = true;
    if (!r->bad)
        r->depth++;
    return !r->bad;
}

/* The value of a base-62 digit; 62 if it is none. */
static unsigned base62_digit(char c)
{
    if (isdigit((unsigned char)c))
        return (unsigned)(c - '0');
    if (islower((unsigned char)c))
        return (unsigned)(c - 'a') + 10;
    return isupper((unsigned char)c) ? (unsigned)(c - 'A') + 36 : 62;
}

/* Reads a base-62 number: "_" is 0, "0_" is 1. */
static uint64_t read_base62(struct rust *r)
{
    uint64_t value = 0;
    if (eat_character(r, '_'))
        return 0;
    while (!r->bad && !eat_character(r, '_')) {
        unsigned digit = base62_digit(next_character(r));
        r->bad |= digit == 62 || value > (UINT64_MAX - 62) / 62;
        value = value * 62 + digit;
    }
    return value + 1;
}

static uint64_t read_optional_base62(struct rust *r, char tag)
{
    return eat_character(r, tag) ? read_base62(r) + 1 : 0;
}

struct identifier {
    const char *text;
    size_t n;
    bool punycode;
};

static struct identifier read_rust_identifier(struct rust *r)
{
    struct identifier id = {.punycode = eat_character(r, 'u')};
    size_t n = 0;
    if (!isdigit((unsigned char)*r->p))
        r->bad = true;
    if (!eat_character(r, '0')) {
        while (!r->bad && isdigit((unsigned char)*r->p) && n < 100000)
            n = n * 10 + (size_t)(*r->p++ - '0');
    }
    eat_character(r, '_');
    if (r->bad || strnlen(r->p, n) < n) {
        r->bad = true;
        return id;
    }
    id.text = r->p;
    id.n = n;
    r->p += n;
    return id;
}

static void put_identifier(struct rust *r, const struct identifier *id)
{
    if (id->punycode)
        put_piece(r, "punycode{");
    if (id->n)
        put_n(r, id->text, id->n);
    if (id->punycode)
        put_piece(r, "}");
}

/* Follows a back reference: parses at an earlier position, then continues here. */
static void follow_back_reference(struct rust *r, void (*parse)(struct rust *, bool), bool value)
{
    const char *here = r->p - 1;
    uint64_t at = read_base62(r);
    if (r->bad || at >= (uint64_t)(here - r->start)) {
        r->bad = true;
        return;
    }
    if (r->silent)
        return;
    const char *after = r->p;
    r->p = r->start + at;
    parse(r, value);
    r->p = after;
}

/* --- lifetimes --- */

static void put_lifetime(struct rust *r, uint64_t index)
{
    put_piece(r, "'");
    if (index == 0) {
        put_piece(r, "_");
        return;
    }
    if (index > r->lifetimes) {
        r->bad = true;
        return;
    }
    uint64_t depth = r->lifetimes - index;
    char letter = (char)('a' + depth % LIFETIMES_MAX);
    put_n(r, &letter, 1);
    if (depth >= LIFETIMES_MAX)
        put_rust_number(r, depth);
}

/* Writes "for<'a, 'b> "; returns how many lifetimes it binds. */
static uint64_t put_binder(struct rust *r)
{
    uint64_t n = read_optional_base62(r, 'G');
    if (n > LIFETIMES_MAX * 4)
        r->bad = true;
    for (uint64_t i = 0; i < n && !r->bad; i++) {
        put_piece(r, i ? ", " : "for<");
        r->lifetimes++;
        put_lifetime(r, 1);
    }
    if (n)
        put_piece(r, "> ");
    return n;
}

/* --- constants --- */

static void put_rust_constant(struct rust *r, bool unused)
{
    (void)unused;
    if (!enter_production(r))
        return;
    char kind = next_character(r);
    if (kind == 'B') {
        follow_back_reference(r, put_rust_constant, false);
    } else if (kind == 'p') {
        put_piece(r, "_");
    } else if (kind && strchr("hmyojtbcalxnsi", kind)) {
        uint64_t value = 0;
        size_t digits = 0;
        const char *from;
        bool minus = eat_character(r, 'n');
        for (from = r->p; isdigit((unsigned char)*r->p) || (*r->p >= 'a' && *r->p <= 'f');
             r->p++, digits++)
            value = value << 4 |
                    (unsigned)(isdigit((unsigned char)*r->p) ? *r->p - '0' : *r->p - 'a' + 10);
        r->bad |= !eat_character(r, '_');
        if (kind == 'b') {
            put_piece(r, value ? "true" : "false");
        } else if (kind == 'c' && value >= 0x20 && value < 0x7f) {
            char text[4] = {'\'', (char)value, '\'', '\0'};
            put_piece(r, text);
        } else {
            put_piece(r, minus ? "-" : "");
            if (digits > 16) {
                put_piece(r, "0x");
                put_n(r, from, digits);
            } else {
                put_rust_number(r, value);
            }
        }
    } else {
        r->bad = true; /* structures and strings: rare in names of code */
    }
    r->depth--;
}

/* --- types --- */

static const char *basic_type(char c)
{
    static const char *const names[] = {"i8",   "bool",  "char",  "f64", "str", "f32", NULL,
                                        "u8",   "isize", "usize", NULL,  "i32", "u32", "i128",
                                        "u128", "_",     NULL,    NULL,  "i16", "u16", "()",
                                        "...",  NULL,    "i64",   "u64", "!"};
    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void type_again(struct rust *r, bool value)
{
    (void)value;
    put_rust_type(r);
}

static void put_rust_reference(struct rust *r, bool mutable)
{
    put_piece(r, "&");
    if (eat_character(r, 'L')) {
        uint64_t lifetime = read_base62(r);
        if (lifetime) {
            put_lifetime(r, lifetime);
            put_piece(r, " ");
        }
    }
    put_piece(r, mutable ? "mut " : "");
    put_rust_type(r);
}

static void function_type(struct rust *r)
{
    uint64_t bound = put_binder(r);
    put_piece(r, eat_character(r, 'U') ? "unsafe " : "");
    if (eat_character(r, 'K')) {
        put_piece(r, "extern \"");
        if (eat_character(r, 'C')) {
            put_piece(r, "C");
        } else {
            struct identifier id = read_rust_identifier(r);
            for (size_t i = 0; i < id.n && !r->bad; i++)
                put_n(r, id.text[i] == '_' ? "-" : &id.text[i], 1);
        }
        put_piece(r, "\" ");
    }
    put_piece(r, "fn(");
    for (size_t i = 0; !r->bad && !eat_character(r, 'E'); i++) {
        put_piece(r, i ? ", " : "");
        put_rust_type(r);
    }
    put_piece(r, ")");
    if (!eat_character(r, 'u')) { /* has a return type */
        put_piece(r, " -> ");
        put_rust_type(r);
    }
    r->lifetimes -= bound;
}

static void generic_arguments(struct rust *r)
{
    for (size_t i = 0; !r->bad && !eat_character(r, 'E'); i++) {
        put_piece(r, i ? ", " : "");
        if (eat_character(r, 'L'))
            put_lifetime(r, read_base62(r));
        else if (eat_character(r, 'K'))
            put_rust_constant(r, false);
        else
            put_rust_type(r);
    }
}

/* Writes a trait's path and leaves its argument list open for the associated types that follow. */
static void open_path(struct rust *r, bool *open)
{
    if (r->bad)
        return;
    if (eat_character(r, 'B')) {
        const char *here = r->p - 1;
        uint64_t at = read_base62(r);
        if (r->bad || at >= (uint64_t)(here - r->start) || !enter_production(r)) {
            r->bad = true;
            return;
        }
        if (!r->silent) {
            const char *after = r->p;
            r->p = r->start + at;
            open_path(r, open);
            r->p = after;
        }
        r->depth--;
    } else if (eat_character(r, 'I')) {
        put_rust_path(r, false);
        put_piece(r, "<");
        *open = true;
        generic_arguments(r);
    } else {
        put_rust_path(r, false);
    }
}

static void dyn_type(struct rust *r)
{
    put_piece(r, "dyn ");
    uint64_t bound = put_binder(r);
    for (size_t i = 0; !r->bad && !eat_character(r, 'E'); i++) {
        bool open = false;
        put_piece(r, i ? " + " : "");
        open_path(r, &open);
        while (eat_character(r, 'p')) {
            put_piece(r, open ? ", " : "<");
            open = true;
            struct identifier id = read_rust_identifier(r);
            put_identifier(r, &id);
            put_piece(r, " = ");
            put_rust_type(r);
        }
        put_piece(r, open ? ">" : "");
    }
    r->lifetimes -= bound;
    r->bad |= !eat_character(r, 'L');
    uint64_t lifetime = read_base62(r);
    if (lifetime) {
        put_piece(r, " + ");
        put_lifetime(r, lifetime);
    }
}

static void put_rust_tuple(struct rust *r)
{
    size_t n = 0;
    put_piece(r, "(");
    for (; !r->bad && !eat_character(r, 'E'); n++) {
        put_piece(r, n ? ", " : "");
        put_rust_type(r);
    }
    put_piece(r, n == 1 ? ",)" : ")");
}

static void put_rust_type(struct rust *r)
{
    if (!enter_production(r))
        return;
    char kind = next_character(r);
    const char *basic = basic_type(kind);
    if (basic) {
        put_piece(r, basic);
    } else if (kind == 'R' || kind == 'Q') {
        put_rust_reference(r, kind == 'Q');
    } else if (kind == 'P' || kind == 'O') {
        put_piece(r, kind == 'P' ? "*const " : "*mut ");
        put_rust_type(r);
    } else if (kind == 'A' || kind == 'S') {
        put_piece(r, "[");
        put_rust_type(r);
        if (kind == 'A') {
            put_piece(r, "; ");
            put_rust_constant(r, false);
        }
        put_piece(r, "]");
    } else if (kind == 'T') {
        put_rust_tuple(r);
    } else if (kind == 'F') {
        function_type(r);
    } else if (kind == 'D') {
        dyn_type(r);
    } else if (kind == 'B') {
        follow_back_reference(r, type_again, false);
    } else if (!r->bad) {
        r->p--;
        put_rust_path(r, false);
    }
    r->depth--;
}

/* --- paths --- */

/* Skips the path of an implementation, because its type is enough. */
static void skip_implementation(struct rust *r)
{
    bool silent = r->silent;
    read_optional_base62(r, 's');
    r->silent = true;
    put_rust_path(r, false);
    r->silent = silent;
}

static void put_nested_path(struct rust *r, bool value)
{
    char space = next_character(r);
    if (!isalpha((unsigned char)space)) {
        r->bad = true;
        return;
    }
    put_rust_path(r, value);
    uint64_t number = read_optional_base62(r, 's');
    struct identifier id = read_rust_identifier(r);
    if (islower((unsigned char)space)) {
        put_piece(r, id.n ? "::" : "");
        put_identifier(r, &id);
        return;
    }
    if (space == 'C') {
        put_piece(r, "::{closure");
    } else if (space == 'S') {
        put_piece(r, "::{shim");
    } else {
        put_piece(r, "::{");
        put_n(r, &space, 1);
    }
    if (id.n) {
        put_piece(r, ":");
        put_identifier(r, &id);
    }
    put_piece(r, "#");
    put_rust_number(r, number);
    put_piece(r, "}");
}

static void put_rust_path(struct rust *r, bool value)
{
    if (!enter_production(r))
        return;
    char kind = next_character(r);
    if (kind == 'C') {
        read_optional_base62(r, 's');
        struct identifier id = read_rust_identifier(r);
        put_identifier(r, &id);
    } else if (kind == 'N') {
        put_nested_path(r, value);
    } else if (kind == 'M' || kind == 'X' || kind == 'Y') {
        if (kind != 'Y')
            skip_implementation(r);
        put_piece(r, "<");
        put_rust_type(r);
        if (kind != 'M') {
            put_piece(r, " as ");
            put_rust_path(r, false);
        }
        put_piece(r, ">");
    } else if (kind == 'I') {
        put_rust_path(r, value);
        put_piece(r, value ? "::<" : "<");
        generic_arguments(r);
        put_piece(r, ">");
    } else if (kind == 'B') {
        follow_back_reference(r, put_rust_path, value);
    } else {
        r->bad = true;
    }
    r->depth--;
}

bool demangle_rust_v0(const char *name, char *out, size_t size)
{
    if (strncmp(name, "_R", 2) != 0 || !isupper((unsigned char)name[2]))
        return false;
    struct rust r = {.start = name + 2, .p = name + 2, .out = out, .size = size};
    put_rust_path(&r, true);
    if (isupper((unsigned char)*r.p)) { /* the crate that instantiated it */
        r.silent = true;
        put_rust_path(&r, false);
    }
    /* Suffixes of the linker and LLVM: ".llvm.1234", ".cold". */
    if (r.bad || (*r.p && *r.p != '.' && *r.p != '$'))
        return false;
    out[r.used] = '\0';
    return r.used > 0;
}
