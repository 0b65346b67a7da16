#include "backends/lab/lab_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int native_load(struct native *out, const struct vtpu_native *code, struct error *err)
{
    void *at = mmap(NULL, code->n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(out, 0, sizeof *out);
    if (at == MAP_FAILED)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "get memory for compiled code", "%s",
                         strerror(errno));
    memcpy(at, code->bytes, code->n);
    if (mprotect(at, code->n, PROT_READ | PROT_EXEC)) {
        int e = errno;
        munmap(at, code->n);
        return error_set(err, ERROR_PERMISSION, e,
                         "allow it in the system's security policy (SELinux: execmem)",
                         "make memory executable", "%s", strerror(e));
    }
    __builtin___clear_cache((char *)at, (char *)at + code->n);
    /* A pointer to data becomes one to a function, which C has no cast for. */
    void *entry = (uint8_t *)at + code->entry;
    memcpy(&out->run, &entry, sizeof entry);
    out->memory = at;
    out->size = code->n;
    return 0;
}

void native_unload(struct native *n)
{
    if (n->memory)
        munmap(n->memory, n->size);
    memset(n, 0, sizeof *n);
}
