// A model, its stepper and its state, from the text on.
#pragma once

#include <string>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/text/model.hpp"

namespace bench {

struct TextRun {
  explicit TextRun(const std::string& text, const std::string& method = "rattle",
                   double step = 0.01)
      : model(rattleback::parse_model(text, "bench")),
        system(rattleback::expression_system(model.system)),
        stepper(rattleback::find_method(method).stepper<double>(system)),
        h(step) {
    const int n = system.dimension();
    z.q.setZero(n);
    z.p.setZero(n);
    for (int i = 0; i < n; ++i) {
      z.q[i] = model.initial->q[i];
      if (!model.initial->p.empty()) z.p[i] = model.initial->p[i];
    }
  }
  void advance(long steps) {
    if (!stepper->advance(system, z, h, steps).status) throw rattleback::Error("a step failed");
  }
  rattleback::ModelFile model;
  rattleback::AnySystem system;
  rattleback::AnyStepperPointer<double> stepper;
  rattleback::State<double> z;
  double h;
};

}  // namespace bench
