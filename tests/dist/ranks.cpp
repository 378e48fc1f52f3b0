// One rank under MPI: every case by every plan, the same bits in every run, and what happens when ranks disagree or one is lost.
//   dist_ranks cases | again | disagree | late | lost
// The C interface alone.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cases.h"

using namespace gpuopt_dist_test;

namespace {

int failures = 0;
int32_t rank, size;

void expect(bool good, const std::string &words) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "FAILED: rank %d: %s\n", rank, words.c_str());
}

void cases(gpuopt_comm *comm, gpuopt_handle *handle) {
  int count = 0;
  for (const char *plan : {"", "dist_sequence", "dist_chunked:1", "dist_chunked:3"}) {
    std::vector<Case> all = every_shape(size);
    if (!*plan || !std::strcmp(plan, "dist_chunked:3"))
      for (const Case &c : every_type(size)) all.push_back(c);
    for (const Case &c : all) {
      const std::string wrong = check(comm, handle, c, plan);
      expect(wrong.empty(), wrong);
      ++count;
    }
  }
  if (rank == 0) std::printf("%d cases on %d ranks\n", count, size);
}

void again(gpuopt_comm *comm, gpuopt_handle *handle) {
  for (const char *plan : {"dist_sequence", "dist_chunked:2"}) {
    for (int32_t op = 1; op <= 3; ++op) {
      const Case c = {op, 131, 65, 64 * size + 7, 1, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, 0};
      std::vector<char> first, next;
      const std::string wrong = check(comm, handle, c, plan, &first);
      expect(wrong.empty(), wrong);
      for (int i = 1; i < 20; ++i) {
        check(comm, handle, c, plan, &next);
        expect(next == first, words(c) + ": run " + std::to_string(i) + " has other bits than the first");
      }
    }
  }
}

gpuopt_status small_call(gpuopt_comm *comm, int64_t m, int64_t n) {
  std::vector<float> a(static_cast<size_t>(m * 4), 1), b(static_cast<size_t>(4 * n), 1), d(static_cast<size_t>(m * n));
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(a.data(), m, 4, GPUOPT_F32);
  g.b = gpuopt_mat(b.data(), 4, n, GPUOPT_F32);
  g.d = gpuopt_mat(d.data(), m, n, GPUOPT_F32);
  return gpuopt_gemm_all_reduce(comm, &g);
}

void disagree(gpuopt_comm *comm) {
  const gpuopt_status s = small_call(comm, 8, rank == size - 1 ? 9 : 8);
  const std::string words = gpuopt_last_error();
  expect(s == GPUOPT_RANKS_DISAGREE, "status " + std::to_string(s) + ": " + words);
  expect(words.find("n=8") != std::string::npos && words.find("n=9") != std::string::npos &&
             words.find("rank " + std::to_string(size - 1)) != std::string::npos,
         "both are to be named: " + words);
  expect(small_call(comm, 8, 8) == GPUOPT_OK, "the communicator goes on after it");
}

// The last rank comes when the others have given up and destroyed their communicators. What it sends then must not arrive in
// memory that is another's by now.
void late(gpuopt_comm *comm) {
  expect(small_call(comm, 16, 8) == GPUOPT_OK, "before");
  if (rank == size - 1) {
    usleep(3000000);
    small_call(comm, 16, 8);
    gpuopt_comm_destroy(comm);
    MPI_Barrier(MPI_COMM_WORLD);
    return;
  }
  const gpuopt_status s = small_call(comm, 16, 8);
  expect(s == GPUOPT_TIME_LIMIT || s == GPUOPT_COMM_ERROR, "status " + std::to_string(s) + ": " + gpuopt_last_error());
  gpuopt_comm_destroy(comm);
  // Whatever was freed is taken again.
  std::vector<char *> blocks;
  for (int i = 0; i < 64; ++i) {
    blocks.push_back(static_cast<char *>(std::aligned_alloc(4096, 4096)));
    std::memset(blocks.back(), 0x5a, 4096);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (char *block : blocks) {
    for (int i = 0; i < 4096; ++i)
      if (block[i] != 0x5a) return expect(false, "a late block came into memory that was freed");
    std::free(block);
  }
}

void lost(gpuopt_comm *comm, gpuopt_handle *handle) {
  expect(small_call(comm, 16, 8) == GPUOPT_OK, "before");
  if (rank == size - 1) raise(SIGKILL);
  const gpuopt_status s = small_call(comm, 16, 8);
  const std::string words = gpuopt_last_error();
  expect(s == GPUOPT_TIME_LIMIT || s == GPUOPT_COMM_ERROR, "status " + std::to_string(s) + ": " + words);
  expect(words.find("rank " + std::to_string(size - 1)) != std::string::npos, "the lost rank is to be named: " + words);
  expect(small_call(comm, 16, 8) == GPUOPT_COMM_ERROR, "the communicator is broken");
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  float a[4] = {1, 2, 3, 4}, d[4];
  g.a = g.b = gpuopt_mat(a, 2, 2, GPUOPT_F32);
  g.d = gpuopt_mat(d, 2, 2, GPUOPT_F32);
  expect(gpuopt_gemm(handle, &g) == GPUOPT_OK && d[0] == 7, "the handle goes on");
  gpuopt_comm_destroy(comm);
  if (failures == 0) std::printf("rank %d outlived rank %d: %s\n", rank, size - 1, words.c_str());
  std::fflush(nullptr);
  // MPI_Finalize would wait for the rank that is gone.
  _exit(failures != 0);
}

}  // namespace

int main(int argc, char **argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm world = MPI_COMM_WORLD;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = 1;
  gpuopt_handle *handle;
  gpuopt_comm *comm;
  gpuopt_comm_options co = GPUOPT_COMM_OPTIONS_INIT;
  co.time_limit_ms = what == "lost" ? 3000 : what == "late" ? 1000 : 60000;
  if (what == "late") co.check = GPUOPT_CHECK_FIRST_CALL;  // so that they wait for each other's blocks
  if (gpuopt_create(&handle, &o) != GPUOPT_OK || gpuopt_comm_from_mpi(&comm, handle, &world, &co) != GPUOPT_OK) {
    std::fprintf(stderr, "%s\n", gpuopt_last_error());
    return 2;
  }
  gpuopt_comm_rank(comm, &rank, &size);
  if (what == "cases")
    cases(comm, handle);
  else if (what == "again")
    again(comm, handle);
  else if (what == "disagree")
    disagree(comm);
  else if (what == "late")
    late(comm);
  else if (what == "lost")
    lost(comm, handle);
  else
    return 2;
  if (what != "late") gpuopt_comm_destroy(comm);
  gpuopt_destroy(handle);
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) std::printf("all is well\n");
  MPI_Finalize();
  return all != 0;
}
