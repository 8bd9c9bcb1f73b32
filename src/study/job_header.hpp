// What a run file keeps of a job beside its states, and the same read back when it is resumed.
#pragma once

#include "rattleback/study/job.hpp"

namespace rattleback::study {

/// That of the motion, and what is observed.
Layout stored_layout(const Job& job);
/// All that the run can be resumed from.
RunHeader header_of(const JobRequest& request, const ModelFile& file, Job& job);

/// Of phase-space systems or of mechanisms.
Method method_named(const std::string& specification);
/// Wishes may repeat what a run is, not change it. Throws InputError.
void require_same(const JobRequest& request, const RunHeader& header);
/// Of a run whose steps vary; 0 where its steps are counted.
double wanted_time(const RunHeader& header);
/// The model that was run. Throws InputError where the request names another.
ModelFile model_of(const JobRequest& request, const RunHeader& header);

}  // namespace rattleback::study
