// Suzuki and Kasami's algorithm on the papers' workload, written for this one purpose: what a
// simulation of it costs when nothing is general.  Broadcasts are sorted once and advanced lazily,
// like the project's kernel does; sites are rows of flat arrays.
//
//   suzuki_kasami N REQUESTS THINK INSIDE DELAY SEED [VARIATES]
//
// Without VARIATES it draws its own.  With it, it takes the numbers of that file, in the layout
// that bench/variates.py writes, and so must report the same messages and the same waiting times.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

namespace {

constexpr double kUnits = 1099511627776.0;  // 2^40 units in a mean delay, as in the file

// xoshiro256+ (Blackman, Vigna), enough for simulation and about as fast as there is.
struct Random {
  uint64_t s[4];
  explicit Random(uint64_t seed) {
    for (auto& word : s) {
      seed += 0x9e3779b97f4a7c15ULL;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      word = z ^ (z >> 31);
    }
  }
  static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t next() {
    const uint64_t result = s[0] + s[3];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double exponential() { return -std::log(1.0 - uniform()); }
};

// The streams of a file: thinks and insides by site, single delays, rows of delays.
struct Variates {
  std::vector<double> thinks, insides;
  std::vector<int64_t> singles, rows;
  size_t single_at = 0, row_at = 0;
  bool given = false;
  bool read(const char* path, size_t requests) {
    FILE* file = std::fopen(path, "rb");
    if (!file) return false;
    int64_t counts[3];
    bool ok = std::fread(counts, sizeof counts, 1, file) == 1;
    thinks.resize(counts[0] * requests);
    insides.resize(counts[0] * requests);
    singles.resize(counts[1]);
    rows.resize(counts[2]);
    ok = ok && std::fread(thinks.data(), 8, thinks.size(), file) == thinks.size();
    ok = ok && std::fread(insides.data(), 8, insides.size(), file) == insides.size();
    ok = ok && std::fread(singles.data(), 8, singles.size(), file) == singles.size();
    ok = ok && std::fread(rows.data(), 8, rows.size(), file) == rows.size();
    std::fclose(file);
    return given = ok;
  }
};

struct Delivery {
  double when;
  int32_t dst;
};

struct Broadcast {
  int32_t src = 0, number = 0;
  size_t at = 0;
  std::vector<Delivery> deliveries;  // sorted
};

struct Entry {
  double when;
  int64_t order;
  int32_t what;  // below n: a client's clock; n: the token arrives; above: a broadcast
  bool before(const Entry& other) const {
    return when < other.when || (when == other.when && order < other.order);
  }
};

// A binary heap that can replace its top in place.
struct Queue {
  std::vector<Entry> heap;
  int64_t scheduled = 0;
  void push(double when, int32_t what) {
    heap.push_back({when, ++scheduled, what});
    size_t at = heap.size() - 1;
    const Entry mine = heap[at];
    while (at > 0) {
      const size_t parent = (at - 1) / 2;
      if (!mine.before(heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = mine;
  }
  void settle(Entry mine) {
    const size_t size = heap.size();
    size_t at = 0;
    for (;;) {
      size_t child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && heap[child + 1].before(heap[child])) ++child;
      if (!heap[child].before(mine)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = mine;
  }
  void advance(double when) {
    Entry top = heap[0];
    top.when = when;
    settle(top);
  }
  void drop() {
    const Entry last = heap.back();
    heap.pop_back();
    if (!heap.empty()) settle(last);
  }
};

enum Phase : uint8_t { kThinking, kWaiting, kInside, kDone };

struct Simulation {
  const int n, requests;
  const double think, inside, delay;
  Random random;
  Variates variates;
  Queue queue;
  std::vector<int32_t> asked;       // n x n: what each site knows of each site's requests
  std::vector<int32_t> served;      // the token's
  std::deque<int32_t> waiting;      // the token's queue
  std::vector<uint8_t> queued;      // who is in it
  std::vector<Phase> phase;
  std::vector<double> since, last;  // last: n x n, the latest arrival on each channel
  std::vector<int32_t> made;
  std::vector<Broadcast> flights;
  std::vector<int32_t> vacant;
  int holder = 0, heir = -1, heir_from = -1;
  double now = 0, waited = 0, longest = 0, last_exit = 0;
  int64_t messages = 0, entries = 0;

  Simulation(int n, int requests, double think, double inside, double delay, uint64_t seed)
      : n(n), requests(requests), think(think), inside(inside), delay(delay), random(seed),
        asked(static_cast<size_t>(n) * n), served(n), queued(n), phase(n, kThinking), since(n),
        last(static_cast<size_t>(n) * n), made(n) {}

  double single_delay() {
    if (!variates.given) return delay * random.exponential();
    return static_cast<double>(variates.singles[variates.single_at++] >> 16) * (delay / kUnits);
  }

  void start_thinking(int site) {
    if (made[site] == requests) {
      phase[site] = kDone;
      return;
    }
    phase[site] = kThinking;
    const double pause = variates.given
        ? variates.thinks[static_cast<size_t>(site) * requests + made[site]]
        : think * random.exponential();
    queue.push(now + pause, site);
  }

  void enter(int site) {
    const double wait = now - since[site];
    waited += wait;
    longest = std::max(longest, wait);
    ++entries;
    phase[site] = kInside;
    const double stay = variates.given
        ? variates.insides[static_cast<size_t>(site) * requests + made[site]]
        : 2 * inside * random.uniform();
    ++made[site];
    queue.push(now + stay, site);
  }

  void broadcast(int src, int32_t number) {
    int32_t place;
    if (vacant.empty()) {
      place = static_cast<int32_t>(flights.size());
      flights.emplace_back();
      flights.back().deliveries.resize(n - 1);
    } else {
      place = vacant.back();
      vacant.pop_back();
    }
    Broadcast& b = flights[place];
    b.src = src;
    b.number = number;
    b.at = 0;
    double* row = &last[static_cast<size_t>(src) * n];
    int i = 0;
    if (variates.given) {
      for (; i < n - 1; ++i) {
        const int64_t v = variates.rows[variates.row_at++];
        const int32_t k = static_cast<int32_t>(v & 0xffff);
        const int32_t dst = k + (k >= src);
        const double when = std::max(row[dst],
                                     now + static_cast<double>(v >> 16) * (delay / kUnits));
        row[dst] = when;
        b.deliveries[i] = {when, dst};
      }
    } else {
      for (int32_t dst = 0; dst < n; ++dst) {
        if (dst == src) continue;
        const double when = std::max(row[dst], now + delay * random.exponential());
        row[dst] = when;
        b.deliveries[i++] = {when, dst};
      }
    }
    std::sort(b.deliveries.begin(), b.deliveries.end(),
              [](const Delivery& x, const Delivery& y) { return x.when < y.when; });
    messages += n - 1;
    queue.push(b.deliveries[0].when, n + 1 + place);
  }

  void pass_token(int from, int to) {
    holder = -1;
    heir = to;
    double& channel = last[static_cast<size_t>(from) * n + to];
    channel = std::max(channel, now + single_delay());
    ++messages;
    queue.push(channel, n);
  }

  bool waits(int at, int site) const {
    return asked[static_cast<size_t>(at) * n + site] == served[site] + 1;
  }

  void client(int site) {
    if (phase[site] == kThinking) {
      since[site] = now;
      phase[site] = kWaiting;
      if (holder == site) {
        enter(site);
      } else {
        broadcast(site, ++asked[static_cast<size_t>(site) * n + site]);
      }
      return;
    }
    last_exit = now;
    start_thinking(site);
    served[site] = asked[static_cast<size_t>(site) * n + site];
    for (int step = 1; step < n; ++step) {
      const int other = (site + step) % n;
      if (!queued[other] && waits(site, other)) {
        queued[other] = 1;
        waiting.push_back(other);
      }
    }
    if (!waiting.empty()) {
      const int next = waiting.front();
      waiting.pop_front();
      queued[next] = 0;
      pass_token(site, next);
    }
  }

  void deliver(int src, int dst, int32_t number) {
    int32_t& known = asked[static_cast<size_t>(dst) * n + src];
    if (number > known) known = number;
    if (holder == dst && phase[dst] != kInside && waits(dst, src)) pass_token(dst, src);
  }

  void run() {
    for (int site = 0; site < n; ++site) start_thinking(site);
    while (!queue.heap.empty()) {
      const Entry top = queue.heap[0];
      now = top.when;
      if (top.what < n) {
        queue.drop();
        client(top.what);
      } else if (top.what == n) {
        queue.drop();
        holder = heir;
        enter(heir);
      } else {
        const int32_t place = top.what - n - 1;
        Broadcast& b = flights[place];
        const int32_t dst = b.deliveries[b.at].dst;
        const int32_t src = b.src, number = b.number;
        if (++b.at < b.deliveries.size()) {
          queue.advance(b.deliveries[b.at].when);
        } else {
          queue.drop();
          vacant.push_back(place);
        }
        deliver(src, dst, number);
      }
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "usage: suzuki_kasami N REQUESTS THINK INSIDE DELAY SEED [VARIATES]\n");
    return 2;
  }
  Simulation simulation(std::atoi(argv[1]), std::atoi(argv[2]), std::atof(argv[3]),
                        std::atof(argv[4]), std::atof(argv[5]),
                        std::strtoull(argv[6], nullptr, 10));
  if (argc > 7 && !simulation.variates.read(argv[7], simulation.requests)) {
    std::fprintf(stderr, "suzuki_kasami: cannot read %s\n", argv[7]);
    return 2;
  }
  const auto began = std::chrono::steady_clock::now();
  simulation.run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
  std::printf("{\"messages\": %lld, \"entries\": %lld, \"waiting_mean\": %.17g, "
              "\"waiting_max\": %.17g, \"virtual_time\": %.17g, \"wall_s\": %.6f}\n",
              static_cast<long long>(simulation.messages),
              static_cast<long long>(simulation.entries),
              simulation.waited / static_cast<double>(simulation.entries), simulation.longest,
              simulation.last_exit, wall.count());
  return 0;
}
