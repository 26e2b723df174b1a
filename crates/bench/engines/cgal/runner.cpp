// CGAL as the judge of pairs: boxes by sweep, triangles by exact predicates, on the vertices it is sent.
#include "../runner.hpp"
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/intersections.h>
#include <CGAL/version.h>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Box = CGAL::Box_intersection_d::Box_with_handle_d<double, 3, const std::array<uint32_t, 3>*>;

static Kernel::Triangle_3 triangle(const runner::Mesh& mesh, const std::array<uint32_t, 3>& f) {
    auto corner = [&](uint32_t i) {
        auto& p = mesh.positions[i];
        return Kernel::Point_3(p[0], p[1], p[2]);
    };
    return Kernel::Triangle_3(corner(f[0]), corner(f[1]), corner(f[2]));
}

static std::vector<Box> boxes(const runner::Mesh& mesh) {
    std::vector<Box> out;
    out.reserve(mesh.faces.size());
    for (auto& f : mesh.faces) out.emplace_back(triangle(mesh, f).bbox(), &f);
    return out;
}

struct Enough {};

struct Cgal : runner::Engine {
    std::vector<Box> a;
    using Engine::Engine;

    std::string hello() override { return "cgal " CGAL_VERSION_STR " exact"; }
    void build_a() override { a = boxes(mesh_a); }
    void build_b() override {}

    // Reports pairs until `accept` throws `Enough`.
    template <class Accept>
    void each(const runner::Mesh& placed, Accept accept) {
        std::vector<Box> first = a, second = boxes(placed);
        CGAL::box_intersection_d(first.begin(), first.end(), second.begin(), second.end(),
                                 [&](const Box& x, const Box& y) {
                                     if (CGAL::do_intersect(triangle(mesh_a, *x.handle()), triangle(placed, *y.handle())))
                                         accept(uint32_t(x.handle() - mesh_a.faces.data()),
                                                uint32_t(y.handle() - placed.faces.data()));
                                 });
    }

    runner::Answer ask(const std::string& question, double, const runner::Pose& pose) override {
        if (!pose.placed || (question != "pairs" && question != "intersects")) return {false, 0};
        double count = 0;
        const bool first = question == "intersects";
        try {
            each(*pose.placed, [&](uint32_t, uint32_t) {
                count += 1;
                if (first) throw Enough{};
            });
        } catch (Enough) {
        }
        return {true, count};
    }

    bool pairs(const runner::Pose& pose, runner::Pairs& out) override {
        if (!pose.placed) return false;
        each(*pose.placed, [&](uint32_t i, uint32_t j) { out.emplace_back(i, j); });
        return true;
    }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    Cgal engine(argv[1], argv[2]);
    return runner::serve(engine);
}
