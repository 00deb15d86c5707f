// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/normal.h"

#include <cassert>
#include <cmath>
#include <numbers>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/policies/policy.hpp>

namespace sglexp {
namespace {

// Arguments are checked before the call; what is left (overflow at the very ends) becomes infinity
// instead of an exception.
using Quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;

}  // namespace

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  return boost::math::quantile(boost::math::normal_distribution<double, Quiet>(), p);
}

double student_t_quantile(double p, double degrees) {
  assert(p > 0 && p < 1 && degrees > 0);
  return boost::math::quantile(boost::math::students_t_distribution<double, Quiet>(degrees), p);
}

}  // namespace sglexp
