# Flags for our own code only; linked PRIVATE, so dependants and system headers never see them.
add_library(sglexp_build_flags INTERFACE)
# Designated initializers leave defaulted members out on purpose: g++ 12 warns where clang does not.
target_compile_options(sglexp_build_flags INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  $<$<BOOL:${SGLEXP_WERROR}>:-Werror>)
if(SGLEXP_SANITIZE)
  # Linked into everything, tests included: a half-instrumented program reports nonsense.
  add_compile_options(-fsanitize=${SGLEXP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${SGLEXP_SANITIZE})
endif()
