// Coal: convex shapes and meshes that meet, and their distances. See ../PROTOCOL-CONVEX.md.
#include "../convex.hpp"
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/config.hh>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>
#include <memory>

struct Coal {
    const convex::Scene& scene;
    std::vector<std::unique_ptr<coal::CollisionGeometry>> shapes;
    // Chosen for the two kinds beforehand.
    std::vector<coal::ComputeCollision> collide;
    std::vector<coal::ComputeDistance> measure;
    std::vector<coal::Transform3s> poses;

    explicit Coal(const convex::Scene& scene) : scene(scene) {
        for (auto& s : scene.shapes) {
            if (s.kind == convex::BOX) {
                shapes.emplace_back(new coal::Box(2 * s.sizes[0], 2 * s.sizes[1], 2 * s.sizes[2]));
            } else if (s.kind == convex::CAPSULE) {
                shapes.emplace_back(new coal::Capsule(s.sizes[1], 2 * s.sizes[0]));
            } else if (s.kind == convex::BALL) {
                shapes.emplace_back(new coal::Sphere(s.sizes[0]));
            } else if (s.kind == convex::MESH) {
                auto mesh = new coal::BVHModel<coal::OBBRSS>();
                shapes.emplace_back(mesh);
                std::vector<coal::Vec3s> points;
                for (auto& v : s.vertices) points.emplace_back(v[0], v[1], v[2]);
                std::vector<coal::Triangle> faces;
                for (auto& t : s.triangles) faces.emplace_back(t[0], t[1], t[2]);
                mesh->beginModel(unsigned(faces.size()), unsigned(points.size()));
                mesh->addSubModel(points, faces);
                mesh->endModel();
            } else {
                auto points = std::make_shared<std::vector<coal::Vec3s>>();
                for (auto& v : s.vertices) points->emplace_back(v[0], v[1], v[2]);
                auto faces = std::make_shared<std::vector<coal::Triangle>>();
                for (auto& t : s.triangles) faces->emplace_back(t[0], t[1], t[2]);
                shapes.emplace_back(new coal::Convex<coal::Triangle>(points, unsigned(points->size()), faces,
                                                                     unsigned(faces->size())));
            }
            shapes.back()->computeLocalAABB();
        }
        for (auto& p : scene.pairs) {
            collide.emplace_back(shapes[p[0]].get(), shapes[p[1]].get());
            measure.emplace_back(shapes[p[0]].get(), shapes[p[1]].get());
        }
        for (auto& q : scene.questions) {
            coal::Matrix3s r;
            coal::Vec3s t;
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) r(i, j) = q.pose.m[i][j];
                t(i) = q.pose.m[i][3];
            }
            poses.emplace_back(r, t);
        }
    }
    const char* name() const { return "coal"; }
    bool has(bool) const { return true; }
    bool intersects(size_t k) {
        coal::CollisionRequest request;
        request.enable_contact = false;
        request.num_max_contacts = 1;
        coal::CollisionResult result;
        collide[scene.questions[k].pair](coal::Transform3s::Identity(), poses[k], request, result);
        return result.isCollision();
    }
    double distance(size_t k) {
        coal::DistanceRequest request(true, false);
        coal::DistanceResult result;
        measure[scene.questions[k].pair](coal::Transform3s::Identity(), poses[k], request, result);
        return result.min_distance;
    }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    convex::Scene scene = convex::read(argv[2]);
    Coal engine(scene);
    return convex::serve(engine, scene);
}
