/* Which kernels are communication: by their names, by what the trace says, by the user's names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/trace/collective.h"
#include "support/trace_text.h"
#include "support/test.h"

struct named {
    const char *name;
    enum collective_op op;
};

static void check(const struct named *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (collective_of(list[i].name) != list[i].op)
            fail_msg("%s: \"%s\", not \"%s\"", list[i].name,
                     collective_name(collective_of(list[i].name)), collective_name(list[i].op));
}

/* As profilers print the kernels of the sources that collectives.def names. */
TEST(kernels_of_todays_libraries)
{
    static const struct named list[] = {
        /* PyTorch's symmetric memory; the first is from a public trace of a B200 */
        {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, "
         "16>(c10::BFloat16*, unsigned long, unsigned int**, unsigned long, unsigned long)",
         COLLECTIVE_ALL_REDUCE},
        {"void (anonymous namespace)::one_shot_all_reduce_kernel<float, 16, 8>(float**)",
         COLLECTIVE_ALL_REDUCE},
        {"void <unnamed>::two_shot_all_reduce_kernel_inplace<float, 16>(float**)",
         COLLECTIVE_ALL_REDUCE},
        {"void c10d::symmetric_memory::barrier_kernel<8>(unsigned int**)", COLLECTIVE_BARRIER},
        {"allToAllV(void*, void*, long*, unsigned long, int, int)", COLLECTIVE_ALL_TO_ALL},
        {"c10d::nvshmem_extension::exchangeSplitAndOffset(long*, int, int)", COLLECTIVE_ALL_TO_ALL},
        {"multimem_one_shot_reduce_kernel", COLLECTIVE_REDUCE},
        {"void (anonymous namespace)::two_shot_kernel<float>(x)", COLLECTIVE_ALL_REDUCE},
        {"one_shot_reduce_norm_kernel", COLLECTIVE_ALL_REDUCE},
        /* vLLM, SGLang, aiter */
        {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
         COLLECTIVE_ALL_REDUCE},
        {"void aiter::cross_device_reduce_2stage_naive<__half, 4>(x)", COLLECTIVE_ALL_REDUCE},
        {"void aiter::allreduce_fusion_kernel_1stage<__half, 8>(x)", COLLECTIVE_ALL_REDUCE},
        {"void quickreduce::allreduce_prototype_twoshot<x<y<8> >, half>(half const*)",
         COLLECTIVE_ALL_REDUCE},
        {"void aiter::reduce_scatter_cross_device_store<float, 8>(x)", COLLECTIVE_REDUCE_SCATTER},
        {"void aiter::ar_ll_gfx1250<half>(x)", COLLECTIVE_ALL_REDUCE},
        /* TensorRT-LLM, FlashInfer */
        {"void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<(x)1, "
         "__nv_bfloat16, 8, true>(y)",
         COLLECTIVE_ALL_REDUCE},
        {"void flashinfer::trtllm_moe_allreduce_fusion::"
         "moefinalize_allreduce_fusion_kernel_oneshot_lamport<8>(x)",
         COLLECTIVE_ALL_REDUCE},
        {"void tensorrt_llm::kernels::oneShotAllReduceKernel<half, 8, true>(x)",
         COLLECTIVE_ALL_REDUCE},
        {"void tensorrt_llm::kernels::mnnvl::twoshotAllreduceKernel<8>(x)", COLLECTIVE_ALL_REDUCE},
        {"void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<x>(y)", COLLECTIVE_ALL_TO_ALL},
        {"tensorrt_llm::kernels::moeAllToAllKernel(x)", COLLECTIVE_ALL_TO_ALL},
        {"void flashinfer::comm::ulysses_a2a_kernel<4>(x)", COLLECTIVE_ALL_TO_ALL},
        /* DeepEP, MORI */
        {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", COLLECTIVE_ALL_TO_ALL},
        {"void deep_ep::internode_ll::combine<false, 7168, 11, 4>(void*)", COLLECTIVE_ALL_TO_ALL},
        {"void deep_ep::legacy::intranode::notify_dispatch<8>(int const*)", COLLECTIVE_ALL_TO_ALL},
        {"void deep_ep::elastic::hybrid_combine_impl<1, 2>(x)", COLLECTIVE_ALL_TO_ALL},
        {"void deep_ep::intranode::barrier<8>(int**, int)", COLLECTIVE_BARRIER},
        {"void mori::moe::EpDispatchIntraNodeKernel<float>(x)", COLLECTIVE_ALL_TO_ALL},
        {"mori_ep_combine_bf16_ws8_h2048_k8_64x16", COLLECTIVE_ALL_TO_ALL},
        {"deep_ep_low_latency_dispatch", COLLECTIVE_ALL_TO_ALL},
        /* NVSHMEM, Transformer Engine */
        {"void alltoall_on_stream_kernel<char, (threadgroup_t)2>(int, char*)",
         COLLECTIVE_ALL_TO_ALL},
        {"void nvshmemi_alltoall_kernel<4>(x)", COLLECTIVE_ALL_TO_ALL},
        {"barrier_on_stream_kernel_threadgroup(int, int)", COLLECTIVE_BARRIER},
        {"void rdxn_on_stream_kernel<float, 2>(x)", COLLECTIVE_ALL_REDUCE},
        {"kuserbuffers_pushsend(int*, int)", COLLECTIVE_SEND_RECV},
        {"void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<8>(int)", COLLECTIVE_SOME},
        /* NCCL's kernels on symmetric memory, MSCCL++, RCCL's MSCCL, oneCCL, XLA's HLO */
        {"ncclSymkDevKernel_AllReduce_AGxLL_R_sum_bf16(ncclSymkDevWorkArgs4K)",
         COLLECTIVE_ALL_REDUCE},
        {"void mscclpp::collective::allreduceNvlsPacket<half>(x)", COLLECTIVE_ALL_REDUCE},
        {"mscclKernel_Sum_half_LL_0(ncclDevComm*, mscclAlgo*, mscclWork*)", COLLECTIVE_SOME},
        {"Allreduce_small_kernel<sycl::_V1::half, 8>", COLLECTIVE_ALL_REDUCE},
        {"all-reduce-start.12", COLLECTIVE_ALL_REDUCE},
        {"reduce-scatter.3", COLLECTIVE_REDUCE_SCATTER},
        {"collective-permute-done", COLLECTIVE_SEND_RECV},
        {"_ZN12_GLOBAL__N_126multimem_all_reduce_kernelIN3c108BFloat16ELi16EEEvPT_mPPjmm",
         COLLECTIVE_ALL_REDUCE},
    };
    check(list, sizeof list / sizeof *list);
}

TEST(what_only_looks_like_it)
{
    static const char *const names[] = {
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(x)",
        "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)",
        "void at::native::_scatter_gather_elementwise_kernel<128, 8>(int, x)",
        "scatter_reduce_mxfp4_kernel",
        "void dispatch<float>(float*)",
        "dispatch_kernel",
        "moe_combine_kernel",
        "step_dispatch_kernel", /* not "ep_dispatch" */
        "void (anonymous namespace)::groupnorm_kernel_dispatch_up<__hip_bfloat16, 1024u>(x)",
        "_combined_routing_compute",
        "void at::native::type_specialized_broadcast_kernel_launcher<1>(x)",
        "void cublasLt::splitKreduce_kernel<32, 16, int>(x)",
        "barrier_kernel",
        "multi_memcpy_kernel",
        "one_shot_quantize_kernel",
        /* words of another name inside of its arguments */
        "void at::native::elementwise_kernel<128, c10d::all_reduce_functor>(all_reduce)",
        "void foo<vllm::cross_device_reduce_1stage>(int)",
        /* Inductor names kernels after the operators beside them */
        "triton_poi_fused_all_reduce_0",
        "triton_red_fused_all_gather_into_tensor_mul_sum_3",
        /* they compute and send as they go */
        "void cutlass::device_kernel<GemmUniversal<AllReduce> >(x)",
        "gemm_allreduce_kernel",
        "void flux::matmul_reduce_scatter<half>(x)",
        /* inside a workgroup */
        "warpAllReduceSum",
        "void softmax::BlockAllReduceKernel<float>(float*)",
        /* what surrounds an exchange */
        "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)",
        "void deep_ep::elastic::dispatch_copy_epilogue_impl<1>(x)",
        "xaccl::kernel",
        "",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check(&(struct named){names[i], COLLECTIVE_NONE}, 1);
}

TEST(names_of_the_users_own)
{
    collective_set_own("ring_exchange,-oneshotallreduce,moe_combine_v2");
    static const struct named list[] = {
        {"void site::Ring_Exchange<4>(x)", COLLECTIVE_SOME},
        {"void site::ring_exchange_all_gather<4>(x)", COLLECTIVE_ALL_GATHER},
        {"moe_combine_v2_kernel", COLLECTIVE_SOME},
        {"oneShotAllReduceKernel", COLLECTIVE_NONE},
        {"twoShotAllReduceKernel", COLLECTIVE_ALL_REDUCE},
        {"gemm", COLLECTIVE_NONE},
    };
    check(list, sizeof list / sizeof *list);
    collective_set_own(",,-,");
    check(&(struct named){"gemm", COLLECTIVE_NONE}, 1);
    collective_set_own(NULL);
    check(&(struct named){"moe_combine_v2_kernel", COLLECTIVE_NONE}, 1);
}

/* --- facts of a trace --- */

#define KERNEL(name, ts, id, more)                                                                 \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name                                       \
    "\", \"pid\": 0, \"tid\": 7, \"ts\": " ts                                                      \
    ", \"dur\": 50, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": " id more "}}"
