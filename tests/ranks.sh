# Starts programs as several ranks on this machine; to be sourced by test_*_mpi.sh. Open MPI reads the
# variables: any user, more ranks than cores, no network and no remote shell.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm=isolated
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_orte_tmpdir_base=/tmp
export ASAN_OPTIONS=detect_leaks=0 # MPI keeps what it has until the process ends

# needs_ranks PROGRAM: skips the test where the build has none, or where no MPI starts.
needs_ranks() {
    [ -x "$1" ] || { echo "skipped: built without MPI (make setup-mpi)"; exit 77; }
    command -v mpirun >/dev/null || { echo "skipped: mpirun is not installed"; exit 77; }
    mpirun -n 2 true >/dev/null 2>&1 || { echo "skipped: mpirun starts nothing on this machine"; exit 77; }
}

# ranks N COMMAND...: the command as N ranks, for two minutes at most.
ranks() {
    local count=$1
    shift
    timeout -k 5 120 mpirun -n "$count" "$@"
}
