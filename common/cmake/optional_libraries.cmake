# Libraries that a part of the course uses, and without which the rest works.

# waitless_find_optional(NAME PACKAGE_VARIABLE) makes the target waitless_NAME if this machine has the library, and tells the
# Debian package that brings it.
function(waitless_find_optional name package_variable)
  if(name STREQUAL "mpi")
    set(${package_variable} libopenmpi-dev PARENT_SCOPE)
    find_package(MPI QUIET COMPONENTS CXX)
    set(library MPI::MPI_CXX)
  elseif(name STREQUAL "nccl")
    set(${package_variable} libnccl-dev PARENT_SCOPE)
    find_path(WAITLESS_NCCL_INCLUDE nccl.h)
    find_library(WAITLESS_NCCL_LIBRARY nccl)
    if(WAITLESS_CUDA AND WAITLESS_NCCL_INCLUDE AND WAITLESS_NCCL_LIBRARY AND NOT TARGET waitless_nccl_library)
      add_library(waitless_nccl_library INTERFACE)
      target_include_directories(waitless_nccl_library SYSTEM INTERFACE ${WAITLESS_NCCL_INCLUDE})
      target_link_libraries(waitless_nccl_library INTERFACE ${WAITLESS_NCCL_LIBRARY})
    endif()
    set(library waitless_nccl_library)
  else()
    message(FATAL_ERROR "there is no optional library ${name}: add it to common/cmake/optional_libraries.cmake")
  endif()
  if(TARGET ${library} AND NOT TARGET waitless_${name})
    add_library(waitless_${name} INTERFACE)
    target_link_libraries(waitless_${name} INTERFACE ${library})
  endif()
endfunction()

# waitless_launcher(VARIABLE N): the words in front of a program that make it N processes which know each other; none without
# MPI. Open MPI asks for a yes before it starts more processes than there are processors, and before root may start any.
function(waitless_launcher variable n)
  if(TARGET waitless_mpi)
    set(${variable} env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
      ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} ${MPIEXEC_PREFLAGS} PARENT_SCOPE)
  else()
    set(${variable} "" PARENT_SCOPE)
  endif()
endfunction()