#define HOST(cat, name, ts, dur, id)                                                               \
    "{\"ph\": \"X\", \"cat\": \"" cat "\", \"name\": \"" name                                      \
    "\", \"pid\": 9, \"tid\": 9, \"ts\": " ts ", \"dur\": " dur ", \"args\": {" id "}}"

static bool marked(const struct trace *t, const char *name)
{
    uint32_t v = trace_text_node(t, name, 0);
    assert_int_not_equal(v, GRAPH_NONE);
    return t->calls->flags[v] & NODE_COLLECTIVE;
}

TEST(metadata_says_what_is_communication)
{
    struct trace t;
    trace_text_read(
        &t,
        "{\"traceEvents\": [" KERNEL(
            "exchange_a", "100", "1",
            ", \"Collective name\": \"_allgather_base\", \"In msg "
            "nelems\": 1000, \"Out msg nelems\": 8000, \"Group "
            "size\": 8, \"dtype\": \"BFloat16\"") ", " KERNEL("exchange_b", "200", "2",
                                                              ", \"Collective name\": "
                                                              "\"allreduce\"") ", " KERNEL("gemm",
                                                                                           "300",
                                                                                           "3",
                                                                                           "") "]"
                                                                                               "}");
    assert_true(marked(&t, "exchange_a"));
    assert_true(marked(&t, "exchange_b"));
    assert_false(marked(&t, "gemm"));
    assert_int_equal(t.ncollectives, 2);
    assert_int_equal(t.collectives[0].op, COLLECTIVE_ALL_GATHER);
    assert_int_equal(t.collectives[0].bytes, 16000);
    assert_int_equal(t.collectives[1].op, COLLECTIVE_ALL_REDUCE);
    assert_int_equal(t.collectives[1].bytes, 0);
    trace_free(&t);
}

