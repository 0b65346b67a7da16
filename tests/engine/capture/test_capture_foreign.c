/* Captures of rocm-perf-lab and kerncap are read, with notes about what they lack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/capture/capture.h"
#include "format/capture.h"
#include "support/made_capture.h"
#include "support/test.h"

#define KERNCAP_LOST "memory/region_30000.bin"

static struct made_capture made;

static void copy(const char *from, const char *to)
{
    static char text[4096];
    FILE *in = fopen(from, "r");
    assert_non_null(in);
    size_t n = fread(text, 1, sizeof text, in);
    fclose(in);
    made_capture_write(&made, to, text, n);
}

static void start(void)
{
    static const uint8_t elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, [18] = 224};
    char path[128];
    snprintf(made.dir, sizeof made.dir, "/tmp/rooftop-capture-XXXXXX");
    assert_non_null(mkdtemp(made.dir));
    snprintf(path, sizeof path, "%s/memory", made.dir);
    assert_int_equal(mkdir(path, 0755), 0);
    made_capture_write(&made, CAPTURE_CODE, elf, sizeof elf);
}

static void put_zeros(uint64_t base, size_t n)
{
    char file[64];
    void *zeros = calloc(1, n);
    snprintf(file, sizeof file, "memory/region_%llx.bin", (unsigned long long)base);
    assert_non_null(zeros);
    made_capture_write(&made, file, zeros, n);
    free(zeros);
}

static void seed(const char *regions)
{
    static const uint8_t kernarg[272] = {1};
    start();
    copy("tests/data/capture/dispatch.json", CAPTURE_DISPATCH);
    copy(regions, CAPTURE_REGIONS);
    made_capture_write(&made, CAPTURE_KERNARG, kernarg, sizeof kernarg);
    put_zeros(139637976727552, 4096);
    put_zeros(139637978824704, 1048576);
}

static struct capture *opened(void)
{
    struct error err = ERROR_INIT;
    struct capture *c = NULL;
    if (capture_open(&c, made.dir, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return c;
}

static void refused(const char *why)
{
    struct error err = ERROR_INIT;
    struct capture *c = NULL;
    assert_true(capture_open(&c, made.dir, &err) < 0);
    if (!strstr(err.why, why))
        fail_msg("'%s' is not '%s'", err.why, why);
}

static bool noted(const struct capture *c, const char *text)
{
    for (size_t i = 0; i < c->nnotes; i++)
        if (strstr(c->notes[i], text))
            return true;
    return false;
}

TEST(the_seeds_form_is_read)
{
    seed("tests/data/capture/memory_regions.json");
    struct capture *c = opened();
    struct error err = ERROR_INIT;
    assert_int_equal(c->origin, CAPTURE_SEED);
    assert_string_equal(c->mangled_name, "_Z13pointer_chaseP4NodePi");
    assert_string_equal(c->demangled_name, "pointer_chase(Node*, int*)");
    assert_int_equal(c->kernarg_size, 272);
    assert_int_equal(c->nregions, 2);
    assert_string_equal(c->regions[0].before.file, "memory/region_7f0000000000.bin");
    assert_false(c->regions[0].before.has_checksum);
    assert_int_equal(c->regions[1].segment, CAPTURE_KERNARG_POOL);
    assert_false(c->has_after);
    assert_true(noted(c, "no checksums"));
    assert_true(noted(c, "when a capture is complete"));
    assert_false(noted(c, "commas"));
    assert_int_equal(capture_verify(c, NULL, NULL, &err), 0);
    capture_free(c);
    made_capture_write(&made, "memory/region_7f0000000000.bin", "x", 1);
    refused("memory/region_7f0000000000.bin: it has 1 bytes, not 4096: it is cut off");
    made_capture_write(&made, "memory/region_7f0000000000.bin", NULL, 0);
    refused("memory/region_7f0000000000.bin: No such file or directory");
    made_capture_remove(&made);
}

TEST(the_seeds_comma_is_overlooked)
{
    seed("tests/data/capture/memory_regions_comma.json");
    struct capture *c = opened();
    assert_int_equal(c->nregions, 1);
    assert_true(noted(c, "memory_regions.json: commas at the end of lists"));
    capture_free(c);
    made_capture_write(&made, CAPTURE_REGIONS, "{\"regions\": [1,,]}", 17);
    refused("memory_regions.json: line 1:17: not JSON");
    made_capture_remove(&made);
}

static const char kerncap_dispatch[] =
    "{\"mangled_name\": \"_Z3addPf.kd\", \"demangled_name\": \"add(float*)\",\n"
    " \"agent_name\": \"gfx90a\", \"isa_name\": \"amdgcn-amd-amdhsa--gfx90a\",\n"
    " \"wavefront_size\": 64, \"grid\": [64, 1, 1], \"block\": [64, 1, 1],\n"
    " \"group_segment_size\": 0, \"private_segment_size\": 0, \"kernarg_size\": 8,\n"
    " \"dispatch_index\": 0}";
static const char kerncap_regions[] =
    "{\"regions\": [\n"
    " {\"base\": 196608, \"size\": 4096, \"is_pool\": true, \"is_vmem\": false},\n"
    " {\"base\": 65536, \"size\": 8192, \"is_pool\": false, \"is_vmem\": true,\n"
    "  \"contains_kernarg\": false, \"handle\": 0, \"access\": 0}]}";
static const char kerncap_variables[] =
    "{\"variables\": [\n"
    " {\"executable_sha256\": \"aa\", \"name\": \"theirs\", \"size\": 4, \"blob\": \"no\"},\n"
    " {\"executable_sha256\": \"bb\", \"name\": \"ours\", \"size\": 4,\n"
    "  \"blob\": \"module_variables/bb_ours.bin\"}]}";

#define PUT(file, text) made_capture_write(&made, file, text, strlen(text))

TEST(kerncaps_form_is_read)
{
    char path[128];
    start();
    snprintf(path, sizeof path, "%s/module_variables", made.dir);
    assert_int_equal(mkdir(path, 0755), 0);
    PUT(CAPTURE_DISPATCH, kerncap_dispatch);
    PUT(CAPTURE_REGIONS, kerncap_regions);
    PUT("metadata.json", "{\"kernel_name\": \"add\", \"hsaco_sha256\": \"bb\"}");
    PUT("module_variables.json", kerncap_variables);
    PUT("module_variables/bb_ours.bin", "1234");
    PUT(CAPTURE_KERNARG, "12345678");
    put_zeros(65536, 8192);
    refused("not finished");
    PUT(CAPTURE_COMPLETE, "ok\n");
    struct capture *c = opened();
    struct error err = ERROR_INIT;
    assert_int_equal(c->origin, CAPTURE_KERNCAP);
    assert_string_equal(c->mangled_name, "_Z3addPf");
    assert_int_equal(c->nregions, 2);
    assert_int_equal(c->regions[0].base, 65536); /* theirs are in no order */
    assert_true(c->regions[0].vmem);
    assert_null(c->regions[1].before.file);
    assert_non_null(c->regions[1].error);
    assert_true(noted(c, KERNCAP_LOST));
    assert_true(noted(c, "after the kernel ran"));
    assert_true(noted(c, "1 module variables of other code objects"));
    assert_int_equal(c->nvariables, 1);
    assert_string_equal(c->variables[0].name, "ours");
    assert_int_equal(c->variables[0].address, 0);
    assert_int_equal(capture_verify(c, NULL, NULL, &err), 0);
    capture_free(c);
    PUT("module_variables/bb_ours.bin", "123");
    refused("module_variables/bb_ours.bin: it has 3 bytes, not 4: it is cut off");
    made_capture_remove(&made);
}
