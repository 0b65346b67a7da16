/*
 * Finds the vectors that are nearest to each question by cosine similarity: dot products, norms,
 * the best K. Elements are small whole numbers, so that products are exact and the ranks are the
 * same on every machine; equal ones are in order of their numbers.
 */
#include <stdint.h>
#include <stdio.h>

#include <rooftop/brick.h>

enum { VECTORS = 2000, WIDTH = 64, QUESTIONS = 4, BEST = 3 };

static int8_t vectors[VECTORS][WIDTH];
static int32_t norms[VECTORS]; /* squared */

static int32_t dot(const int8_t *a, const int8_t *b)
{
    int32_t sum = 0;
    for (int i = 0; i < WIDTH; i++)
        sum += a[i] * b[i];
    return sum;
}

static void make(void)
{
    uint32_t state = 7;
    for (int v = 0; v < VECTORS; v++) {
        for (int i = 0; i < WIDTH; i++) {
            state = state * 1664525u + 1013904223u;
            vectors[v][i] = (int8_t)((int)(state >> 24) % 15 - 7);
        }
        norms[v] = dot(vectors[v], vectors[v]);
    }
}

/* Whether vector a, with this dot product, is nearer than b: sign(d) d^2 / norm, without division.
 */
static int nearer(int a, int64_t da, int b, int64_t db)
{
    int64_t x = (da < 0 ? -da * da : da * da) * norms[b];
    int64_t y = (db < 0 ? -db * db : db * db) * norms[a];
    return x > y;
}

static void search(const int8_t *question, int best[BEST])
{
    int32_t found[BEST];
    int n = 0;
    for (int v = 0; v < VECTORS; v++) {
        int32_t d = dot(question, vectors[v]);
        int at = n < BEST ? n++ : BEST;
        while (at > 0 && nearer(v, d, best[at - 1], found[at - 1])) {
            if (at < BEST) {
                best[at] = best[at - 1];
                found[at] = found[at - 1];
            }
            at--;
        }
        if (at < BEST) {
            best[at] = v;
            found[at] = d;
        }
    }
}

int main(void)
{
    rooftop_id scan = rooftop_register("scan", ROOFTOP_OTHER);
    make();
    for (int q = 0; q < QUESTIONS; q++) {
        int8_t question[WIDTH];
        int best[BEST] = {0};
        const int8_t *like = vectors[q * 499];
        for (int i = 0; i < WIDTH; i++)
            question[i] = (int8_t)(like[i] + (i % 5 == q)); /* one vector, a little changed */
        rooftop_timer t = rooftop_start(scan);
        search(question, best);
        rooftop_stop_work(t, VECTORS, sizeof vectors, 2ULL * VECTORS * WIDTH);
        printf("question %d, made from %4d:", q, q * 499);
        for (int i = 0; i < BEST; i++)
            printf("  %4d (dot %4d)", best[i], (int)dot(question, vectors[best[i]]));
        printf("\n");
    }
    return fflush(stdout) != 0;
}
