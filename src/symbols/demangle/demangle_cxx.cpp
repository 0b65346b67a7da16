#include "symbols/demangle/demangle.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

/*
 * libstdc++'s demangler that returns its text in pieces, from its static library. __cxa_demangle
 * allocates whatever a short name with many back references expands to, so it is used only where
 * this one is missing, and for short names only.
 */
extern "C" int __gcclibcxx_demangle_callback(const char *name,
                                             void (*piece)(const char *, std::size_t, void *),
                                             void *ctx) __attribute__((weak));

namespace
{

enum {
    NAME_MAX_BYTES = 4096, /* the demangler's stack use grows with the name */
    SHORT_BYTES = 300,
};

struct text {
    char *out;
    std::size_t used, size;
    std::jmp_buf full;
};

void append(const char *piece, std::size_t len, void *ctx)
{
    auto *t = static_cast<text *>(ctx);
    std::size_t room = t->size - 1 - t->used;
    std::memcpy(t->out + t->used, piece, len < room ? len : room);
    t->used += len < room ? len : room;
    if (len >= room)
        std::longjmp(t->full, 1); // NOLINT: C frames between, which hold nothing but stack
}

bool whole(const char *name, char *out, size_t size)
{
    int status = 0;
    char *all = std::strlen(name) <= SHORT_BYTES
                    ? abi::__cxa_demangle(name, nullptr, nullptr, &status)
                    : nullptr;
    bool done = all && status == 0;
    if (done)
        std::snprintf(out, size, "%s", all);
    std::free(all); // NOLINT: the interface says malloc
    return done;
}

} // namespace

bool demangle_cxx(const char *name, char *out, size_t size)
{
    if (std::strncmp(name, "_Z", 2) != 0 || strnlen(name, NAME_MAX_BYTES) == NAME_MAX_BYTES)
        return false;
    if (!__gcclibcxx_demangle_callback)
        return whole(name, out, size);
    text t = {};
    t.out = out;
    t.size = size;
    if (setjmp(t.full) == 0 && // NOLINT: as above
        __gcclibcxx_demangle_callback(name, append, &t) != 0)
        return false;
    out[t.used] = '\0';
    return t.used > 0;
}
