/*
 * make_rank RANK RANKS MEGABYTES FILE: makes the profile that PyTorch would write of one rank of a
 * training job, always the same one: functions of Python, operators inside of each other with their
 * shapes, launches, kernels, arrows from launch to kernel, and an all-reduce after each layer. Rank
 * 3 computes longer than the others, which wait for it.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANCE = 2000 /* most, of a kernel */, GAP = 800 }; /* ns */
enum { LAYER = 40 /* kernels between two collectives */, STEP = 12 /* layers */, SLOW = 3 };
enum { CALL = 10000, KERNEL = 12000, LONGER = 3000, TRANSFER = 60000 }; /* ns */

struct rank {
    FILE *f;
    uint32_t rank, ranks;
    uint64_t begin; /* time of day, ns */
    uint64_t host, device, layer, call, random;
};

/* Knuth's MMIX generator. */
static uint32_t choose_number(struct rank *r, uint32_t limit)
{
    r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(r->random >> 33) % limit;
}

/* The begin of an event, up to its arguments. */
static void write_span(struct rank *r, const char *category, const char *name, const char *place,
                       uint64_t at, uint64_t ns)
{
    fprintf(
        r->f,
        ",\n  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", %s,\n    \"ts\": %" PRIu64
        ".%03u, \"dur\": %" PRIu64 ".%03u,\n    \"args\": {\n      ",
        category, name, place, at / 1000, (unsigned)(at % 1000), ns / 1000, (unsigned)(ns % 1000));
}

static void write_arrow(struct rank *r, char phase, const char *place, uint64_t at)
{
    fprintf(r->f,
            ",\n  {\n    \"ph\": \"%c\", \"id\": %" PRIu64 ", %s, \"ts\": %" PRIu64
            ".%03u,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"%s\n  }",
            phase, r->call, place, at / 1000, (unsigned)(at % 1000),
            phase == 'f' ? ", \"bp\": \"e\"" : "");
}

static const char host[] = "\"pid\": 4242, \"tid\": 4242";

/* Two functions of Python, an operator in another one, and the call that launches. */
static void write_calls(struct rank *r)
{
    char name[128];
    const uint64_t at = r->host, id = r->call;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "torch/nn/modules/module.py(%u): _call_impl_%u", 1700 + i * 11,
                 choose_number(r, 60));
        write_span(r, "python_function", name, host, at + i * 200, CALL - i * 400);
        fprintf(r->f,
                "\"Python parent id\": %" PRIu64 ", \"Python id\": %" PRIu64
                ", \"Ev Idx\": %" PRIu64 "\n    }\n  }",
                3 * id + i, 3 * id + i + 1, 5 * id + i);
    }
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "aten::%s_%u", i ? "addmm_out" : "linear",
                 choose_number(r, 100));
        write_span(r, "cpu_op", name, host, at + 500 + i * 1000, CALL - 1000 - i * 2000);
        fprintf(
            r->f,
            "\"External id\": %" PRIu64 ",\"Sequence number\": %" PRIu64
            ", \"Fwd thread id\": 0, \"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", "
            "\"1\", \"1\"], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", "
            "\"Scalar\"], \"Input Strides\": [[4096, 1], [1, 4096], [], []], \"Input Dims\": [["
            "8192, 4096], [4096, 4096], [], []], \"Ev Idx\": %" PRIu64 "\n    }\n  }",
            id * 2 + i, id, 5 * id + 2 + i);
    }
    write_span(r, "cuda_runtime", "cudaLaunchKernel", host, at + 3000, 4250);
    fprintf(r->f,
            "\"External id\": %" PRIu64 ", \"cbid\": 211, \"correlation\": %" PRIu64 "\n    }\n  }",
            id * 2 + 1, id);
    write_arrow(r, 's', host, at + 3000);
}

/* A kernel on a stream, and the arrow to it. collective: what the file says about one, or "". */
static void write_kernel(struct rank *r, const char *name, unsigned stream, uint64_t at,
                         uint64_t ns, const char *collective)
{
    char place[64];
    snprintf(place, sizeof place, "\"pid\": %u, \"tid\": %u", r->rank % 8, stream);
    write_span(r, "kernel", name, place, at, ns);
    fprintf(r->f,
            "\"External id\": %" PRIu64 ",\n      \"queued\": 0, \"device\": %u, \"context\": 1,\n"
            "      \"stream\": %u, \"correlation\": %" PRIu64
            ",\n      \"registers per thread\": 32,\n      \"shared memory\": 0,\n      \"blocks "
            "per SM\": 9.481481,\n      \"warps per SM\": 37.925926,\n      \"grid\": [%u, 1, "
            "1],\n      \"block\": [128, 1, 1],\n%s      \"est. achieved occupancy %%\": 53\n    }"
            "\n  }",
            r->call * 2 + 1, r->rank % 8, stream, r->call, 1 + choose_number(r, 64), collective);
    write_arrow(r, 'f', place, at);
}

