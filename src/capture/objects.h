/*
 * Code objects: where the runtime put them, and their bytes. The bytes are copied when the program
 * passes them to the runtime, because it may free them afterwards.
 */
#ifndef ROOFTOP_CAPTURE_OBJECTS_H
#define ROOFTOP_CAPTURE_OBJECTS_H

#include <hsa/hsa.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reference-counted bytes. */
struct code_copy;
const void *code_data(const struct code_copy *c);
size_t code_size(const struct code_copy *c);
void code_drop(struct code_copy *c); /* NULL is allowed */

/*
 * A loaded code object. A copy of this struct holds a reference to the bytes; release it with
 * code_drop.
 */
struct captured_object {
    uint64_t executable, loaded; /* handles */
    struct code_copy *code;
    uint64_t base, size; /* where it is; 0: not located yet */
    int64_t delta;       /* its address minus the address in the file */
};

/* The hooks call these. False: no memory (the caller reports it). */
bool objects_reader_memory(uint64_t reader, const void *bytes, size_t size);
bool objects_reader_file(uint64_t reader, int fd);
void objects_reader_gone(uint64_t reader);
bool objects_loaded(uint64_t executable, uint64_t reader, uint64_t loaded);
void objects_executable_gone(uint64_t executable);

/*
 * Finds the loaded object that a kernel's address is in. Asks the runtime's loader. code_drop
 * releases out->code.
 */
bool objects_at(uint64_t address, struct captured_object *out);
void objects_reset(void);

#endif
