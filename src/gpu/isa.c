#include "gpu/isa.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"

static const char triple[] = "amdgcn-amd-amdhsa-";

/* LLVM, "User Guide for AMDGPU Backend": ELF Header e_flags, since versions 3 and 4. */
enum {
    FLAGS_MACH = 0xff,
    FLAGS_XNACK_V3 = 0x100,
    FLAGS_SRAMECC_V3 = 0x200,
    FLAGS_XNACK_SHIFT = 8, /* two bits: unsupported, any, off, on */
    FLAGS_SRAMECC_SHIFT = 10,
};

static bool take_feature(const char *p, size_t n, struct isa *out)
{
    static const char sramecc[] = "sramecc", xnack[] = "xnack";
    enum isa_feature *f = NULL;
    if (n == sizeof sramecc && memcmp(p, sramecc, n - 1) == 0)
        f = &out->sramecc;
    else if (n == sizeof xnack && memcmp(p, xnack, n - 1) == 0)
        f = &out->xnack;
    if (!f || (p[n - 1] != '+' && p[n - 1] != '-'))
        return false;
    *f = p[n - 1] == '+' ? ISA_ON : ISA_OFF;
    return true;
}

bool isa_parse(const char *name, struct isa *out)
{
    *out = (struct isa){.sramecc = ISA_ANY};
    const char *p = strstr(name, triple);
    if (p) { /* an empty environment follows */
        p += sizeof triple - 1;
        p += *p == '-';
    } else {
        p = name;
    }
    size_t n = strcspn(p, ":");
    if (strncmp(p, "gfx", 3) != 0 || n < 5 || n >= sizeof out->processor)
        return false;
    memcpy(out->processor, p, n);
    for (p += n; *p == ':'; p += n) {
        n = strcspn(++p, ":");
        if (!take_feature(p, n, out))
            return false;
    }
    return true;
}

static const char *feature_text(enum isa_feature f, const char *on, const char *off)
{
    if (f == ISA_ON)
        return on;
    return f == ISA_OFF ? off : "";
}

const char *isa_format(const struct isa *isa, char *out, size_t size)
{
    snprintf(out, size, "%s-%s%s%s", triple, isa->processor,
             feature_text(isa->sramecc, ":sramecc+", ":sramecc-"),
             feature_text(isa->xnack, ":xnack+", ":xnack-"));
    return out;
}

static enum isa_feature feature_of(uint32_t bits)
{
    if (bits == 3)
        return ISA_ON;
    return bits == 2 ? ISA_OFF : ISA_ANY;
}

bool isa_of_flags(uint32_t flags, unsigned version, struct isa *out)
{
    *out = (struct isa){.sramecc = ISA_ANY};
    const struct isa_row *row = isa_table;
    while (row->name && row->mach != (flags & FLAGS_MACH))
        row++;
    if (!row->name)
        return false;
    snprintf(out->processor, sizeof out->processor, "%s", row->name);
    if (version >= 4) {
        out->xnack = feature_of(flags >> FLAGS_XNACK_SHIFT & 3);
        out->sramecc = feature_of(flags >> FLAGS_SRAMECC_SHIFT & 3);
    } else { /* version 3: on, or off if the processor has the feature */
        out->xnack = row->xnack ? ISA_OFF : ISA_ANY;
        out->sramecc = row->sramecc ? ISA_OFF : ISA_ANY;
        if (flags & FLAGS_XNACK_V3)
            out->xnack = ISA_ON;
        if (flags & FLAGS_SRAMECC_V3)
            out->sramecc = ISA_ON;
    }
    return true;
}

/* The processors that a generic processor covers; NULL: it is not generic. */
static const char *covered_by(const char *processor)
{
    for (const struct isa_row *r = isa_table; r->name; r++)
        if (strcmp(r->name, processor) == 0)
            return r->covers;
    return NULL;
}

static bool feature_fits(enum isa_feature code, enum isa_feature agent, const char *name, char *why,
                         size_t size)
{
    if (code == ISA_ANY || code == agent)
        return true;
    const char *has = agent == ISA_ON ? "on" : "off";
    if (agent == ISA_ANY)
        has = "neither on nor off";
    snprintf(why, size, "the code wants %s %s, the GPU has it %s", name,
             code == ISA_ON ? "on" : "off", has);
    return false;
}

static bool processor_fits(const char *code, const char *agent, char *why, size_t size)
{
    const char *covers = covered_by(code);
    if (strcmp(code, agent) == 0 || (covers && words_have(covers, agent)))
        return true;
    if (covers)
        snprintf(why, size, "the code is for %s (%s), the GPU is a %s", code, covers, agent);
    else
        snprintf(why, size, "the code is for %s, the GPU is a %s", code, agent);
    return false;
}

bool isa_runs_on(const char *code_isa, const char *agent_isa, char *why, size_t size)
{
    struct isa code, agent;
    if (size)
        *why = '\0';
    if (!isa_parse(code_isa, &code) || !isa_parse(agent_isa, &agent)) {
        snprintf(why, size, "'%.80s' is no instruction set of AMD's GPUs",
                 isa_parse(code_isa, &code) ? agent_isa : code_isa);
        return false;
    }
    return processor_fits(code.processor, agent.processor, why, size) &&
           feature_fits(code.sramecc, agent.sramecc, "sramecc", why, size) &&
           feature_fits(code.xnack, agent.xnack, "xnack", why, size);
}