static void write_compute(struct rank *r)
{
    char name[160];
    const uint64_t ns = KERNEL + choose_number(r, CHANCE) + (r->rank == SLOW ? LONGER : 0);
    const uint64_t at = r->host + 7000 > r->device ? r->host + 7000 : r->device + GAP;
    snprintf(name, sizeof name,
             "void at::native::elementwise_kernel<%u, 4, at::native::gpu_kernel_impl<float> >(int, "
             "float*)",
             choose_number(r, 50));
    write_calls(r);
    write_kernel(r, name, 7, at, ns, "");
    r->device = at + ns;
    r->host += CALL + 500;
    r->call++;
}

/* All ranks come as late as the slow one, and end together. */
static void write_collective(struct rank *r)
{
    char text[512];
    const uint64_t period =
        LAYER * (uint64_t)(KERNEL + LONGER + CHANCE + GAP) + 2 * CALL + TRANSFER;
    const uint64_t end = r->begin + (r->layer + 1) * period;
    const uint64_t at = r->device + 1000;
    snprintf(text, sizeof text,
             "      \"Collective name\": \"allreduce\", \"In msg nelems\": 16777216, \"Out msg "
             "nelems\": 16777216, \"Group size\": %u, \"dtype\": \"BFloat16\", \"In split size\": "
             "\"[]\", \"Out split size\": \"[]\", \"Process Group Name\": \"0\", \"Process Group "
             "Description\": \"default_pg\", \"Process Group Ranks\": \"[0, ..., %u]\", \"Seq\": "
             "%" PRIu64 ",\n",
             r->ranks, r->ranks - 1, r->layer);
    write_calls(r);
    write_kernel(r, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                 20, at, end > at ? end - at : 1000, text);
    r->device = r->host = end > at ? end : at + 1000;
    r->layer++;
    r->call++;
}

static void write_step(struct rank *r)
{
    char name[64];
    const uint64_t at = r->host, step = r->layer / STEP;
    for (int layer = 0; layer < STEP; layer++) {
        for (int i = 0; i < LAYER; i++)
            write_compute(r);
        write_collective(r);
    }
    snprintf(name, sizeof name, "ProfilerStep#%" PRIu64, step);
    write_span(r, "user_annotation", name, host, at, r->host - at);
    fprintf(r->f, "\"External id\": %" PRIu64 "\n    }\n  }", r->call * 2);
}

static int make_rank(struct rank *r, int64_t megabytes)
{
    fprintf(r->f,
            "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": "
            "\"NVIDIA H100 80GB HBM3\", \"totalGlobalMem\": 84929347584, \"numSms\": 132, "
            "\"computeMajor\": 9, \"computeMinor\": 0}\n  ],\n  \"distributedInfo\": {\"backend\": "
            "\"nccl\", \"rank\": %u, \"world_size\": %u},\n  \"with_stack\": 1,\n  "
            "\"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1700000000000000000,\n  "
            "\"traceEvents\": [\n  {\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 4242, "
            "\"tid\": 0, \"args\": {\"name\": \"python\"}}",
            r->rank, r->ranks);
    while (ftell(r->f) < megabytes * 1000000)
        write_step(r);
    fprintf(r->f, "\n  ]\n}\n");
    return fclose(r->f) != 0;
}

int main(int argc, char **argv)
{
    const int64_t megabytes = argc == 5 ? strtoll(argv[3], NULL, 10) : 0;
    if (megabytes <= 0) {
        fprintf(stderr, "make_rank RANK RANKS MEGABYTES FILE\n");
        return 2;
    }
    struct rank r = {.f = fopen(argv[4], "w"), .begin = 1000000};
    r.rank = (uint32_t)strtoul(argv[1], NULL, 10);
    r.ranks = (uint32_t)strtoul(argv[2], NULL, 10);
    r.random = r.rank + 1;
    r.host = r.device = r.begin;
    return r.f ? make_rank(&r, megabytes) : 1;
}
