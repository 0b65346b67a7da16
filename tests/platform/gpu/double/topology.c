// The nodes: a CPU node with the host's memory, and GPU nodes with clocks, caches and links.
#include "emu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIMDS_PER_CU = 4, WAVES_PER_SIMD = 8, LDS_KB = 64, CACHES = 2 };

EXPORT HSAKMT_STATUS hsaKmtOpenKFD(void)
{
    if (!emu_settings_read() || !emu_memory_open())
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtCloseKFD(void)
{
    return HSAKMT_STATUS_SUCCESS;
}

// The runtime offers virtual memory from interface 1.15 on.
EXPORT HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo *version)
{
    version->KernelInterfaceMajorVersion = 1;
    version->KernelInterfaceMinorVersion = emu_settings()->no_vmem ? 14 : 16;
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties *properties)
{
    memset(properties, 0, sizeof *properties);
    properties->NumNodes = (HSAuint32)(EMU_FIRST_GPU + emu_settings()->gpus);
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtReleaseSystemProperties(void)
{
    return HSAKMT_STATUS_SUCCESS;
}

static void put_name(HSAuint16 *wide, const char *name)
{
    while (*name)
        *wide++ = (unsigned char)*name++;
    *wide = 0;
}

static void cpu_node(HsaNodeProperties *p)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    p->NumCPUCores = cpus > 0 ? (HSAuint32)cpus : 1;
    p->NumMemoryBanks = 1;
    p->NumIOLinks = (HSAuint32)emu_settings()->gpus;
    p->MaxEngineClockMhzCCompute = 2000;
    p->DrmRenderMinor = -1;
    put_name(p->MarketingName, "CPU of an emulated platform");
}

static void gpu_shape(HsaNodeProperties *p)
{
    p->NumFComputeCores = EMU_CU_COUNT * SIMDS_PER_CU;
    p->NumSIMDPerCU = SIMDS_PER_CU;
    p->MaxWavesPerSIMD = WAVES_PER_SIMD;
    p->WaveFrontSize = GCN_LANES;
    p->LDSSizeInKB = LDS_KB;
    p->NumShaderBanks = 1;
    p->NumArrays = 1;
    p->NumCUPerArray = EMU_CU_COUNT;
    p->MaxSlotsScratchCU = 32;
    p->NumMemoryBanks = 3;
    p->NumCaches = CACHES;
    p->NumIOLinks = 1;
    p->NumSdmaEngines = 2;
    p->NumSdmaQueuesPerEngine = 8;
    p->NumCpQueues = 24;
    p->VGPRSizePerCU = 512 << 10;
    p->SGPRSizePerCU = 16 << 10;
    p->LocalMemSize = emu_settings()->vram_size;
}

static void gpu_node(HSAuint32 node, HsaNodeProperties *p)
{
    const HSAuint32 index = node - EMU_FIRST_GPU;
    const bool is_942 = emu_settings()->arch == GCN_GFX942;
    gpu_shape(p);
    p->EngineId.ui32.Major = 9;
    p->EngineId.ui32.Minor = is_942 ? 4 : 0;
    p->EngineId.ui32.Stepping = is_942 ? 2 : 10;
    p->EngineId.ui32.uCode = 150;
    p->uCodeEngineVersions.uCodeSDMA = 20;
    p->VendorId = 0x1002;
    p->DeviceId = is_942 ? 0x74a1 : 0x740c;
    p->LocationId = 0x100 + (index << 8);
    p->DrmRenderMinor = (HSAint32)(128 + index);
    p->FComputeIdLo = 0x80000000;
    p->MaxEngineClockMhzFCompute = 100;
    p->MaxEngineClockMhzCCompute = 2000;
    p->Capability.ui32.DoorbellType = 2; // 64 bits
    p->Capability.ui32.SRAM_EDCSupport = 1;
    p->UniqueID = 0x0e0000000001 + index;
#if EMU_HAS_VMEM
    p->NumXcc = 1;
    p->KFDGpuID = 0xe001 + index;
    p->FamilyID = 141;
#endif
    put_name(p->MarketingName, is_942 ? "EMULATED gfx942" : "EMULATED gfx90a");
    snprintf((char *)p->AMDName, sizeof p->AMDName, "%s", is_942 ? "gfx942" : "gfx90a");
}

