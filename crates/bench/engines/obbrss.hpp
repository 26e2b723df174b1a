// What the runners over FCL and over Coal share: Coal began as a copy of FCL and kept its shape.
//
// LIBRARY names the types and makes the two calls that differ.
#pragma once
#include "runner.hpp"
#include <memory>

template <class LIBRARY>
struct ObbRss : runner::Engine {
    using Model = typename LIBRARY::Model;
    static constexpr size_t ALL = size_t(1) << 40;
    std::shared_ptr<Model> a, b;
    using Engine::Engine;

    std::string hello() override { return LIBRARY::HELLO; }

    static std::shared_ptr<Model> make(const runner::Mesh& mesh) {
        std::vector<typename LIBRARY::Vector> points;
        points.reserve(mesh.positions.size());
        for (auto& p : mesh.positions) points.emplace_back(p[0], p[1], p[2]);
        std::vector<typename LIBRARY::Face> faces;
        faces.reserve(mesh.faces.size());
        for (auto& f : mesh.faces) faces.emplace_back(f[0], f[1], f[2]);
        auto model = std::make_shared<Model>();
        model->beginModel(unsigned(faces.size()), unsigned(points.size()));
        model->addSubModel(points, faces);
        model->endModel();
        return model;
    }

    void build_a() override { a = make(mesh_a); }
    void build_b() override { b = make(mesh_b); }
    uint64_t bytes() override { return uint64_t(a->getNumBVs()) * sizeof(typename LIBRARY::Node); }

    runner::Answer ask(const std::string& question, double parameter, const runner::Pose& pose) override {
        const bool all = question == "pairs", margin = question == "tolerance";
        if (question == "intersects" || all || (margin && LIBRARY::HAS_MARGIN)) {
            typename LIBRARY::Collision result;
            LIBRARY::collide(*a, *b, pose, false, all ? ALL : 1, margin ? parameter : 0, result);
            return {true, all ? double(result.numContacts()) : double(result.isCollision())};
        }
        // `warm` is the plain distance: nothing is carried from one call to the next.
        if (question == "distance" || question == "warm") {
            return {true, std::max(0.0, LIBRARY::distance(*a, *b, pose))};
        }
        return {false, 0};
    }

    bool pairs(const runner::Pose& pose, runner::Pairs& out) override {
        typename LIBRARY::Collision result;
        LIBRARY::collide(*a, *b, pose, true, ALL, 0, result);
        for (size_t i = 0; i < result.numContacts(); ++i) {
            const auto& c = result.getContact(i);
            out.emplace_back(uint32_t(c.b1), uint32_t(c.b2));
        }
        return true;
    }
};
