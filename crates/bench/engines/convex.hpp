// What runners of convex pairs share: reading the scene, answering lines, timing. See PROTOCOL-CONVEX.md.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace convex {

enum Kind : uint64_t { HULL = 0, BOX = 1, CAPSULE = 2, BALL = 3, MESH = 4 };

struct Shape {
    uint64_t kind = HULL;
    std::vector<std::array<double, 3>> vertices;
    std::vector<std::array<uint32_t, 3>> triangles;
    // Half sides of a box; half length and radius of a capsule; radius of a ball.
    std::array<double, 3> sizes{};
};

struct Pose {
    // Rows: rotation, then translation.
    double m[3][4];
};

struct Question {
    uint64_t pair;
    Pose pose;
};

struct Scene {
    std::vector<Shape> shapes;
    std::vector<std::array<uint64_t, 2>> pairs;
    std::vector<Question> questions;
};

inline Scene read(const char* path) {
    std::ifstream in(path, std::ios::binary);
    auto take = [&](void* to, size_t bytes) { in.read(static_cast<char*>(to), std::streamsize(bytes)); };
    auto count = [&] {
        uint64_t n = 0;
        take(&n, 8);
        return in ? n : 0;
    };
    Scene scene;
    scene.shapes.resize(count());
    for (auto& s : scene.shapes) {
        s.kind = count();
        s.vertices.resize(count());
        s.triangles.resize(count());
        take(s.vertices.data(), s.vertices.size() * 24);
        take(s.triangles.data(), s.triangles.size() * 12);
        if (s.kind == BOX) take(s.sizes.data(), 24);
        if (s.kind == CAPSULE) take(s.sizes.data(), 16);
        if (s.kind == BALL) take(s.sizes.data(), 8);
    }
    scene.pairs.resize(count());
    take(scene.pairs.data(), scene.pairs.size() * 16);
    scene.questions.resize(count());
    for (auto& q : scene.questions) {
        q.pair = count();
        take(q.pose.m, sizeof q.pose.m);
    }
    if (!in) {
        std::fprintf(stderr, "cannot read scene %s\n", path);
        std::exit(2);
    }
    return scene;
}

// An engine has `name()`, `has(question)`, and `intersects(k)` and `distance(k)` for question number k.
template <class Engine> int serve(Engine& engine, const Scene& scene) {
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line == "quit") break;
        double value = 0;
        const bool boolean = line == "ask intersects";
        if (line == "hello") {
            std::printf("engine %s\n", engine.name());
        } else if ((boolean || line == "ask distance") && engine.has(boolean)) {
            auto start = std::chrono::steady_clock::now();
            if (boolean)
                for (size_t k = 0; k < scene.questions.size(); ++k) value += engine.intersects(k) ? 1 : 0;
            else
                for (size_t k = 0; k < scene.questions.size(); ++k) value += engine.distance(k);
            auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
            std::printf("answer %lld %.17g\n", (long long)ns.count(), value);
        } else {
            std::printf("unsupported\n");
        }
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace convex
