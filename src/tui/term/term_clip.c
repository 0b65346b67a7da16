/*
 * Copies to the terminal's clipboard by OSC 52, which works over ssh and needs no display server.
 */
#include <errno.h>
#include <string.h>

#include "base/list.h"
#include "base/env.h"
#include "tui/term/term_impl.h"

enum { CLIP_MAX = 8192 };

/* Some terminals print sequences that they do not know; none of these has a clipboard. */
static bool has_clipboard(void)
{
    static const char *const none[] = {"dumb", "linux", "vt52", "vt100", "vt220", "ansi", "cons25"};
    const char *term = env_get("TERM");
    for (size_t i = 0; term && i < sizeof none / sizeof *none; i++)
        if (strcmp(term, none[i]) == 0)
            return false;
    return term != NULL;
}

static size_t encode_base64(const unsigned char *in, size_t n, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t o = 0;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)in[i] << 16;
        v |= i + 1 < n ? (uint32_t)in[i + 1] << 8 : 0;
        v |= i + 2 < n ? in[i + 2] : 0;
        out[o++] = digits[v >> 18 & 63];
        out[o++] = digits[v >> 12 & 63];
        out[o++] = i + 1 < n ? digits[v >> 6 & 63] : '=';
        out[o++] = i + 2 < n ? digits[v & 63] : '=';
    }
    return o;
}

int term_copy(struct term *t, const char *text)
{
    static const char begin[] = "\033]52;c;", end[] = "\033\\";
    size_t n = strlen(text);
    if (!has_clipboard())
        return -ENOTSUP;
    if (n > CLIP_MAX)
        return -E2BIG;
    size_t need = t->out_len + sizeof begin + sizeof end + (n + 2) / 3 * 4;
    LIST_FIT(t->out, need, t->out_cap);
    memcpy(t->out + t->out_len, begin, sizeof begin - 1);
    t->out_len += sizeof begin - 1;
    t->out_len += encode_base64((const unsigned char *)text, n, t->out + t->out_len);
    memcpy(t->out + t->out_len, end, sizeof end - 1);
    t->out_len += sizeof end - 1;
    int left = term_frame_flush(t);
    return left < 0 ? left : 0;
}