TEST(the_operator_around_a_launch_says_it)
{
    struct trace t;
    trace_text_read(
        &t, "{\"traceEvents\": [" HOST("cpu_op", "record_param_comms", "0", "90", "") ", " HOST(
                "cuda_runtime", "cudaLaunchKernelExC", "5",
                "5", "\"correlation\": 1") ", " HOST("cpu_op", "aten::copy_", "20",
                                                     "20", "") ", " HOST("cuda_runtime",
                                                                         "cudaLaunchKernel",
                                                                         "25", "5", "\"correlation\": 2") ", " HOST("user_annotation", "nccl:all_reduce", "95", "20", "") ", " HOST("cuda_runtime", "cudaLaunchKernel", "100", "5", "\"correlation\": 3") ", " HOST("cuda_runtime", "cudaLaunchKernel", "130", "5", "\"correlation\": 4") ", " KERNEL("in_operator",
                                                                                                                                                                                                                                                                                                                                                      "200", "1", "") ", " KERNEL("in_copy", "300", "2", "") ", " KERNEL("in_range",
                                                                                                                                                                                                                                                                                                                                                                                                                         "400", "3",
                                                                                                                                                                                                                                                                                                                                                                                                                         "") ", " KERNEL("outside", "500", "4", "") "]}");
    assert_true(marked(&t, "in_operator"));
    assert_false(marked(&t, "in_copy"));
    assert_true(marked(&t, "in_range"));
    assert_false(marked(&t, "outside"));
    assert_false(marked(&t, "record_param_comms"));
    trace_free(&t);
}

TEST(a_range_on_the_queue_says_it_where_no_launch_is_known)
{
    struct trace t;
    trace_text_read(
        &t,
        "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"gpu_user_annotation\", \"name\": "
        "\"nccl:all_to_all\", \"pid\": 0, \"tid\": 7, \"ts\": 100, \"dur\": 120, \"args\": "
        "{}}, " KERNEL("before", "20", "1", "") ", " KERNEL("inside", "110", "2", "") ", " KERNEL(
            "launched", "165", "3",
            "") ", " KERNEL("after", "300", "4", "") ", " HOST("cuda_runtime", "cudaLaunchKernel",
                                                               "1", "5",
                                                               "\"correlation\": 3") "]}");
    assert_false(marked(&t, "before"));
    assert_true(marked(&t, "inside"));
    assert_false(marked(&t, "launched"));
    assert_false(marked(&t, "after"));
    trace_free(&t);
}
