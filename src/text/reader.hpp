// Reads a model file, table by table. Each part is a file of its own: parameters.cpp, system.cpp,
// start.cpp, observe.cpp, method.cpp, sweep.cpp, mechanism.cpp, spring.cpp, potential.cpp,
// robot_table.cpp.
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "expand.hpp"
#include "rattleback/integrators/option.hpp"
#include "rattleback/text/robot.hpp"
#include "toml.hpp"

namespace rattleback::text {

/// What the registry of methods says; a test may say something else.
struct MethodCheck {
  std::function<void(const std::string& specification)> check;  ///< throws InputError
  /// Nothing where the family has no such option.
  std::function<const Option*(const std::string& family, const std::string& option)> option;
};

class Reader {
 public:
  Reader(const Source& source, const Settings& settings, const MethodCheck& methods,
         long largest = 10'000'000);
  ModelFile read();
  /// `kept`: texts of files that it names, which are then not read.
  ModelFile read_mechanism(const KeptFiles& kept = {});

 private:
  using Sweep = ModelFile::Sweep;
  /// One entry of `coordinates`: a coordinate, or a family of them.
  struct Family {
    std::string name;
    bool is_family;
    long lower, upper;
    int first;  ///< its first coordinate

    int size() const { return static_cast<int>(upper - lower + 1); }
  };
  struct Parameter {
    std::string name;
    Symbol* symbol;
    const Toml* written;              ///< in the file
    const Source* setting = nullptr;  ///< what the command line says instead: "name=value"
    std::vector<Code> codes{};
  };

  // parameters.cpp
  void declare_parameters(const Toml& model);
  void apply_settings();
  void parse_parameters();
  void evaluate_parameters();
  [[noreturn]] void refuse_cycle(const std::vector<int>& path, int again, const Step& reference);

  // system.cpp
  void read_system(const Toml::Entry& model);
  std::vector<CoordinateEntry> declare_coordinates(const Toml& list);
  void size_families(const std::vector<CoordinateEntry>& entries, const Toml& list);
  void read_energy(const Toml::Entry& model);
  void read_mass(const Toml::Entry& entry);
  void read_mass_matrix(const Toml& rows);
  void require_positive_matrix(const Toml& rows) const;
  void read_constraints(const Toml& list);
  void replace_velocities();

  // start.cpp
  void read_initial(const Toml::Entry& entry);
  std::vector<double> read_vector(const Toml::Entry& entry);
  std::vector<double> read_family(const Family& family, const Toml& value, const std::string& what);
  [[noreturn]] void refuse_coordinate(const Toml::Entry& entry) const;
  void check_start(const ModelFile::Initial& initial);

  // observe.cpp
  void read_observables(const Toml::Entry& entry);

  // mechanism.cpp
  using Names = std::unordered_set<std::string>;
  void read_bodies(Mechanism& mechanism, const Toml::Entry& model);
  void read_mechanism_start(const Toml& initial);
  const Toml& list_of_tables(const char* name) const;
  Body read_body(const Toml& table, const Mechanism& so_far);
  Joint read_joint(const Toml& table, const Mechanism& mechanism, const Names& names);
  void read_axes(const Toml& table, const std::string& what, Joint& joint);
  JointType joint_type(const Toml& table);
  std::string text_of(const Toml::Entry& entry) const;
  std::vector<double> numbers(const Toml& list, std::size_t count, const std::string& what);
  Vector3 vector(const Toml::Entry& entry);
  Matrix3 matrix(const Toml::Entry& entry);
  Matrix3 inertia(const Toml::Entry& entry);
  lie::SO3<double> orientation(const Toml::Entry& entry);

  // spring.cpp
  void read_forces(Mechanism& mechanism, const Names& names);
  std::string measured_joint(const Toml& value, const Mechanism& mechanism,
                             const std::string& what);
  Coupling read_coupling(const Toml& table, const Mechanism& mechanism);
  Spring read_spring(const Toml& table, const Mechanism& mechanism, const Names& names);
  const Toml& list_of(const Toml::Entry& entry, std::size_t count);
  std::string body_name(const Toml& value, const Mechanism& mechanism, const Names& names);
  void read_bodies(const Toml::Entry& entry, const Mechanism& mechanism, const Names& names,
                   std::span<std::string> bodies);
  void read_points(const Toml::Entry& entry, std::span<Vector3> points);

  // potential.cpp
  Potential read_potential(const Toml& table, const Mechanism& mechanism, const Names& names);
  Potential compile_potential(const Toml::Entry& energy, const Mechanism& mechanism,
                              Potential potential, std::vector<Vector3> points);

  // robot_table.cpp
  Mechanism read_robot_table(const Toml& model, const KeptFiles& kept);
  Mechanism mechanism_of_file(RobotFile file, const Toml& model);
  RobotOptions robot_options(const Toml& model) const;
  std::map<std::string, std::vector<double>> joint_numbers(const Toml::Entry& entry);
  [[noreturn]] void refuse_joint(const InputError& error) const;

  // method.cpp
  void read_method(const Toml::Entry& entry);
  std::string option_value(const Toml::Entry& option);
  void read_run(const Toml::Entry& entry);

  // sweep.cpp
  void read_sweep(const Toml::Entry& entry);
  Sweep::Axis parameter_axis(const Toml::Entry& entry);
  Sweep::Axis start_axis(const Toml::Entry& entry);
  ModelFile::Sweep::Values axis_values(const Toml::Entry& entry);
  ModelFile::Sweep::Values grid_values(const Toml::Entry& entry);
  void read_random(const Toml::Entry& entry, Sweep& sweep);

  // shared, reader.cpp
  [[noreturn]] void fail(TextPosition position, const std::string& message) const {
    source_.fail(position, message);
  }
  void allow_keys(const Toml& table, const std::string& name,
                  std::initializer_list<const char*> keys) const;
  const Toml& require(const Toml::Entry& entry, Toml::Type type, const std::string& wanted) const;
  /// A number or an expression in a string.
  Code code(const Toml& value, const std::string& what, const Allowed& allowed);
  double number(const Toml::Entry& entry);
  double positive(const Toml::Entry& entry);
  long positive_whole(const Toml::Entry& entry);
  bool boolean(const Toml::Entry& entry);
  /// An expression for the members of a family, which may contain their index i.
  Code member_code(const Toml& value, const std::string& what, Allowed allowed, bool is_family);
  static std::vector<Value> members(Expander& expander, const Family& family, const Code& code);

  const Source& source_;
  const Settings& settings_;
  const MethodCheck& methods_;
  Budget budget_;
  Toml root_;
  ModelFile file_;
  Scope scope_;
  std::deque<Source> setting_sources_;
  std::vector<Parameter> parameters_;
  std::vector<Family> families_;
  std::optional<Code> energy_;
  std::vector<Code> constraints_;
};

}  // namespace rattleback::text
