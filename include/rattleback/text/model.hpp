// A model file: what system, from where, by which method, how long. Every error names file, line
// and column and quotes what it is about.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/expression/description.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

struct Mechanism;  // multibody/mechanism.hpp

/// A place in a model file; lines and columns count from 1, columns in characters.
struct TextPosition {
  int line = 0, column = 0;
};

/// Bad input in a model file. what() is "pendulum.toml:6:15: unknown name 'g1'; did you mean 'g0'?"
/// followed by the line and a caret under the place.
class TextError : public InputError {
 public:
  TextError(const std::string& file, TextPosition position, const std::string& what,
            const std::string& excerpt = {});
  TextPosition position() const { return position_; }

 private:
  TextPosition position_;
};

/// Parameters given on the command line: name and constant expression, a list as "[1, 2]".
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Texts of files by their paths.
using KeptFiles = std::map<std::string, std::string>;

struct ModelFile {
  std::string path;                ///< as given
  std::string text;                ///< the whole file, for run files
  KeptFiles files;                 ///< others that it was read from, for run files too
  std::vector<std::string> notes;  ///< what was odd in it, left out or assumed
  SystemDescription system;
  std::shared_ptr<const Mechanism> mechanism;  ///< of kind multibody; `system` is then empty
  std::map<std::string, std::vector<double>> parameters;  ///< a number, or a list

  struct Initial {
    std::vector<double> q, p, v;  ///< p or v is empty, never both
    bool project = false;
    bool allow_inconsistent = false;
  };
  struct Method {
    std::string specification;  ///< "rattle:base=midpoint"; a list of numbers is "c=[0.5;0.5]"
    TextPosition position;
  };
  struct Run {
    std::optional<double> step, time, tolerance;
    std::optional<long> steps, every;
  };
  /// Many runs: every combination of values of the axes, and random starts for each.
  struct Sweep {
    enum class Target { parameter, q, p, v };
    /// A list, or a grid that is not written out.
    struct Values {
      std::vector<double> list;
      double from = 0, to = 0;
      long count = 0;  ///< of a grid
      bool logarithmic = false;

      long size() const { return list.empty() ? count : static_cast<long>(list.size()); }
      double operator[](long i) const;
    };
    struct Axis {
      std::string name;  ///< "L", "x", "p_x[2]"
      Target target;
      int index;  ///< the coordinate, unless the target is a parameter
      Values values;
    };
    std::vector<Axis> axes;
    long starts = 1;      ///< for each combination
    long seed = 0;        ///< the same seed gives the same starts, on every machine
    double spread_q = 0;  ///< random starts are uniform within +-spread of [initial]
    double spread_p = 0;  ///< of p, or of v where that is given

    long size() const;
    /// What each axis has for a member. The last axis changes fastest, the random starts of one
    /// combination follow each other.
    std::vector<double> values(long member) const;
    /// The parameters of a member, for read_model. They come after those of the command line.
    Settings settings(long member) const;
    /// The start of a member, from the one that the model has with its parameters.
    Initial start(long member, Initial initial) const;
  };
  /// What a run tells of its states besides, in the order of the file.
  struct Observable {
    std::string name;
    Expression
        value;  ///< of q, p and v as in `system`; then come t, H, and H~ that the method keeps
  };
  std::optional<Initial> initial;
  std::optional<Method> method;
  std::vector<Observable> observables;
  Run run;
  std::optional<Sweep> sweep;
};

ModelFile read_model(const std::filesystem::path& path, const Settings& settings = {});
/// The same from memory; `path` is for messages.
ModelFile parse_model(std::string_view text, const std::string& path,
                      const Settings& settings = {});
/// Of kind multibody: bodies and joints, or a robot file; what is in `kept` is not read again.
ModelFile parse_mechanism(std::string_view text, const std::string& path,
                          const Settings& settings = {}, const KeptFiles& kept = {});

}  // namespace rattleback
