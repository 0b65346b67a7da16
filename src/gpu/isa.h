/*
 * Names of instruction sets (LLVM's target ids): "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-".
 * Allocates nothing, because it also runs inside other programs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ISA_NAME_BYTES = 128 };

enum isa_feature { ISA_ANY, ISA_OFF, ISA_ON };
struct isa {
    char processor[32]; /* "gfx942", "gfx9-4-generic" */
    enum isa_feature sramecc, xnack;
};

/* Parses a name with or without "amdgcn-amd-amdhsa--" ("hipv4-" or "hip-" may precede it) and
 * features. False: not an AMD processor. */
bool isa_parse(const char *name, struct isa *out);
/* Writes "amdgcn-amd-amdhsa--gfx942:xnack-". Returns out. */
const char *isa_format(const struct isa *isa, char *out, size_t size);
/* Decodes the e_flags of a code object of this version. False: the processor is unknown here. */
bool isa_of_flags(uint32_t flags, unsigned version, struct isa *out);

/* Whether code for code_isa runs on a GPU that reports agent_isa; if not, why says why. The rule is
 * that of AMD's runtime (ROCR-Runtime, Isa::IsCompatible): the same processor, or a generic one
 * that covers it. A feature that the code leaves open fits any setting; a feature that it requires
 * must have that setting. Names that cannot be parsed never fit. */
bool isa_runs_on(const char *code_isa, const char *agent_isa, char *why, size_t size);

/* One row for each processor; name NULL ends the table. */
struct isa_row {
    unsigned mach; /* EF_AMDGPU_MACH */
    const char *name;
    bool sramecc, xnack; /* whether it has the feature */
    const char *covers;  /* for a generic processor: those that its code runs on; else NULL */
};
extern const struct isa_row isa_table[];
