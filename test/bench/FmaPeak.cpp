//===- FmaPeak.cpp - what a core multiplies and adds at most --------------===//
//
// Prints the GFLOP/s in f32 of one core, by a loop of fused multiply-adds on
// registers alone, with vectors of 64 bytes ("avx512") or 32 ("avx2").
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <immintrin.h>

namespace {

constexpr int kSums = 12; // hides a latency of 4 or 5 cycles twice over
constexpr long kSteps = 200000;
constexpr int kTries = 20;

__attribute__((target("avx2,fma"))) float run256() {
  __m256 sums[kSums], factor = _mm256_set1_ps(0.999f);
  for (__m256 &sum : sums)
    sum = _mm256_set1_ps(1);
  for (long step = 0; step != kSteps; ++step)
#pragma clang loop unroll(full)
    for (__m256 &sum : sums) {
      sum = _mm256_fmadd_ps(sum, factor, factor);
      asm volatile("" : "+x"(sum));
    }
  float result = 0;
  for (__m256 sum : sums)
    result += _mm256_cvtss_f32(sum);
  return result;
}

__attribute__((target("avx512f"))) float run512() {
  __m512 sums[kSums], factor = _mm512_set1_ps(0.999f);
  for (__m512 &sum : sums)
    sum = _mm512_set1_ps(1);
  for (long step = 0; step != kSteps; ++step)
#pragma clang loop unroll(full)
    for (__m512 &sum : sums) {
      sum = _mm512_fmadd_ps(sum, factor, factor);
      asm volatile("" : "+v"(sum));
    }
  float result = 0;
  for (__m512 sum : sums)
    result += _mm512_cvtss_f32(sum);
  return result;
}

/// GFLOP/s of the best of several runs of `lanes` f32.
double measure(float (*run)(), int lanes) {
  double best = 0;
  volatile float sink = 0;
  for (int i = 0; i != kTries; ++i) {
    auto start = std::chrono::steady_clock::now();
    sink = sink + run();
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    double flops = 2.0 * lanes * kSums * static_cast<double>(kSteps);
    best = std::max(best, flops / took.count() * 1e-9);
  }
  return best;
}

} // namespace

int main(int argc, char **argv) {
  bool is512 = argc == 2 && std::strcmp(argv[1], "avx512") == 0;
  if (argc != 2 || (!is512 && std::strcmp(argv[1], "avx2") != 0)) {
    std::fprintf(stderr, "usage: lz-fma-peak avx2|avx512\n");
    return 2;
  }
  if (!(is512 ? __builtin_cpu_supports("avx512f")
              : __builtin_cpu_supports("fma"))) {
    std::fprintf(stderr, "this CPU has no %s\n", argv[1]);
    return 1;
  }
  std::printf("%.2f\n", is512 ? measure(run512, 16) : measure(run256, 8));
  return 0;
}
