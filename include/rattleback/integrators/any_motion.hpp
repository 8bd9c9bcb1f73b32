// Motions known at run time only: for the program, and for files.
#pragma once

#include <memory>
#include <utility>

#include "rattleback/integrators/motion.hpp"

namespace rattleback {

class AnyMotion {
 public:
  using Point = std::vector<double>;  ///< in the order of the layout

  virtual ~AnyMotion() = default;
  virtual const MotionInfo& info() const = 0;
  virtual Advance advance(double h, long count) = 0;
  virtual void reset() = 0;
  virtual void settle() = 0;
  virtual Clock* clock() = 0;
  virtual Divided divided() const = 0;
  virtual Point state() const = 0;
  virtual Status present(Point& z) = 0;
  virtual Status measure(Look<Point>& look) = 0;
  virtual void multipliers(std::vector<double>& to) const = 0;
  virtual Projections projections(long steps, long looks) = 0;
  virtual Failure explain(const Status& status, const Point& z, double step, double t) const = 0;
  virtual void save(std::vector<double>& to) const = 0;
  virtual void restore(std::span<const double> saved) = 0;
  virtual Point retract(const Point& z, std::span<const double> tangent) const = 0;
  virtual void difference(const Point& a, const Point& b, std::vector<double>& to) const = 0;

  void values(const Point& z, std::vector<double>& to) const { to = z; }
  Point point(std::span<const double> values) const { return {values.begin(), values.end()}; }
};
static_assert(Motion<AnyMotion>);

using AnyMotionPointer = std::unique_ptr<AnyMotion>;

namespace detail {

template <Motion M>
class ErasedMotion final : public AnyMotion {
 public:
  explicit ErasedMotion(M motion) : motion_(std::move(motion)), info_(motion_.info()) {
    std::vector<double> saved;
    motion_.save(saved);
    info_.saved = saved.size();
  }

  const MotionInfo& info() const override { return info_; }
  Advance advance(double h, long count) override { return motion_.advance(h, count); }
  void reset() override { motion_.reset(); }
  void settle() override { detail::settle(motion_); }
  Clock* clock() override { return clock_of(motion_); }
  Divided divided() const override { return divided_of(motion_); }
  Point state() const override { return flat(motion_.state()); }
  Status present(Point& z) override {
    auto typed = motion_.point(z);
    const Status status = motion_.present(typed);
    motion_.values(typed, z);
    return status;
  }
  Status measure(Look<Point>& look) override {
    Look<typename M::Point> typed{.point = motion_.point(look.point)};
    const Status status = motion_.measure(typed);
    look.energy = typed.energy;
    look.constraint = typed.constraint;
    look.hidden = typed.hidden;
    return status;
  }
  void multipliers(std::vector<double>& to) const override { motion_.multipliers(to); }
  Projections projections(long steps, long looks) override {
    return motion_.projections(steps, looks);
  }
  Failure explain(const Status& status, const Point& z, double step, double t) const override {
    return motion_.explain(status, motion_.point(z), step, t);
  }
  void save(std::vector<double>& to) const override { motion_.save(to); }
  void restore(std::span<const double> saved) override { motion_.restore(saved); }
  Point retract(const Point& z, std::span<const double> tangent) const override {
    return flat(motion_.retract(motion_.point(z), tangent));
  }
  void difference(const Point& a, const Point& b, std::vector<double>& to) const override {
    motion_.difference(motion_.point(a), motion_.point(b), to);
  }

 private:
  Point flat(const typename M::Point& z) const {
    Point values;
    motion_.values(z, values);
    return values;
  }
  M motion_;
  MotionInfo info_;
};

}  // namespace detail

template <Motion M>
AnyMotionPointer erase_motion(M motion) {
  return std::make_unique<detail::ErasedMotion<M>>(std::move(motion));
}

}  // namespace rattleback
