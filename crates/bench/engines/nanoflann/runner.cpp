// nanoflann as a runner: the nearest of many points to many places.
//
// Started as `runner POINTS PLACES ROUNDS`. A file holds a 64-bit count and three doubles for each point, little-endian. Answers a line
// `nearest <sum of the distances> <nanoseconds to build, of each round> <nanoseconds to ask for all places, of each round>`.

#include <nanoflann.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Points = std::vector<std::array<double, 3>>;

struct Cloud {
    const Points& points;
    size_t kdtree_get_point_count() const { return points.size(); }
    double kdtree_get_pt(size_t index, size_t axis) const { return points[index][axis]; }
    template <class Box>
    bool kdtree_get_bbox(Box&) const {
        return false;
    }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, 3>;

static Points read(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    std::uint64_t count = 0;
    if (file == nullptr || std::fread(&count, sizeof count, 1, file) != 1) {
        std::fprintf(stderr, "cannot read %s\n", path);
        std::exit(1);
    }
    Points points(count);
    const size_t found = std::fread(points.data(), sizeof points[0], points.size(), file);
    std::fclose(file);
    if (found != points.size()) {
        std::fprintf(stderr, "%s ends early\n", path);
        std::exit(1);
    }
    return points;
}

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "runner POINTS PLACES ROUNDS\n");
        return 1;
    }
    const Points points = read(arguments[1]), places = read(arguments[2]);
    const int rounds = std::atoi(arguments[3]);
    const Cloud cloud{points};
    std::vector<long long> built, asked;
    double sum = 0.0;
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        Tree tree(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10));
        tree.buildIndex();
        const auto middle = std::chrono::steady_clock::now();
        sum = 0.0;
        for (const auto& place : places) {
            size_t index = 0;
            double squared = 0.0;
            nanoflann::KNNResultSet<double> nearest(1);
            nearest.init(&index, &squared);
            tree.findNeighbors(nearest, place.data(), nanoflann::SearchParams());
            sum += std::sqrt(squared);
        }
        const auto end = std::chrono::steady_clock::now();
        using std::chrono::duration_cast;
        using std::chrono::nanoseconds;
        built.push_back(duration_cast<nanoseconds>(middle - start).count());
        asked.push_back(duration_cast<nanoseconds>(end - middle).count());
    }
    std::printf("nearest %.17g", sum);
    for (const long long time : built) std::printf(" %lld", time);
    for (const long long time : asked) std::printf(" %lld", time);
    std::printf("\n");
}
