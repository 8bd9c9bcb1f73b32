#include "checkpoint_slots.hpp"

#include <bit>
#include <type_traits>

namespace rattleback::detail {

namespace {

const std::array<const char*, 2> names{"checkpoint/slot_a", "checkpoint/slot_b"};

// As numbers: the sequence number, each_number(), the saved state, the checksum.

template <class Checkpoint, class Visit>
void each_number(Checkpoint& c, Visit&& visit) {
  auto& f = c.figures;
  visit(f.steps);
  visit(c.stored);
  visit(f.initial_energy);
  visit(f.final_energy);
  visit(f.energy_error);
  visit(f.energy_drift);
  visit(f.constraint);
  visit(f.hidden);
  visit(f.newton_max);
  visit(f.projections.position);
  visit(f.projections.momentum);
  visit(f.seconds);
  visit(c.drift.count);
  visit(c.drift.mean_t);
  visit(c.drift.mean_y);
  visit(c.drift.s_tt);
  visit(c.drift.s_ty);
  visit(c.newton);
  visit(c.newton_stored);
  visit(f.step);
  visit(f.wanted);
}

/// Of all but the last number; 52 bits, so that it is a double like the rest.
double checksum(const std::vector<double>& numbers) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(numbers[i]);
    for (int byte = 0; byte < 8; ++byte) {
      hash ^= (bits >> (8 * byte)) & 0xff;
      hash *= 1099511628211u;
    }
  }
  return static_cast<double>(hash >> 12);
}

std::vector<double> pack(const Checkpoint& c, long sequence) {
  std::vector<double> x{static_cast<double>(sequence)};
  each_number(c, [&](auto value) { x.push_back(static_cast<double>(value)); });
  x.insert(x.end(), c.state.begin(), c.state.end());
  x.push_back(0);
  x.back() = checksum(x);
  return x;
}

Checkpoint unpack(const std::vector<double>& x, const std::string& method) {
  Checkpoint c;
  auto next = x.begin() + 1;
  each_number(c, [&]<class T>(T& value) { value = static_cast<T>(*next++); });
  c.state.assign(next, x.end() - 1);
  RunFigures& f = c.figures;
  f.method = method;
  f.newton_mean = f.steps > 0 ? double(c.newton) / double(f.steps) : 0;
  return c;
}

/// The numbers of a slot that was never written to.
std::vector<double> blank(std::size_t saved) {
  return std::vector<double>(pack({.state = std::vector<double>(saved)}, 0).size());
}

}  // namespace

CheckpointSlots CheckpointSlots::create(hid_t file, const Hdf5Values& values, std::size_t saved) {
  CheckpointSlots all;
  all.path_ = values.path();
  const Handle group = values.create_group(file, "checkpoint");
  const std::vector<double> nothing = blank(saved);
  all.size_ = nothing.size();
  const hsize_t size = nothing.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  for (int i = 0; i < 2; ++i) {
    all.slots_[i] = checked(
        H5Dcreate2(file, names[i], H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose, all.path_, "create a checkpoint");
    all.write(i, nothing);
  }
  return all;
}

CheckpointSlots CheckpointSlots::open(hid_t file, const Hdf5Values& values,
                                      const std::string& method) {
  CheckpointSlots all;
  all.path_ = values.path();
  const std::size_t least = blank(0).size();
  for (int i = 0; i < 2; ++i) {
    Handle& slot = all.slots_[i] =
        checked(H5Dopen2(file, names[i], H5P_DEFAULT), H5Dclose, all.path_, "open a checkpoint");
    const Handle space(H5Dget_space(slot), H5Sclose);
    const auto size = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
    if (size < least || (i > 0 && size != all.size_))
      throw FileError(all.path_, "has a checkpoint of a strange size");
    all.size_ = size;
    std::vector<double> x(size);
    checked(H5Dread(slot, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.data()), all.path_,
            "read a checkpoint");
    if (x.back() != checksum(x) || x.front() <= static_cast<double>(all.sequence_)) continue;
    all.sequence_ = static_cast<long>(x.front());
    all.found_ = unpack(x, method);
  }
  return all;
}

void CheckpointSlots::write(const Checkpoint& checkpoint) {
  const std::vector<double> numbers = pack(checkpoint, sequence_ + 1);
  if (numbers.size() != size_)
    throw FileError(path_, "has room for " + std::to_string(size_ - blank(0).size()) +
                               " numbers of a state, and the motion saves " +
                               std::to_string(checkpoint.state.size()));
  ++sequence_;
  write(static_cast<int>(sequence_ % 2), numbers);
}

void CheckpointSlots::write(int slot, const std::vector<double>& numbers) const {
  checked(H5Dwrite(slots_[slot], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()),
          path_, "write a checkpoint");
}

}  // namespace rattleback::detail
