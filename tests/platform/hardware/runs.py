"""Programs on PyTorch for check.py: python3 runs.py load SECONDS | profile DIR | graph DIR | ranges | blas

load keeps the GPU busy, and prints its process number first. profile and graph write trace.json and sums.json (what the profiler's own
averages say of each kernel: calls, microseconds). ranges has NVTX ranges of known number. blas prints FLOP/s and bytes/s that the
vendor's libraries reach.
"""
import json
import sys
import time

import torch


def load(seconds):
    import os
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    b = torch.matmul(a, a)
    torch.cuda.synchronize()
    print(json.dumps({"pid": os.getpid(), "memory": torch.cuda.memory_reserved()}), flush=True)
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        for _ in range(50):
            torch.matmul(a, a, out=b)
        torch.cuda.synchronize()


def model():
    layers = [torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024), torch.nn.LayerNorm(1024)]
    return torch.nn.Sequential(*layers).cuda(), torch.randn(64, 1024, device="cuda")


def keep(profiler, folder):
    profiler.export_chrome_trace(f"{folder}/trace.json")
    sums = {}
    for event in profiler.events():
        if str(event.device_type).endswith("CUDA") and not getattr(event, "is_user_annotation", False):
            total, calls = sums.get(event.name, (0.0, 0))
            sums[event.name] = (total + event.time_range.elapsed_us(), calls + 1)
    with open(f"{folder}/sums.json", "w", encoding="utf-8") as file:
        json.dump({name: {"us": us, "calls": calls} for name, (us, calls) in sums.items()}, file)


def activities():
    return [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]


def profile(folder):
    net, x = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    for warm in (True, False):
        with torch.profiler.profile(activities=activities(), with_stack=not warm, record_shapes=True) as profiler:
            for _ in range(5):
                optimizer.zero_grad()
                loss = net(x).square().mean()
                loss.backward()
                optimizer.step()
                loss.item()
            torch.cuda.synchronize()
    keep(profiler, folder)


def graph(folder):
    net, x = model()
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                net(x)
        torch.cuda.current_stream().wait_stream(side)
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            net(x)
        for _ in range(2):
            with torch.profiler.profile(activities=activities()) as profiler:
                for _ in range(10):
                    captured.replay()
                torch.cuda.synchronize()
    keep(profiler, folder)


def ranges():
    net, x = model()
    for _ in range(7):
        torch.cuda.nvtx.range_push("step")
        torch.cuda.nvtx.range_push("forward")
        net(x)
        torch.cuda.nvtx.range_pop()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()


def rate(work, run):
    least = float("inf")
    for _ in range(20):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        least = min(least, begin.elapsed_time(end) / 1e3)
    return work / least


def blas():
    out = {}
    torch.backends.cuda.matmul.allow_tf32 = False
    for name, dtype in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        a, b = (torch.randn(8192, 8192, device="cuda", dtype=dtype) for _ in range(2))
        out[name] = rate(2 * 8192 ** 3, lambda a=a, b=b: torch.matmul(a, b))
    x = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    y = torch.empty_like(x)
    out["copy"] = rate(2 * x.numel(), lambda: y.copy_(x))
    properties = torch.cuda.get_device_properties(0)
    out["name"], out["units"] = properties.name, properties.multi_processor_count
    out["arch"] = f"sm_{properties.major}{properties.minor}"
    print(json.dumps(out))


if __name__ == "__main__":
    {"load": load, "profile": profile, "graph": graph, "ranges": ranges, "blas": blas}[sys.argv[1]](*sys.argv[2:])
