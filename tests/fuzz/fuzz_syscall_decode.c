/*
 * Any event with any pieces, as a saved trace may hold it, as text: only printable ASCII comes out,
 * and no more than a bound. The same bytes are also the memory of a traced program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/decode/fetch.h"
#include "engine/syscalls/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *data;
    size_t size;
};

static long read_input(void *ctx, uint64_t address, void *out, size_t n)
{
    const struct input *in = ctx;
    if (address >= in->size)
        return -14;
    if (n > in->size - address)
        n = in->size - address;
    memcpy(out, in->data + address, n);
    return (long)n;
}

static void write_event(const struct syscall_event *e)
{
    enum { LONGEST = 4 << 20 };
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return;
    syscall_write(out, e, NULL);
    for (unsigned arg = 0; arg < 7; arg++)
        syscall_write_arg(out, e, arg, NULL);
    fclose(out);
    for (size_t i = 0; i < n; i++)
        if (text[i] < ' ' || text[i] > '~')
            abort();
    if (n > LONGEST)
        abort();
    free(text);
}

/* The head of the input is the event and its pieces; the rest is their bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct {
        uint8_t kind, abi, flags, npieces;
        uint32_t number;
        uint64_t args[6];
        int64_t result;
        struct syscall_piece pieces[4];
    } head;
    if (size < sizeof head)
        return 0;
    memcpy(&head, data, sizeof head);
    struct input in = {data + sizeof head, size - sizeof head};
    struct syscall_event e = {
        .kind = head.kind % SYSCALL_KINDS,
        .abi = head.abi % (SYSCALL_ABIS + 1),
        .flags = head.flags,
        .number = head.number % 700,
        .result = head.result,
        .pieces = head.pieces,
        .npieces = head.npieces % 5,
        .bytes = in.data,
        .nbytes = (uint32_t)in.size,
    };
    memcpy(e.args, head.args, sizeof e.args);
    write_event(&e);

    struct syscall_memory memory = {read_input, &in};
    struct syscall_pieces pieces = {0};
    e.kind = SYSCALL_CALL;
    syscall_fetch(&e, false, &memory, 32, &pieces);
    syscall_fetch(&e, true, &memory, 32, &pieces);
    if (pieces.nbytes > SYSCALL_PIECES)
        abort();
    syscall_pieces_lend(&pieces, &e);
    write_event(&e);
    syscall_pieces_free(&pieces);
    return 0;
}
