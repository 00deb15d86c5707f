// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/app.h"

int main(int argc, char** argv) {
  return static_cast<int>(sglexp::run_app(argc, argv));
}
