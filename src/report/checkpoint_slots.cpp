#include "checkpoint_slots.hpp"

#include <bit>
#include <type_traits>

namespace rattleback::detail {

namespace {

const std::array<const char*, 2> names{"checkpoint/slot_a", "checkpoint/slot_b"};

// As numbers: the sequence number, each_number(), q, p, the checksum.

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

std::vector<double> pack(const RunCheckpoint& c, long sequence) {
  std::vector<double> x{static_cast<double>(sequence)};
  each_number(c, [&](auto value) { x.push_back(static_cast<double>(value)); });
  x.insert(x.end(), c.z.q.begin(), c.z.q.end());
  x.insert(x.end(), c.z.p.begin(), c.z.p.end());
  x.push_back(0);
  x.back() = checksum(x);
  return x;
}

/// A checkpoint of the header's size.
RunCheckpoint blank(const RunHeader& header) {
  RunCheckpoint c;
  for (auto* half : {&c.z.q, &c.z.p}) half->setZero(header.dimension());
  c.figures.method = header.method;
  return c;
}

RunCheckpoint unpack(const std::vector<double>& x, const RunHeader& header) {
  RunCheckpoint c = blank(header);
  auto next = x.begin() + 1;
  each_number(c, [&]<class T>(T& value) { value = static_cast<T>(*next++); });
  for (double& q : c.z.q) q = *next++;
  for (double& p : c.z.p) p = *next++;
  RunFigures& f = c.figures;
  f.newton_mean = f.steps > 0 ? double(c.newton) / double(f.steps) : 0;
  return c;
}

}  // namespace

CheckpointSlots CheckpointSlots::create(hid_t file, const Hdf5Values& values,
                                        const RunHeader& header) {
  CheckpointSlots all;
  all.path_ = values.path();
  const Handle group = values.create_group(file, "checkpoint");
  const std::vector<double> nothing(pack(blank(header), 0).size(), 0.0);
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
                                      const RunHeader& header) {
  CheckpointSlots all;
  all.path_ = values.path();
  std::vector<double> x(pack(blank(header), 0).size());
  for (int i = 0; i < 2; ++i) {
    Handle& slot = all.slots_[i] =
        checked(H5Dopen2(file, names[i], H5P_DEFAULT), H5Dclose, all.path_, "open a checkpoint");
    const Handle space(H5Dget_space(slot), H5Sclose);
    if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(x.size()))
      throw FileError(all.path_, "has a checkpoint of another size than it says");
    checked(H5Dread(slot, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.data()), all.path_,
            "read a checkpoint");
    if (x.back() != checksum(x) || x.front() <= static_cast<double>(all.sequence_)) continue;
    all.sequence_ = static_cast<long>(x.front());
    all.found_ = unpack(x, header);
  }
  return all;
}

void CheckpointSlots::write(const RunCheckpoint& checkpoint) {
  ++sequence_;
  write(static_cast<int>(sequence_ % 2), pack(checkpoint, sequence_));
}

void CheckpointSlots::write(int slot, const std::vector<double>& numbers) const {
  checked(H5Dwrite(slots_[slot], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()),
          path_, "write a checkpoint");
}

}  // namespace rattleback::detail
