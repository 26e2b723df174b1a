// FCL with OBBRSS trees: its other trees place every vertex anew on each call.
#include "../runner.hpp"
#include <fcl/config.h>
#include <fcl/fcl.h>
#include <memory>

using Model = fcl::BVHModel<fcl::OBBRSSd>;

struct Fcl : runner::Engine {
    std::shared_ptr<Model> a, b;
    using Engine::Engine;

    std::string hello() override { return "fcl " FCL_VERSION " f64"; }

    static std::shared_ptr<Model> make(const runner::Mesh& mesh) {
        std::vector<fcl::Vector3d> points;
        points.reserve(mesh.positions.size());
        for (auto& p : mesh.positions) points.emplace_back(p[0], p[1], p[2]);
        std::vector<fcl::Triangle> faces;
        faces.reserve(mesh.faces.size());
        for (auto& f : mesh.faces) faces.emplace_back(f[0], f[1], f[2]);
        auto model = std::make_shared<Model>();
        model->beginModel(int(faces.size()), int(points.size()));
        model->addSubModel(points, faces);
        model->endModel();
        return model;
    }

    void build_a() override { a = make(mesh_a); }
    void build_b() override { b = make(mesh_b); }
    uint64_t bytes() override { return uint64_t(a->getNumBVs()) * sizeof(fcl::BVNode<fcl::OBBRSSd>); }

    static fcl::Transform3d transform(const runner::Pose& p) {
        fcl::Transform3d x = fcl::Transform3d::Identity();
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) x.linear()(i, j) = p.r[i][j];
            x.translation()(i) = p.t[i];
        }
        return x;
    }

    void collide(const runner::Pose& pose, bool contacts, size_t most, fcl::CollisionResultd& result) const {
        fcl::CollisionRequestd request;
        request.enable_contact = contacts;
        request.num_max_contacts = most;
        fcl::collide<double>(a.get(), fcl::Transform3d::Identity(), b.get(), transform(pose), request, result);
    }

    runner::Answer ask(const std::string& question, double, const runner::Pose& pose) override {
        if (question == "intersects" || question == "pairs") {
            fcl::CollisionResultd result;
            collide(pose, false, question == "pairs" ? size_t(1) << 40 : 1, result);
            return {true, question == "pairs" ? double(result.numContacts()) : double(result.isCollision())};
        }
        // `warm` is the plain distance: nothing is carried from one call to the next.
        if (question == "distance" || question == "warm") {
            fcl::DistanceRequestd request;
            request.enable_nearest_points = true;
            fcl::DistanceResultd result;
            fcl::distance<double>(a.get(), fcl::Transform3d::Identity(), b.get(), transform(pose), request, result);
            return {true, std::max(0.0, result.min_distance)};
        }
        return {false, 0};
    }

    bool pairs(const runner::Pose& pose, runner::Pairs& out) override {
        fcl::CollisionResultd result;
        collide(pose, true, size_t(1) << 40, result);
        for (size_t i = 0; i < result.numContacts(); ++i) {
            const auto& c = result.getContact(i);
            out.emplace_back(uint32_t(c.b1), uint32_t(c.b2));
        }
        return true;
    }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    Fcl engine(argv[1], argv[2]);
    return runner::serve(engine);
}
