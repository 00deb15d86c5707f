# `cmake --install` lays out bin/, libexec/sglexp/ and share/sglexp/ as the build tree has them.
if(TARGET sglexp)
install(TARGETS sglexp RUNTIME DESTINATION bin)
endif()
install(DIRECTORY scenarios/ DESTINATION share/sglexp/scenarios)
install(DIRECTORY fixtures/topologies/ DESTINATION share/sglexp/fixtures/topologies)
install(DIRECTORY fixtures/mock_slurm/clusters/ DESTINATION share/sglexp/fixtures/mock_clusters)
