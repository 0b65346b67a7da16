/*
 * Code objects: their bytes, copied when the program hands them to the runtime (it may take them
 * away afterwards), and where the runtime put them.
 */
#ifndef ROOFTOP_CAPTURE_OBJECTS_H
#define ROOFTOP_CAPTURE_OBJECTS_H

#include <hsa/hsa.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that stay while somebody holds them. */
struct code;
const void *code_data(const struct code *c);
size_t code_size(const struct code *c);
void code_drop(struct code *c); /* NULL allowed */

/* A loaded code object: a copy that holds its bytes; drop them with code_drop. */
struct object {
    uint64_t executable, loaded; /* handles */
    struct code *code;
    uint64_t base, size; /* where it is; 0: not asked for yet */
    int64_t delta;       /* from the addresses of its file */
};

/* The hooks tell. False: no memory for it (told to the user by the caller). */
bool objects_reader_memory(uint64_t reader, const void *bytes, size_t size);
bool objects_reader_file(uint64_t reader, int fd);
void objects_reader_gone(uint64_t reader);
bool objects_loaded(uint64_t executable, uint64_t reader, uint64_t loaded);
void objects_executable_gone(uint64_t executable);

/* The loaded object that this address of a kernel lies in. Asks the runtime's loader. */
bool objects_at(uint64_t address, struct object *out);
void objects_reset(void);

#endif
