// FCL with OBBRSS trees: its other trees place every vertex anew on each call.
#include "../runner.hpp"
#include <fcl/fcl.h>
#include <memory>

using Model = fcl::BVHModel<fcl::OBBRSSd>;

struct Engine {
    runner::Mesh mesh_a, mesh_b;
    std::shared_ptr<Model> a, b;

    static std::shared_ptr<Model> make(const runner::Mesh& mesh) {
        std::vector<fcl::Vector3d> points;
        for (auto& p : mesh.positions) points.emplace_back(p[0], p[1], p[2]);
        std::vector<fcl::Triangle> faces;
        for (auto& f : mesh.faces) faces.emplace_back(f[0], f[1], f[2]);
        auto model = std::make_shared<Model>();
        model->beginModel(int(faces.size()), int(points.size()));
        model->addSubModel(points, faces);
        model->endModel();
        return model;
    }

    void build() {
        a = make(mesh_a);
        b = make(mesh_b);
    }

    static fcl::Transform3d transform(const runner::Pose& p) {
        fcl::Transform3d x = fcl::Transform3d::Identity();
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) x.linear()(i, j) = p.r[i][j];
            x.translation()(i) = p.t[i];
        }
        return x;
    }

    runner::Answer ask(const std::string& question, double parameter, const runner::Pose& pose) {
        const fcl::Transform3d here = fcl::Transform3d::Identity(), there = transform(pose);
        if (question == "intersects" || question == "pairs") {
            fcl::CollisionRequestd request;
            request.enable_contact = false;
            request.num_max_contacts = question == "pairs" ? size_t(1) << 40 : 1;
            fcl::CollisionResultd result;
            fcl::collide<double>(a.get(), here, b.get(), there, request, result);
            return {true, question == "pairs" ? double(result.numContacts()) : double(result.isCollision())};
        }
        if (question == "distance") {
            fcl::DistanceRequestd request;
            request.enable_nearest_points = true;
            fcl::DistanceResultd result;
            fcl::distance<double>(a.get(), here, b.get(), there, request, result);
            return {true, std::max(0.0, result.min_distance)};
        }
        (void)parameter;
        return {false, 0};
    }

    runner::Pairs pairs(const runner::Pose& pose) {
        const fcl::Transform3d here = fcl::Transform3d::Identity(), there = transform(pose);
        fcl::CollisionRequestd request;
        request.enable_contact = true;
        request.num_max_contacts = size_t(1) << 40;
        fcl::CollisionResultd result;
        fcl::collide<double>(a.get(), here, b.get(), there, request, result);
        std::vector<fcl::Contactd> contacts;
        result.getContacts(contacts);
        runner::Pairs out;
        for (auto& c : contacts) out.emplace_back(uint32_t(c.b1), uint32_t(c.b2));
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    Engine engine{runner::read(argv[1]), runner::read(argv[2]), nullptr, nullptr};
    return runner::serve(engine);
}
