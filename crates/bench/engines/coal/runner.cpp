// Coal with OBBRSS trees.
#include "../runner.hpp"
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/config.hh>
#include <coal/distance.h>
#include <memory>

using Model = coal::BVHModel<coal::OBBRSS>;

struct Coal : runner::Engine {
    std::shared_ptr<Model> a, b;
    using Engine::Engine;

    std::string hello() override { return "coal " COAL_VERSION " f64"; }

    static std::shared_ptr<Model> make(const runner::Mesh& mesh) {
        std::vector<coal::Vec3s> points;
        points.reserve(mesh.positions.size());
        for (auto& p : mesh.positions) points.emplace_back(p[0], p[1], p[2]);
        std::vector<coal::Triangle> faces;
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
    uint64_t bytes() override { return uint64_t(a->getNumBVs()) * sizeof(coal::BVNode<coal::OBBRSS>); }

    static coal::Transform3s transform(const runner::Pose& p) {
        coal::Matrix3s r;
        coal::Vec3s t;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) r(i, j) = p.r[i][j];
            t(i) = p.t[i];
        }
        return coal::Transform3s(r, t);
    }

    void collide(const runner::Pose& pose, bool contacts, size_t most, double margin, coal::CollisionResult& result) {
        coal::CollisionRequest request;
        request.enable_contact = contacts;
        request.num_max_contacts = most;
        request.security_margin = margin;
        // Its only use here is to refine a lower bound that nobody asked for.
        request.break_distance = 0;
        coal::collide(a.get(), coal::Transform3s::Identity(), b.get(), transform(pose), request, result);
    }

    runner::Answer ask(const std::string& question, double parameter, const runner::Pose& pose) override {
        if (question == "intersects" || question == "pairs" || question == "tolerance") {
            coal::CollisionResult result;
            const bool all = question == "pairs";
            collide(pose, false, all ? size_t(1) << 40 : 1, question == "tolerance" ? parameter : 0, result);
            return {true, all ? double(result.numContacts()) : double(result.isCollision())};
        }
        if (question == "distance" || question == "warm") {
            // A signed distance would add a penetration depth that nobody asked for.
            coal::DistanceRequest request(true, false);
            coal::DistanceResult result;
            coal::distance(a.get(), coal::Transform3s::Identity(), b.get(), transform(pose), request, result);
            return {true, std::max(0.0, result.min_distance)};
        }
        return {false, 0};
    }

    bool pairs(const runner::Pose& pose, runner::Pairs& out) override {
        coal::CollisionResult result;
        collide(pose, true, size_t(1) << 40, 0, result);
        for (size_t i = 0; i < result.numContacts(); ++i) {
            const auto& c = result.getContact(i);
            out.emplace_back(uint32_t(c.b1), uint32_t(c.b2));
        }
        return true;
    }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    Coal engine(argv[1], argv[2]);
    return runner::serve(engine);
}
