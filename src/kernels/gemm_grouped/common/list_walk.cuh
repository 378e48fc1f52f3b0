// Which tile of which product of a list is whose, found on the device: how large products are is known there alone.
//
// Tiles are numbered product after product, those of more than half the greatest k before all others, so that what takes long does
// not begin last. A warp looks at 32 products at a time, a lane each: what tiles they have is summed over the lanes, and a
// number's product is the first whose sum exceeds it. Numbers only grow, so that a warp goes through the list twice, however
// many tiles its block has.
#pragma once

#include <cstdint>

namespace gpuopt {

// A tile as its block finds it in shared memory.
template <class Product>
struct ListTile {
  Product x;
  int32_t product, row, col;  // product < 0: there is none

  __device__ __forceinline__ bool exists() const { return product >= 0; }
  static __device__ __forceinline__ ListTile none() { return {Product{}, -1, 0, 0}; }
};

// List: `count` products, at(i) is one, a Product with m, n and k; most_k(), which no k exceeds.
template <class List, int kRows, int kCols>
class ListWalk {
 public:
  using Product = typename List::Product;
  using Tile = ListTile<Product>;

  // All lanes of a warp, here and below.
  __device__ __forceinline__ explicit ListWalk(const List &list) { look(list); }

  __device__ __forceinline__ void find(const List &list, uint32_t number, Tile *tile) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    while (number >= __shfl_sync(kAll, sum_, 31)) {
      first_ += 32;
      if (first_ >= list.count) {
        if (!deep_) {
          if (lane == 0) tile->product = -1;
          return;
        }
        deep_ = false;
        first_ = 0;
      }
      before_ = __shfl_sync(kAll, sum_, 31);
      look(list);
    }
    const int owner = __ffs(static_cast<int>(__ballot_sync(kAll, number < sum_))) - 1;
    const uint32_t below = __shfl_up_sync(kAll, sum_, 1);
    if (lane == owner) {
      const Product x = list.at(first_ + lane);
      const uint32_t in_product = number - (lane == 0 ? before_ : below);
      const uint32_t rows = tiles_m(x), cols = tiles_n(x);
      // Down stripes of rows, so that blocks running together share rows and columns in L2.
      constexpr uint32_t kStripe = 8;
      const uint32_t stripe = in_product / (kStripe * cols), in_stripe = in_product - stripe * (kStripe * cols);
      const uint32_t high = min(rows - stripe * kStripe, kStripe), j = in_stripe / high;
      *tile = {x, static_cast<int32_t>(first_) + lane,
               static_cast<int32_t>((stripe * kStripe + in_stripe - j * high) * kRows),
               static_cast<int32_t>(j * kCols)};
    }
  }
  // Tiles of the products looked at: of all, where there was no tile of a number.
  __device__ __forceinline__ uint32_t seen() const { return __shfl_sync(kAll, sum_, 31); }

 private:
  static constexpr uint32_t kAll = 0xffffffffu;
  static __device__ __forceinline__ uint32_t tiles_m(const Product &x) {
    return static_cast<uint32_t>((x.m + kRows - 1) / kRows);
  }
  static __device__ __forceinline__ uint32_t tiles_n(const Product &x) {
    return static_cast<uint32_t>((x.n + kCols - 1) / kCols);
  }
  __device__ __forceinline__ void look(const List &list) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    sum_ = 0;
    if (first_ + lane < list.count) {
      const Product x = list.at(first_ + lane);
      if ((x.k > list.most_k() / 2) == deep_) sum_ = tiles_m(x) * tiles_n(x);
    }
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const uint32_t other = __shfl_up_sync(kAll, sum_, step);
      if (lane >= step) sum_ += other;
    }
    sum_ += before_;
  }

  uint32_t before_ = 0, sum_ = 0;    // of tiles; sum_: up to and with this lane's product
  decltype(List::count) first_ = 0;  // the first lane's product
  bool deep_ = true;                 // those of long k, which come first
};

}  // namespace gpuopt
