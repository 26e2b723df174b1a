// What every runner shares: reading the two meshes, answering lines, timing.
//
// A runner is started as `runner A.mesh B.mesh` and answers one line per line (see PROTOCOL.md).
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace runner {

struct Mesh {
    std::vector<std::array<double, 3>> positions;
    std::vector<std::array<uint32_t, 3>> faces;
};

// u64 vertices, u64 faces, then 3 f64 per vertex and 3 u32 per face, little-endian.
inline Mesh read(const char* path) {
    std::ifstream in(path, std::ios::binary);
    uint64_t counts[2] = {0, 0};
    in.read(reinterpret_cast<char*>(counts), sizeof counts);
    Mesh mesh;
    if (in) {
        mesh.positions.resize(counts[0]);
        mesh.faces.resize(counts[1]);
        in.read(reinterpret_cast<char*>(mesh.positions.data()), std::streamsize(counts[0] * 24));
        in.read(reinterpret_cast<char*>(mesh.faces.data()), std::streamsize(counts[1] * 12));
    }
    if (!in) {
        std::fprintf(stderr, "cannot read mesh %s\n", path);
        std::exit(2);
    }
    return mesh;
}

// Rows of the placement of B in A's frame: rotation, then translation.
struct Pose {
    double r[3][3];
    double t[3];
    // B as placed and rounded by whoever asks; null unless it was sent.
    const Mesh* placed = nullptr;
};

inline Pose read_pose(std::istream& in) {
    Pose p{};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) in >> p.r[i][j];
        in >> p.t[i];
    }
    return p;
}

struct Answer {
    bool supported = true;
    double value = 0;
};

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

// More than the second-level caches of today's cores, so that a cold query starts from memory or
// the shared cache.
inline void displace_caches() {
    static std::vector<unsigned char> buffer(32u << 20);
    for (size_t i = 0; i < buffer.size(); i += 64) buffer[i] += 1;
    // A volatile read keeps the loop.
    static volatile unsigned char kept;
    kept = buffer[buffer.size() / 2];
}

// What an engine has; the defaults answer `unsupported`.
struct Engine {
    Mesh mesh_a, mesh_b;
    Engine(const char* a, const char* b) : mesh_a(read(a)), mesh_b(read(b)) {}
    virtual ~Engine() = default;
    virtual std::string hello() = 0;
    virtual void build_a() = 0;
    virtual void build_b() = 0;
    virtual uint64_t bytes() { return 0; }
    virtual Answer ask(const std::string& question, double parameter, const Pose& pose) = 0;
    virtual bool pairs(const Pose&, Pairs&) { return false; }
    // Which way B is pushed, in A's frame; any length, zeros where it is not.
    virtual bool force(const Pose&, std::array<double, 3>&) { return false; }
};

inline int serve(Engine& engine) {
    using Clock = std::chrono::steady_clock;
    auto nanoseconds = [](Clock::duration d) {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
    };
    std::vector<Pose> poses;
    Mesh placed;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream in(line);
        std::string word;
        in >> word;
        if (word == "hello") {
            std::cout << "engine " << engine.hello() << std::endl;
        } else if (word == "build") {
            auto start = Clock::now();
            engine.build_a();
            auto middle = Clock::now();
            engine.build_b();
            auto end = Clock::now();
            std::cout << "built " << nanoseconds(middle - start) << ' ' << nanoseconds(end - middle) << ' '
                      << engine.bytes() << std::endl;
        } else if (word == "pose") {
            poses.push_back(read_pose(in));
            std::cout << "pose " << poses.size() - 1 << std::endl;
        } else if (word == "placed") {
            size_t pose = 0;
            std::string path;
            in >> pose;
            std::getline(in >> std::ws, path);
            placed = read(path.c_str());
            // Only the last one is kept.
            for (auto& p : poses) p.placed = nullptr;
            poses.at(pose).placed = &placed;
            std::cout << "placed " << pose << std::endl;
        } else if (word == "ask" || word == "cold") {
            std::string question;
            double parameter = 0;
            size_t pose = 0, repeats = 1;
            in >> question >> parameter >> pose >> repeats;
            Answer answer{false, 0};
            std::array<double, 3> force{};
            const bool is_force = question == "force";
            std::ostringstream times;
            for (size_t i = 0; i < repeats && pose < poses.size(); ++i) {
                if (word == "cold") displace_caches();
                auto start = Clock::now();
                if (is_force)
                    answer.supported = engine.force(poses[pose], force);
                else
                    answer = engine.ask(question, parameter, poses[pose]);
                times << ' ' << nanoseconds(Clock::now() - start);
                if (!answer.supported) break;
            }
            if (!answer.supported) {
                std::cout << "unsupported" << std::endl;
            } else {
                char value[96];
                if (is_force)
                    std::snprintf(value, sizeof value, "%.17g %.17g %.17g", force[0], force[1], force[2]);
                else
                    std::snprintf(value, sizeof value, "%.17g", answer.value);
                std::cout << "answer " << value << times.str() << std::endl;
            }
        } else if (word == "list") {
            size_t pose = 0;
            std::string path;
            in >> pose;
            std::getline(in >> std::ws, path);
            Pairs pairs;
            if (!engine.pairs(poses.at(pose), pairs)) {
                std::cout << "unsupported" << std::endl;
                continue;
            }
            std::sort(pairs.begin(), pairs.end());
            pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
            std::ofstream out(path);
            for (auto& p : pairs) out << p.first << ',' << p.second << '\n';
            out.close();
            std::cout << "listed " << pairs.size() << std::endl;
        } else if (word == "quit") {
            return 0;
        } else {
            std::cout << "unsupported" << std::endl;
        }
    }
    return 0;
}

}  // namespace runner
