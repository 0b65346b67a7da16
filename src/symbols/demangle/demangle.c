#include "symbols/demangle/demangle.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text that is cut at the end of its buffer. */
struct cut {
    char *out;
    size_t used, size;
};

static void put_cut_text(struct cut *c, const char *text, size_t len)
{
    size_t room = c->size - 1 - c->used;
    len = len < room ? len : room;
    memcpy(c->out + c->used, text, len);
    c->used += len;
    c->out[c->used] = '\0';
}

/*
 * Whether a segment is "17h0123456789abcdefE", perhaps followed by a suffix of the linker or LLVM.
 */
static bool is_hash(const char *segment, size_t len)
{
    if (len != 17 || segment[0] != 'h')
        return false;
    for (size_t i = 1; i < len; i++) {
        if (!isxdigit((unsigned char)segment[i]) || isupper((unsigned char)segment[i]))
            return false;
    }
    return true;
}

/* Adds a character that Rust's older names write as "$LT$". Returns the length of that form; 0 if
 * there is none. */
static size_t cut_escape(struct cut *c, const char *s, size_t len)
{
    static const struct {
        const char *code, *text;
    } codes[] = {{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"},
                 {"$GT$", ">"}, {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        size_t n = strlen(codes[i].code);
        if (len >= n && memcmp(s, codes[i].code, n) == 0) {
            put_cut_text(c, codes[i].text, 1);
            return n;
        }
    }
    const char *end = len > 3 && s[1] == 'u' ? memchr(s + 2, '$', len - 2) : NULL;
    unsigned value = 0;
    if (!end || end - s > 5 || end == s + 2)
        return 0;
    for (const char *p = s + 2; p < end; p++) {
        if (!isxdigit((unsigned char)*p))
            return 0;
        value =
            value * 16 + (unsigned)(isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10);
    }
    char letter = (char)value;
    if (value < 0x20 || value > 0x7e)
        return 0;
    put_cut_text(c, &letter, 1);
    return (size_t)(end - s) + 1;
}

static void put_path_segment(struct cut *c, const char *s, size_t len)
{
    size_t i = len > 1 && s[0] == '_' && s[1] == '$' ? 1 : 0;
    while (i < len) {
        size_t n = s[i] == '$' ? cut_escape(c, s + i, len - i) : 0;
        if (n == 0 && len - i > 1 && s[i] == '.' && s[i + 1] == '.') {
            put_cut_text(c, "::", 2);
            n = 2;
        } else if (n == 0) {
            put_cut_text(c, s + i, 1);
            n = 1;
        }
        i += n;
    }
}

/* Demangles the older form: _ZN, segments with their lengths (the last is a hash), E. */
static bool demangle_legacy_rust(const char *name, struct cut *c)
{
    size_t segments = 0;
    const char *p = name + 3;
    bool hash = false;
    while (isdigit((unsigned char)*p)) {
        size_t len = 0;
        for (; isdigit((unsigned char)*p) && len < 100000; p++)
            len = len * 10 + (size_t)(*p - '0');
        if (len == 0 || strnlen(p, len) < len)
            return false;
        hash = is_hash(p, len);
        if (!hash) {
            if (segments++)
                put_cut_text(c, "::", 2);
            put_path_segment(c, p, len);
        }
        p += len;
    }
    return *p == 'E' && hash && segments;
}

static bool demangle_rust_legacy(const char *name, char *out, size_t size)
{
    struct cut c = {.out = out, .size = size};
    out[0] = '\0';
    return strncmp(name, "_ZN", 3) == 0 && demangle_legacy_rust(name, &c);
}

/* 16-bit floats, which kernels use: demanglers before 2023 do not know them or take them for
 * something else. They are replaced by other types that mangle in the same way and that no kernel
 * uses. */
static const struct small_float {
    const char *code, *other, *text, *name;
} small_floats[] = {{"DF16_", "Dd", "decimal64", "_Float16"},
                    {"DF16b", "De", "decimal128", "__bf16"}};
enum { SMALL_FLOATS = sizeof small_floats / sizeof *small_floats, CODE = 5 };

/* Copies one part at *p: an identifier with its length in front, or a letter. Digits after L and a
 * type are a constant. */
static void copy_part(struct cut *c, const char *name, const char **p)
{
    const char *q = *p;
    size_t len = 0;
    bool constant = q - name >= 2 && q[-2] == 'L' && islower((unsigned char)q[-1]);
    for (; isdigit((unsigned char)*q) && len < 10000; q++)
        len = len * 10 + (size_t)(*q - '0');
    if (q == *p)
        q++;
    else if (!constant)
        q += strnlen(q, len);
    put_cut_text(c, *p, (size_t)(q - *p));
    *p = q;
}

/* Copies name with 16-bit floats replaced. False: it has none. */
static bool replace_small_floats(const char *name, struct cut *c)
{
    bool any = false;
    for (const char *p = name; *p;) {
        size_t i = 0;
        while (i < SMALL_FLOATS && strncmp(p, small_floats[i].code, CODE) != 0)
            i++;
        if (i == SMALL_FLOATS) {
            copy_part(c, name, &p);
            continue;
        }
        put_cut_text(c, small_floats[i].other, strlen(small_floats[i].other));
        p += CODE;
        any = true;
    }
    return any;
}

/* Writes the right type names back in place; the text becomes shorter. */
static void name_small_floats(char *text)
{
    for (size_t i = 0; i < SMALL_FLOATS; i++) {
        const struct small_float *f = &small_floats[i];
        size_t from = strlen(f->text), to = strlen(f->name);
        for (char *at = text; (at = strstr(at, f->text)) != NULL; at += to) {
            memcpy(at, f->name, to);
            memmove(at + to, at + from, strlen(at + from) + 1);
        }
    }
}

static bool with_small_floats(const char *name, char *out, size_t size)
{
    char other[4096] = "";
    struct cut c = {.out = other, .size = sizeof other};
    if (strncmp(name, "_Z", 2) != 0 || !strstr(name, "DF16") || strlen(name) >= sizeof other ||
        !replace_small_floats(name, &c) || !demangle_cxx(other, out, size))
        return false;
    name_small_floats(out);
    return true;
}

/* Returns the demangled name in out, or name itself. */
static const char *demangled_or_name(const char *name, char *out, size_t size)
{
    bool done = name[0] == '_' &&
                (demangle_rust_v0(name, out, size) || demangle_rust_legacy(name, out, size) ||
                 with_small_floats(name, out, size) || demangle_cxx(name, out, size));
    return done ? out : name;
}

const char *demangle(const char *name, char *out, size_t size)
{
    char stub[4096];
    const char *at = strstr(name, "@plt");
    if (name[0] != '_' || !at || at[4] || (size_t)(at - name) >= sizeof stub)
        return demangled_or_name(name, out, size);
    snprintf(stub, sizeof stub, "%.*s", (int)(at - name), name);
    const char *found = demangled_or_name(stub, out, size);
    if (found == stub)
        return name;
    size_t n = strlen(out);
    snprintf(out + (n < size - 5 ? n : size - 5), 5, "@plt");
    return out;
}

const char *demangle_whole(const char *name, char *out, size_t size)
{
    const char *text = demangle(name, out, size);
    return text == out && strlen(out) + 1 >= size ? name : text;
}
