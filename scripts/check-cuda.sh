#!/bin/sh
# check-cuda.sh BUILD: compiles the CUDA example if nvcc is installed, runs it if there is a GPU, and says what it left out.
set -eu
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "skipped: no nvcc"; exit 0; }
"$nvcc" -O2 -Iinclude examples/cuda/saxpy.cu "$1/librooftop.a" -lpthread -o "$1/saxpy"
[ -e /dev/nvidiactl ] || { echo "compiled; not run: no GPU"; exit 0; }
"$1/saxpy"
