/*
 * Names of instruction sets (LLVM's target ids): "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-". Also
 * runs inside other people's programs: allocates nothing.
 */
#ifndef ROOFTOP_GPU_ISA_H
#define ROOFTOP_GPU_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ISA_NAME_BYTES = 128 };

enum isa_feature { ISA_ANY, ISA_OFF, ISA_ON };
struct isa {
    char processor[32]; /* "gfx942", "gfx9-4-generic" */
    enum isa_feature sramecc, xnack;
};

/* With or without "amdgcn-amd-amdhsa--" ("hipv4-", "hip-" before it) and features. False: not a
 * processor of AMD's. */
bool isa_parse(const char *name, struct isa *out);
/* "amdgcn-amd-amdhsa--gfx942:xnack-"; returns out. */
const char *isa_format(const struct isa *isa, char *out, size_t size);
/* What the flags of an ELF file say, of a code object version; false: a processor unknown here. */
bool isa_of_flags(uint32_t flags, unsigned version, struct isa *out);

/*
 * Whether code for code_isa runs on a GPU that calls itself agent_isa; else why says why not. The
 * rule of AMD's runtime (ROCR-Runtime, Isa::IsCompatible): the same processor, or a generic one
 * that covers it; a feature that the code leaves open fits any setting, one that it demands must be
 * set so. Names that cannot be read never fit.
 */
bool isa_runs_on(const char *code_isa, const char *agent_isa, char *why, size_t size);

/* A row per processor, terminated by name NULL. */
struct isa_row {
    unsigned mach; /* EF_AMDGPU_MACH */
    const char *name;
    bool sramecc, xnack; /* whether it has this feature */
    const char *covers;  /* a generic one: the processors its code runs on; NULL */
};
extern const struct isa_row isa_table[];

#endif
