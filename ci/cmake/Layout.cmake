# The build tree has the shape of the install tree, so that the program finds its
# helpers and data by one rule, relative to itself: ../libexec/sglexp and ../share/sglexp.
include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(SGLEXP_LIBEXEC_DIR ${CMAKE_BINARY_DIR}/libexec/sglexp)
set(SGLEXP_SHARE_DIR ${CMAKE_BINARY_DIR}/share/sglexp)
file(MAKE_DIRECTORY ${SGLEXP_LIBEXEC_DIR} ${SGLEXP_SHARE_DIR}/fixtures)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/scenarios ${SGLEXP_SHARE_DIR}/scenarios SYMBOLIC)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/fixtures/topologies ${SGLEXP_SHARE_DIR}/fixtures/topologies SYMBOLIC)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/fixtures/mock_slurm/clusters ${SGLEXP_SHARE_DIR}/fixtures/mock_clusters SYMBOLIC)
