//===- RecurrentTest.cpp - LSTM, GRU and RNN against ONNX Runtime ---------===//

#include "kernels/Kernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <string>
#include <vector>

namespace {

/// A case of make_recurrent_cases.py.
struct Case {
  std::string op;
  std::vector<int64_t> sizes; // time, batch, input, hidden, direction
  int64_t flag;
  double clip;
  std::vector<LzActivation> activations;
  bool given[4]; // bias, h0, c0, peepholes
  std::vector<int32_t> lengths;
  std::vector<float> y, yh, yc;
};

std::vector<Case> allCases() {
  return {
#include "RecurrentCases.inc"
  };
}

/// The script's fill().
template <typename T> std::vector<T> fill(int64_t seed, int64_t count) {
  std::vector<T> values;
  for (int64_t i = 0; i != count; ++i)
    values.push_back(
        T(static_cast<float>((i * 37 + seed * 11) % 61 - 30) / 32));
  return values;
}

template <typename T> struct Kernels;
#define LZ_KERNELS(name, type)                                                 \
  template <> struct Kernels<type> {                                           \
    static constexpr auto lstm = lz_lstm_##name;                               \
    static constexpr auto gru = lz_gru_##name;                                 \
    static constexpr auto rnn = lz_rnn_##name;                                 \
  };
LZ_FLOAT_TYPES(LZ_KERNELS)

LzRecurrent describe(const Case &test) {
  LzRecurrent net = {};
  net.time = test.sizes[0], net.batch = test.sizes[1];
  net.input = test.sizes[2], net.hidden = test.sizes[3];
  net.direction = test.sizes[4];
  net.length_bytes = 4;
  net.flag = test.flag;
  net.clip = test.clip;
  size_t directions = net.direction == LZ_BIDIRECTIONAL ? 2 : 1;
  size_t each = test.activations.size() / directions;
  for (size_t i = 0; i != test.activations.size(); ++i)
    net.activations[i / each * 3 + i % each] = test.activations[i];
  return net;
}

/// Results of a case in element type T, one call for each `grain` items.
template <typename T> struct Results {
  std::vector<T> y, yh, yc;

  Results(const Case &test, int64_t grain) {
    LzRecurrent net = describe(test);
    int64_t directions = net.direction == LZ_BIDIRECTIONAL ? 2 : 1;
    int64_t gates = test.op == "LSTM" ? 4 : test.op == "GRU" ? 3 : 1;
    int64_t rows = gates * net.hidden, items = directions * net.batch;
    auto x = fill<T>(1, net.time * net.batch * net.input);
    auto w = fill<T>(2, directions * rows * net.input);
    auto r = fill<T>(3, directions * rows * net.hidden);
    auto b = fill<T>(4, directions * 2 * rows);
    auto h = fill<T>(5, items * net.hidden), c = fill<T>(6, items * net.hidden);
    auto p = fill<T>(7, directions * 3 * net.hidden);
    auto pick = [&](int i, const std::vector<T> &operand) {
      return test.given[i] ? operand.data() : nullptr;
    };
    const void *lengths = test.lengths.empty() ? nullptr : test.lengths.data();
    y.assign(net.time * items * net.hidden, T(99));
    yh.assign(items * net.hidden, T(99));
    yc.assign(items * net.hidden, T(99));
    int64_t steps = std::min<int64_t>(net.time, LZ_RECURRENT_BLOCK);
    std::vector<lz::ComputeType<T>> scratch(3 * net.hidden +
                                            steps * (net.input + rows));
    for (int64_t lo = 0; lo < items; lo += grain) {
      int64_t hi = std::min(items, lo + grain);
      if (test.op == "LSTM")
        Kernels<T>::lstm(&net, x.data(), w.data(), r.data(), pick(0, b),
                         lengths, pick(1, h), pick(2, c), pick(3, p), y.data(),
                         yh.data(), yc.data(), scratch.data(), lo, hi);
      else
        (test.op == "GRU" ? Kernels<T>::gru : Kernels<T>::rnn)(
            &net, x.data(), w.data(), r.data(), pick(0, b), lengths, pick(1, h),
            y.data(), yh.data(), scratch.data(), lo, hi);
    }
  }
};

template <typename T>
void expectClose(const std::vector<T> &got, const std::vector<float> &expected,
                 double tolerance, const char *what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t i = 0; i != got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], tolerance) << what << " " << i;
}

class RecurrentTest : public testing::TestWithParam<Case> {
protected:
  template <typename T> void check(double tolerance, int64_t grain = 100) {
    const Case &test = GetParam();
    Results<T> results(test, grain);
    expectClose(results.y, test.y, tolerance, "y");
    expectClose(results.yh, test.yh, tolerance, "yh");
    if (test.op == "LSTM")
      expectClose(results.yc, test.yc, tolerance, "yc");
  }
};

TEST_P(RecurrentTest, AgreesInF32) { check<float>(2e-5); }
TEST_P(RecurrentTest, AgreesInF64) { check<double>(2e-5); }
TEST_P(RecurrentTest, AgreesInF16) { check<lz::Half>(8e-3); }
TEST_P(RecurrentTest, AgreesInBf16) { check<lz::BFloat>(6e-2); }
TEST_P(RecurrentTest, AgreesInPieces) { check<float>(2e-5, 1); }

INSTANTIATE_TEST_SUITE_P(All, RecurrentTest, testing::ValuesIn(allCases()),
                         [](const auto &info) {
                           return info.param.op + std::to_string(info.index);
                         });

/// Lengths come from the model's input: anything may be in them.
TEST(RecurrentLengthTest, LimitsLengthsToTheSequence) {
  Case test = allCases().front();
  Results<float> whole(test, 1);
  test.lengths = {1000000, -5};
  Results<float> limited(test, 1);
  int64_t hidden = test.sizes[3];
  EXPECT_EQ(
      std::vector<float>(whole.yh.begin(), whole.yh.begin() + hidden),
      std::vector<float>(limited.yh.begin(), limited.yh.begin() + hidden));
  EXPECT_EQ(limited.yh[hidden], 0); // no step: the initial state
  EXPECT_EQ(limited.y[hidden], 0);
}

} // namespace
