/* Activation functions over one vector, each a brick; three decimals of some values and the mean.
 */
#include <math.h>
#include <stdio.h>

#include <rooftop/brick.h>

enum { N = 4096, HALF = N / 2 };

static float relu(float x)
{
    return x > 0 ? x : 0;
}
static float leaky_relu(float x)
{
    return x > 0 ? x : 0.01f * x;
}
static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}
static float silu(float x)
{
    return x * sigmoid(x);
}
static float gelu(float x)
{
    return 0.5f * x * (1 + erff(x / sqrtf(2)));
}
static float softplus(float x)
{
    return x > 20 ? x : log1pf(expf(x));
}

static const struct {
    const char *name;
    float (*apply)(float x);
} functions[] = {
    {"relu", relu},         {"leaky_relu", leaky_relu},
    {"sigmoid", sigmoid},   {"tanh", tanhf},
    {"silu", silu},         {"gelu", gelu},
    {"softplus", softplus},
};

int main(void)
{
    static float x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)(i - HALF) / 256; /* -8 to 8 */
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        double mean = 0;
        rooftop_timer t = rooftop_start(rooftop_register(functions[f].name, ROOFTOP_OTHER));
        for (int i = 0; i < N; i++)
            y[i] = functions[f].apply(x[i]);
        rooftop_stop(t, N);
        for (int i = 0; i < N; i++)
            mean += y[i] / N;
        printf("%-10s  f(-2) %7.3f  f(-1/4) %7.3f  f(1) %7.3f  f(3) %7.3f  mean %6.3f\n",
               functions[f].name, y[HALF - 512], y[HALF - 64], y[HALF + 256], y[HALF + 768], mean);
    }
    return fflush(stdout) != 0;
}
