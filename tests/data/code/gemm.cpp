// A kernel that the tests of the functions view annotate; it is never compiled.
#include <immintrin.h>

#include "gemm.h"

namespace gemm {

constexpr int rows = 6;
constexpr int cols = 16;

struct tile {
	const float *a;	// packed, rows at a time
	long depth;
	long stride;
};

static inline __m256 broadcast(const float *p)
{
	return _mm256_broadcast_ss(p);
}

static inline void store(float *c, __m256 v)
{
	_mm256_storeu_ps(c, v);
}

// Six rows by sixteen columns stay in registers; each step reads
// two vectors of B and six scalars of A.
static inline void
microkernel(const tile &t, const float *b, __m256 acc[rows][2])
{
	for (long k = 0; k < t.depth; k++) {
		__m256 b0 = _mm256_loadu_ps(b), b1 = _mm256_loadu_ps(b + 8);
		for (int i = 0; i < rows; i++) {
			__m256 a = broadcast(t.a + i);
			acc[i][0] = _mm256_fmadd_ps(a, b0, acc[i][0]);
			acc[i][1] = _mm256_fmadd_ps(a, b1, acc[i][1]);
		}
		b += cols;
	}
}

// …






// …






// …






// …






// …






// …






// One tile of C.
template <typename T, int R, int C>
void multiply(const tile &t, const T *b,
	      T *c)
{
	__m256 acc[rows][2];

	for (int i = 0; i < rows; i++)
		acc[i][0] = acc[i][1] = _mm256_setzero_ps();
	microkernel(t, b, acc);
	for (int i = 0; i < rows; i++) {
		store(c + i * t.stride, acc[i][0]);
		store(c + i * t.stride + 8, acc[i][1]);
	}
}

} // namespace gemm
