// A chain of links on ball joints, as other programs for mechanisms have it: links of length 1
// along their z axis, all turned by the same angle about y, at rest under gravity.
#pragma once

#include <cmath>
#include <memory>
#include <string>

namespace baseline {

constexpr double link_inertia[3] = {0.09, 0.085, 0.01}, gravity = 9.81, link_angle = 1.2;

}  // namespace baseline

#ifdef RATTLEBACK_BENCH_SIMBODY
namespace baseline {

/// Its headers are not of C++20: simbody_chain.cpp is compiled as C++17.
class SimbodyChain {
 public:
  enum class Method { verlet, merson };

  SimbodyChain(int links, Method method);
  ~SimbodyChain();
  SimbodyChain(const SimbodyChain&) = delete;
  SimbodyChain& operator=(const SimbodyChain&) = delete;

  void use_step(double h);
  void use_accuracy(double accuracy);
  void start();
  void run_to(double t);
  /// The centre of mass of the last link.
  void tip(double to[3]) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace baseline
#endif

#ifdef RATTLEBACK_BENCH_BULLET
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

namespace baseline {

/// By the Runge-Kutta method of order four.
class BulletChain {
 public:
  explicit BulletChain(int links)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
        chain_(std::make_unique<btMultiBody>(links, 0, btVector3(0, 0, 0), true, false)) {
    world_.setGravity(btVector3(0, 0, -gravity));
    const btVector3 inertia(link_inertia[0], link_inertia[1], link_inertia[2]);
    for (int i = 0; i < links; ++i)
      chain_->setupSpherical(i, 1, inertia, i - 1, btQuaternion(0, 0, 0, 1),
                             btVector3(0, 0, i == 0 ? 0 : -0.5), btVector3(0, 0, -0.5), true);
    chain_->finalizeMultiDof();
    chain_->setLinearDamping(0), chain_->setAngularDamping(0);
    chain_->setUseGyroTerm(true), chain_->useRK4Integration(true);
    chain_->setCanSleep(false);
    btScalar turn[4] = {0, std::sin(link_angle / 2), 0, std::cos(link_angle / 2)};
    chain_->setJointPosMultiDof(0, turn);
    world_.addMultiBody(chain_.get());
  }
  ~BulletChain() { world_.removeMultiBody(chain_.get()); }
  BulletChain(const BulletChain&) = delete;
  BulletChain& operator=(const BulletChain&) = delete;

  void step(double h) { world_.stepSimulation(h, 0); }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_;
  std::unique_ptr<btMultiBody> chain_;
};

}  // namespace baseline
#endif

#ifdef RATTLEBACK_BENCH_MUJOCO
#include <mujoco/mujoco.h>

#include <cstring>

namespace baseline {

/// By the Runge-Kutta method of order four.
class MujocoChain {
 public:
  MujocoChain(int links, double h) {
    const std::string xml = text(links, h);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    if (mj_makeEmptyFileVFS(files.get(), "chain.xml", static_cast<int>(xml.size()))) return;
    std::memcpy(files->filedata[0], xml.data(), xml.size());
    char error[500] = "";
    model_ = mj_loadXML("chain.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (!model_) return;
    data_ = mj_makeData(model_);
    data_->qpos[0] = std::cos(link_angle / 2), data_->qpos[2] = std::sin(link_angle / 2);
  }
  ~MujocoChain() {
    if (data_) mj_deleteData(data_);
    if (model_) mj_deleteModel(model_);
  }
  MujocoChain(const MujocoChain&) = delete;
  MujocoChain& operator=(const MujocoChain&) = delete;

  explicit operator bool() const { return data_; }
  void step() { mj_step(model_, data_); }

 private:
  static std::string text(int links, double h) {
    std::string t = "<mujoco><option integrator='RK4' gravity='0 0 -9.81' timestep='" +
                    std::to_string(h) +
                    "'><flag contact='disable' constraint='disable'/></option>"
                    "<size nstack='20000000'/><worldbody>";
    for (int i = 0; i < links; ++i)
      t +=
          std::string("<body pos='0 0 ") + (i == 0 ? "0" : "-1") +
          "'><joint type='ball'/><inertial pos='0 0 -0.5' mass='1' diaginertia='0.09 0.085 0.01'/>";
    for (int i = 0; i < links; ++i) t += "</body>";
    return t + "</worldbody></mujoco>";
  }
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace baseline
#endif
