#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <iostream>

#include "exit_code.hpp"
#include "problem/suggest.hpp"
#include "verbs.hpp"

namespace rattleback::app {

namespace {

/// 1000, 1e6: whole numbers as people write them.
long whole(const std::string& option, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value != std::floor(value) || !(value >= 1) ||
      value > 9e15)
    throw InputError(option, "expected a positive whole number, got '" + text + "'");
  return static_cast<long>(value);
}

double number(const std::string& option, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value))
    throw InputError(option, "expected a number, got '" + text + "'");
  return value;
}

std::pair<std::string, std::string> setting(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw InputError("--set", "expected name=value, got '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The verbs and their options, bound to the requests they fill.
class CommandLine {
 public:
  CommandLine() {
    app_.set_help_flag("-h,--help", "This text");
    app_.set_version_flag("--version", "rattleback " RATTLEBACK_VERSION, "The version");
    app_.footer(
        "Examples:\n"
        "  rattleback run examples/pendulum.toml\n"
        "  rattleback check examples/pendulum.toml\n"
        "  rattleback compare examples/pendulum.toml --methods rattle baseline:kind=rk4\n"
        "rattleback VERB --help tells more. Exit codes: 0 done, 2 bad input, 3 ill-posed model or\n"
        "inconsistent start, 4 the integration failed, 130 interrupted.");
    app_.require_subcommand(1);
    add_run();
    add_check();
    add_compare();
    add_methods();
    add_plot();
    add_reproduce();
    add_planned("report", "One HTML page about a run (not available yet)");
  }

  int parse_and_run(int argc, char** argv) {
    require_known(argc, argv);
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return app_.exit(error);
      throw InputError(verb_of(argc, argv), std::string(error.what()) + "; see --help");
    }
    return verb_();
  }

 private:
  using Words = std::vector<std::string>;

  CLI::App* add_verb(const std::string& name, const std::string& what, const std::string& examples,
                     std::function<int()> verb) {
    CLI::App* sub = app_.add_subcommand(name, what);
    sub->footer("Examples:\n" + examples);
    sub->callback([this, verb = std::move(verb)] { verb_ = verb; });
    return sub;
  }

  /// A number, read in one way for all options.
  static void add_number(CLI::App* sub, const std::string& option, std::optional<double>& target,
                         const std::string& what) {
    sub->add_option_function<std::string>(
           option, [&target, option](const std::string& text) { target = number(option, text); },
           what)
        ->type_name("NUMBER");
  }
  static void add_whole(CLI::App* sub, const std::string& option, std::optional<long>& target,
                        const std::string& what) {
    sub->add_option_function<std::string>(
           option, [&target, option](const std::string& text) { target = whole(option, text); },
           what)
        ->type_name("COUNT");
  }
  static void add_settings(CLI::App* sub, Settings& settings) {
    sub->add_option_function<Words>(
           "--set",
           [&settings](const Words& words) {
             for (const auto& word : words) settings.push_back(setting(word));
           },
           "A parameter of the model; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
  }
  static void add_coordinates(CLI::App* sub, std::vector<std::string>& coordinates) {
    sub->add_option(
           "--plot-coordinates", coordinates,
           "Two or three axes of the picture: coordinates, momenta p_<name>, lambda_<k>, t")
        ->type_name("x,y")
        ->delimiter(',')
        ->allow_extra_args(false);
  }

  void add_run() {
    CLI::App* sub = add_verb(
        "run", "Run a model file and print a summary with the structure figures",
        "  rattleback run examples/pendulum.toml\n"
        "  rattleback run model.toml --method rattle:base=midpoint --step 0.01 --time 100\n"
        "  rattleback run model.toml --set L=2 --out run.h5 --plot run.svg\n"
        "  rattleback run --resume run.h5 --steps 2e6\n"
        "  rattleback run model.toml --json | python3 -m json.tool",
        [this] {
          if (run_.file.empty() && run_.resume.empty())
            throw InputError("run", "no model file was given; see rattleback run --help");
          return run(run_);
        });
    sub->add_option("FILE", run_.file, "Model file (TOML)");
    sub->add_option("--method", run_.method,
                    "Such as rattle:base=midpoint, or auto; see rattleback methods");
    add_number(sub, "--step", run_.step, "Step size");
    add_whole(sub, "--steps", run_.steps, "Number of steps, or");
    add_number(sub, "--time", run_.time, "length of the run");
    add_whole(sub, "--every", run_.every, "Store every so many steps");
    add_settings(sub, run_.settings);
    sub->add_option("--out", run_.out, "Where the states go: FILE.h5, FILE.csv or FILE.npy");
    sub->add_flag("--force", run_.force, "Replace what is in that file");
    sub->add_flag("--json", run_.json, "One JSON object on standard output, nothing else there");
    sub->add_flag("--quiet", run_.quiet, "No summary and no progress bar");
    sub->add_option("--resume", run_.resume, "Go on with a stored run, FILE.h5");
    sub->add_option_function<std::string>(
           "--checkpoint-every",
           [this](const std::string& text) {
             run_.checkpoint_every = number("--checkpoint-every", text);
           },
           "Seconds between points to resume from (5)")
        ->type_name("SECONDS");
    sub->add_option_function<std::string>(
           "--multipliers",
           [this](const std::string& text) {
             run_.multipliers = text == "minimal" ? Multipliers::minimal : Multipliers::kept;
           },
           "Where constraints are redundant: of the ones kept, or of all with least norm")
        ->check(CLI::IsMember({"kept", "minimal"}));
    sub->add_flag("--modified-energy", run_.modified_energy,
                  "Estimate the energy that the method keeps, over up to 1000 steps");
    sub->add_option("--plot", run_.plot, "Draw the run: FILE.svg or FILE.png");
    add_coordinates(sub, run_.plot_coordinates);
    sub->add_option("--report", run_.report, "An HTML page (not available yet)");
  }

  void add_check() {
    CLI::App* sub = add_verb("check", "Say what a system is and which methods apply to it",
                             "  rattleback check examples/pendulum.toml\n"
                             "  rattleback check model.toml --set L=2 --json",
                             [this] { return check(check_); });
    sub->add_option("FILE", check_.file, "Model file (TOML)")->required();
    add_settings(sub, check_.settings);
    sub->add_flag("--json", check_.json, "One JSON object on standard output, nothing else there");
    sub->add_flag("--all-methods", check_.all_methods,
                  "Every variant of the methods, with reasons");
  }

  void add_compare() {
    CLI::App* sub =
        add_verb("compare", "Run several methods over several steps: error against cost",
                 "  rattleback compare examples/pendulum.toml --methods rattle baseline:kind=rk4\n"
                 "  rattleback compare model.toml --methods rattle rattle:base=midpoint \\\n"
                 "      --step 0.1 --step-halvings 5 --time 10 --plot cost.svg",
                 [this] { return compare(compare_); });
    sub->add_option("FILE", compare_.file, "Model file (TOML)")->required();
    sub->add_option("--methods", compare_.methods, "Methods; see rattleback methods")->required();
    add_number(sub, "--step", compare_.step, "Largest step");
    sub->add_option_function<std::string>(
           "--step-halvings,--halvings",
           [this](const std::string& text) {
             compare_.halvings = static_cast<int>(whole("--step-halvings", text));
           },
           "How often it is halved (4)")
        ->type_name("COUNT");
    add_number(sub, "--time", compare_.time, "Length of the runs");
    add_number(sub, "--accuracy", compare_.accuracy,
               "An error at the end: say which method gets there at the least cost");
    add_settings(sub, compare_.settings);
    sub->add_option("--plot", compare_.plot, "Error against cost: FILE.svg or FILE.png");
    sub->add_flag("--json", compare_.json,
                  "One JSON object on standard output, nothing else there");
    sub->add_flag("--quiet", compare_.quiet, "No progress bar");
  }

  void add_methods() {
    CLI::App* sub =
        add_verb("methods", "List the methods, their options and what each preserves",
                 "  rattleback methods\n"
                 "  rattleback methods rattle\n"
                 "  rattleback methods --json",
                 [this] { return complete_ ? complete_method(*complete_) : methods(methods_); });
    sub->add_option("NAME", methods_.name, "One method, in full");
    sub->add_flag("--json", methods_.json,
                  "One JSON object on standard output, nothing else there");
    sub->add_option("--complete", complete_, "For shells: what this beginning may become")
        ->type_name("TEXT");
  }

  void add_plot() {
    CLI::App* sub = add_verb("plot", "Draw a stored run",
                             "  rattleback plot run.h5 run.svg\n"
                             "  rattleback plot run.h5 run.png --plot-coordinates x,p_x",
                             [this] { return plot(plot_); });
    sub->add_option("RUN", plot_.run, "Stored run, FILE.h5")->required();
    sub->add_option("PICTURE", plot_.picture, "FILE.svg or FILE.png")->required();
    add_coordinates(sub, plot_.coordinates);
  }

  void add_reproduce() {
    CLI::App* sub = add_verb("reproduce", "The papers' experiments, beside what the papers say",
                             "  rattleback reproduce\n"
                             "  rattleback reproduce hopf-fig4 --picture png\n"
                             "  rattleback reproduce all --out figures",
                             [this] { return reproduce(reproduce_); });
    sub->add_option("ID", reproduce_.id, "One of them, or all; without it they are listed");
    sub->add_option("--out", reproduce_.out, "Folder for data and picture (here)")
        ->type_name("FOLDER");
    sub->add_option("--picture", reproduce_.picture, "svg, png or none (svg)")
        ->check(CLI::IsMember({"svg", "png", "none"}));
    sub->add_flag("--json", reproduce_.json,
                  "One JSON object on standard output, nothing else there");
  }

  void add_planned(const std::string& name, const std::string& what) {
    CLI::App* sub = add_verb(name, what, "  none yet", [name]() -> int {
      throw InputError(name, "this verb is not available yet");
    });
    sub->allow_extras();
  }

  static std::string verb_of(int argc, char** argv) {
    return argc > 1 && argv[1][0] != '-' ? argv[1] : "command line";
  }

  /// Unknown verbs and options, with what was probably meant.
  void require_known(int argc, char** argv) const {
    if (argc < 2) throw InputError("command line", "no verb was given; see rattleback --help");
    Words verbs;
    for (const CLI::App* sub : app_.get_subcommands([](const CLI::App*) { return true; }))
      verbs.push_back(sub->get_name());
    const std::string verb = argv[1];
    if (verb.empty() || verb[0] != '-') {
      if (std::find(verbs.begin(), verbs.end(), verb) == verbs.end())
        throw InputError("command line", "unknown verb '" + verb + "' (see rattleback --help)" +
                                             detail::suggestion(verb, verbs));
      require_known_options(*app_.get_subcommand(verb), argc, argv);
    }
  }
  static void require_known_options(const CLI::App& sub, int argc, char** argv) {
    if (sub.get_allow_extras()) return;
    Words known;
    for (const CLI::Option* option : sub.get_options())
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    for (int i = 2; i < argc; ++i) {
      const std::string word = argv[i], name = word.substr(0, word.find('='));
      if (word == "--") return;
      if (word.rfind("--", 0) == 0 && std::find(known.begin(), known.end(), name) == known.end())
        throw InputError(sub.get_name(), "unknown option '" + name + "' (see rattleback " +
                                             sub.get_name() + " --help)" +
                                             detail::suggestion(name, known));
    }
  }

  CLI::App app_{"Structure-preserving simulation of constrained Hamiltonian systems", "rattleback"};
  std::function<int()> verb_;
  RunRequest run_;
  CheckRequest check_;
  CompareRequest compare_;
  PlotRequest plot_;
  MethodsRequest methods_;
  ReproduceRequest reproduce_;
  std::optional<std::string> complete_;
};

}  // namespace

int command_line(int argc, char** argv) { return CommandLine().parse_and_run(argc, argv); }

}  // namespace rattleback::app
