// From a model file to its figures: load, ask, plan, run, compare.
#pragma once

#include "rattleback/study/compare.hpp"
#include "rattleback/study/diagnosis.hpp"
#include "rattleback/study/job.hpp"
#include "rattleback/study/load.hpp"
#include "rattleback/study/plan.hpp"
#include "rattleback/study/problem.hpp"
#include "rattleback/study/reproduce.hpp"
#include "rattleback/study/timescale.hpp"
#include "rattleback/study/verdict.hpp"