EXPORT HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 node, HsaNodeProperties *properties)
{
    memset(properties, 0, sizeof *properties);
    if (node != EMU_HOST_NODE && !emu_is_gpu(node))
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (node == EMU_HOST_NODE)
        cpu_node(properties);
    else
        gpu_node(node, properties);
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(HSAuint32 node, HSAuint32 count,
                                                   HsaMemoryProperties *banks)
{
    const HsaMemoryProperties of_host = {.HeapType = HSA_HEAPTYPE_SYSTEM,
                                         .SizeInBytes =
                                             (HSAuint64)sysconf(_SC_PHYS_PAGES) * EMU_PAGE,
                                         .Width = 64,
                                         .MemoryClockMax = 3200};
    const HsaMemoryProperties of_gpu[3] = {
        {.HeapType = HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC,
         .SizeInBytes = emu_settings()->vram_size,
         .Width = 1024,
         .MemoryClockMax = 100},
        {.HeapType = HSA_HEAPTYPE_GPU_LDS,
         .SizeInBytes = LDS_KB << 10,
         .VirtualBaseAddress = EMU_SHARED_APERTURE},
        {.HeapType = HSA_HEAPTYPE_GPU_SCRATCH, .VirtualBaseAddress = EMU_PRIVATE_APERTURE},
    };
    if (count)
        memset(banks, 0, count * sizeof *banks);
    if (node == EMU_HOST_NODE && count)
        banks[0] = of_host;
    for (HSAuint32 k = 0; emu_is_gpu(node) && k < count && k < 3; k++)
        banks[k] = of_gpu[k];
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtGetNodeCacheProperties(HSAuint32 node, HSAuint32 processor,
                                                  HSAuint32 count, HsaCacheProperties *caches)
{
    static const HSAuint32 sizes_kb[CACHES] = {16, 256};
    (void)processor;
    if (count)
        memset(caches, 0, count * sizeof *caches);
    for (HSAuint32 k = 0; emu_is_gpu(node) && k < count && k < CACHES; k++) {
        caches[k].CacheLevel = k + 1;
        caches[k].CacheSize = sizes_kb[k];
        caches[k].CacheLineSize = 128;
        caches[k].CacheType.ui32.Data = 1;
        caches[k].CacheType.ui32.HSACU = 1;
    }
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(HSAuint32 node, HSAuint32 count,
                                                   HsaIoLinkProperties *links)
{
    if (count)
        memset(links, 0, count * sizeof *links);
    for (HSAuint32 k = 0; k < count && k < (node ? 1 : emu_settings()->gpus); k++) {
        links[k].IoLinkType = HSA_IOLINKTYPE_PCIEXPRESS;
        links[k].NodeFrom = node;
        links[k].NodeTo = node ? EMU_HOST_NODE : EMU_FIRST_GPU + k;
        links[k].Weight = 20;
    }
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32 node, HsaClockCounters *counters)
{
    const uint64_t now = emu_now();
    (void)node;
    counters->GPUClockCounter = now / 10;
    counters->CPUClockCounter = now;
    counters->SystemClockCounter = now;
    counters->SystemClockFrequencyHz = 1000000000;
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtGetTileConfig(HSAuint32 node, HsaGpuTileConfig *config)
{
    (void)node;
    config->NumTileConfigs = 0;
    config->NumMacroTileConfigs = 0;
    config->GbAddrConfig = 0;
    return HSAKMT_STATUS_SUCCESS;
}
