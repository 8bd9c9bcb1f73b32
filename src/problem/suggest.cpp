#include "suggest.hpp"

#include <algorithm>

namespace rattleback::detail {

namespace {

/// The fewest insertions, deletions, changes and swaps of neighbours that make a into b.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] =
          std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

std::string suggestion(std::string_view wrong, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 64;
  if (wrong.size() > longest) return {};
  const std::string* best = nullptr;
  int least = static_cast<int>(wrong.size() + 3) / 3 + 1;  // one slip in three letters
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) continue;
    // The case alone is the smallest slip; changing every letter is no slip at all.
    const int distance = lower(wrong) == lower(candidate) ? 0 : edit_distance(wrong, candidate);
    if (distance >= static_cast<int>(std::max(wrong.size(), candidate.size()))) continue;
    if (distance < least) {
      least = distance;
      best = &candidate;
    }
  }
  return best ? "; did you mean '" + *best + "'?" : "";
}

}  // namespace rattleback::detail
