#include <Simbody.h>

#include "link_chain.hpp"

namespace baseline {

struct SimbodyChain::Parts {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::UniformGravity weight{forces, matter, SimTK::Vec3(0, 0, -gravity)};
  SimTK::State state;
  SimTK::MobilizedBodyIndex tip;
  std::unique_ptr<SimTK::Integrator> integrator;
  std::unique_ptr<SimTK::TimeStepper> stepper;
};

SimbodyChain::SimbodyChain(int links, Method method) : parts_(new Parts) {
  using namespace SimTK;
  const Body::Rigid link(
      MassProperties(1, Vec3(0), Inertia(link_inertia[0], link_inertia[1], link_inertia[2])));
  MobilizedBody last = parts_->matter.Ground();
  std::vector<MobilizedBody::Ball> all;
  for (int i = 0; i < links; ++i) {
    all.emplace_back(last, Transform(Vec3(0, 0, i == 0 ? 0 : -0.5)), link,
                     Transform(Vec3(0, 0, 0.5)));
    last = all.back();
  }
  parts_->tip = last.getMobilizedBodyIndex();
  parts_->system.realizeTopology();
  parts_->state = parts_->system.getDefaultState();
  all[0].setQToFitRotation(parts_->state, Rotation(link_angle, YAxis));
  if (method == Method::verlet)
    parts_->integrator = std::make_unique<VerletIntegrator>(parts_->system);
  else
    parts_->integrator = std::make_unique<RungeKuttaMersonIntegrator>(parts_->system);
}
SimbodyChain::~SimbodyChain() = default;

void SimbodyChain::use_step(double h) { parts_->integrator->setFixedStepSize(h); }
void SimbodyChain::use_accuracy(double accuracy) { parts_->integrator->setAccuracy(accuracy); }
void SimbodyChain::start() {
  parts_->stepper = std::make_unique<SimTK::TimeStepper>(parts_->system, *parts_->integrator);
  parts_->stepper->initialize(parts_->state);
}
void SimbodyChain::run_to(double t) { parts_->stepper->stepTo(t); }
void SimbodyChain::tip(double to[3]) const {
  const SimTK::State& s = parts_->integrator->getState();
  parts_->system.realize(s, SimTK::Stage::Position);
  const SimTK::Vec3 x = parts_->matter.getMobilizedBody(parts_->tip).getBodyOriginLocation(s);
  for (int i = 0; i < 3; ++i) to[i] = x[i];
}

}  // namespace baseline
