#include <algorithm>
#include <array>
#include <cmath>

#include "rattleback/integrators/splitting.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

/// The words of A, B, A_3, A_5, ... up to some weight, each letter weighing its index, A and B 1.
/// Word 0 is the empty one.
class FreeWords {
 public:
  static constexpr int letters = 7;  // A, B, A_3, A_5, A_7, A_9, A_11
  static int weight_of(int letter) { return letter < 2 ? 1 : 2 * letter - 1; }

  explicit FreeWords(int most) {
    add(0, true, 0);
    for (std::size_t word = 0; word < all_.size(); ++word) lengthen(word, most);
  }
  std::size_t size() const { return all_.size(); }

  /// series <- series exp(sum_l x_l letter_l)
  void multiply(std::vector<Quad>& series, const std::array<Quad, letters>& x) const {
    std::vector<Quad> term = series;
    for (int power = 1; std::any_of(term.begin(), term.end(), [](const Quad& t) { return t != 0; });
         ++power) {
      std::vector<Quad> next(term.size(), Quad(0));
      for (std::size_t word = 0; word < term.size(); ++word)
        for (int letter = 0; term[word] != 0 && letter < letters; ++letter)
          if (const int longer = all_[word].longer[letter]; longer > 0 && x[letter] != 0)
            next[longer] += term[word] * x[letter] / power;
      term = std::move(next);
      for (std::size_t word = 0; word < term.size(); ++word) series[word] += term[word];
    }
  }
  /// Largest difference from exp(A + B).
  double distance_from_flow(const std::vector<Quad>& series) const {
    double worst = 0;
    for (std::size_t word = 0; word < series.size(); ++word) {
      Quad flow = all_[word].plain ? 1 : 0;
      for (int k = 2; k <= all_[word].length; ++k) flow /= k;
      worst = std::max(worst, magnitude(Quad(series[word] - flow)));
    }
    return worst;
  }

 private:
  /// By one letter each, up to a weight.
  void lengthen(std::size_t word, int most) {
    for (int letter = 0; letter < letters; ++letter) {
      const int weight = all_[word].weight + weight_of(letter);
      if (weight > most) continue;
      all_[word].longer[letter] = static_cast<int>(all_.size());
      add(weight, all_[word].plain && letter < 2, all_[word].length + 1);
    }
  }
  struct Word {
    int weight;
    bool plain;  // of A and B only
    int length;
    std::array<int, letters> longer{};  // this word and one letter more; 0 where too heavy
  };
  void add(int weight, bool plain, int length) { all_.push_back({weight, plain, length}); }

  std::vector<Word> all_;
};

/// Whether all words up to this weight agree.
bool has_order(const Substeps& steps, int order, double tolerance) {
  const FreeWords words(order);
  std::vector<Quad> series(words.size(), Quad(0));
  series[0] = 1;
  for (std::size_t k = 0; k < steps.kicks.size(); ++k) {
    std::array<Quad, FreeWords::letters> x{};
    x[1] = steps.kicks[k];
    words.multiply(series, x);
    if (k == steps.drifts.size()) break;
    x[1] = 0;
    for (int letter = 0; letter < FreeWords::letters; ++letter)
      if (letter != 1) x[letter] = pow(steps.drifts[k], FreeWords::weight_of(letter));
    words.multiply(series, x);
  }
  return words.distance_from_flow(series) <= tolerance;
}

/// Kick-drift-kick steps of these lengths, with neighbouring kicks merged.
SplittingCoefficients of_verlet(const std::vector<Quad>& steps) {
  SplittingCoefficients all{steps, {Quad(steps.front() / 2)}};
  for (std::size_t k = 1; k < steps.size(); ++k)
    all.d.push_back(Quad((steps[k - 1] + steps[k]) / 2));
  all.c.emplace_back(0), all.d.push_back(Quad(steps.back() / 2));
  return all;
}

/// g_1, ..., g_k, then 1 - 2 (g_1 + ... + g_k), then back.
std::vector<Quad> around_the_middle(const std::vector<const char*>& first) {
  std::vector<Quad> all;
  Quad middle = 1;
  for (const char* text : first) all.emplace_back(text), middle -= 2 * all.back();
  const std::vector<Quad> back(all.rbegin(), all.rend());
  all.push_back(middle);
  all.insert(all.end(), back.begin(), back.end());
  return all;
}

constexpr int highest_order = 10;

}  // namespace

SplittingCoefficients splitting_of_order(int order) {
  const Quad outer = 1 / (2 - cbrt(Quad(2)));
  switch (order) {
    case 1:
      return {{1}, {1}};
    case 2:
      return of_verlet({1});
    case 4:
      return of_verlet({outer, Quad(1 - 2 * outer), outer});
    case 6:  // [Yoshida90], solution A
      return of_verlet(around_the_middle({"0.7845136104775572638194976338663498757768",
                                          "0.2355732133593581336847931829785346016865",
                                          "-1.177679984178871006946415680964315734639"}));
    case 8:  // [Suzuki93], the one with the smallest substeps of 15
      return of_verlet(around_the_middle({"0.7416703643506129534482278017838063156035",
                                          "-0.4091008258000315939973000958935634173099",
                                          "0.1907547102962383799538762564503716627355",
                                          "-0.5738624711160822666563877266355357421595",
                                          "0.2990641813036559238444635406886029882258",
                                          "0.3346249182452981837849579798821822886337",
                                          "0.3152930923967665966320566638110024309941"}));
    default:
      throw InputError("order", "splittings of order 1, 2, 4, 6 and 8 are built in, not of " +
                                    std::to_string(order));
  }
}

Substeps substeps(const SplittingCoefficients& coefficients) {
  Substeps steps{{}, {Quad(0)}};
  for (std::size_t i = 0; i < coefficients.c.size(); ++i) {
    steps.kicks.back() += coefficients.d[i];
    if (coefficients.c[i] == 0) continue;
    steps.drifts.push_back(coefficients.c[i]);
    steps.kicks.emplace_back(0);
  }
  return steps;
}

std::string obstacle_to_splitting(const SplittingCoefficients& coefficients) {
  const auto& [c, d] = coefficients;
  if (c.empty() || c.size() != d.size())
    return "c has " + std::to_string(c.size()) + " numbers and d has " + std::to_string(d.size()) +
           ": each drift c_i goes with the kick d_i before it";
  for (const auto* list : {&c, &d}) {
    Quad sum = 0;
    for (const Quad& number : *list) sum += number;
    if (!(abs(sum - 1) <= 1e-12))
      return std::string("the sum of ") + (list == &c ? "c" : "d") + " must be 1, not " +
             detail::quote(static_cast<double>(sum));
  }
  return {};
}

int splitting_order(const SplittingCoefficients& coefficients, double tolerance) {
  const Substeps steps = substeps(coefficients);
  int order = 0;
  while (order < highest_order && has_order(steps, order + 1, tolerance)) ++order;
  return order;
}

bool is_symmetric(const SplittingCoefficients& coefficients) {
  const Substeps steps = substeps(coefficients);
  const auto palindrome = [](const std::vector<Quad>& list) {
    return std::equal(list.begin(), list.end(), list.rbegin(),
                      [](const Quad& a, const Quad& b) { return abs(a - b) <= 4e-16; });
  };
  return palindrome(steps.drifts) && palindrome(steps.kicks);
}

}  // namespace rattleback
