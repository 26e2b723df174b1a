// FCL with OBBRSS trees: its other trees place every vertex anew on each call.
#include "../obbrss.hpp"
#include <fcl/config.h>
#include <fcl/fcl.h>

struct Fcl {
    using Model = fcl::BVHModel<fcl::OBBRSSd>;
    using Node = fcl::BVNode<fcl::OBBRSSd>;
    using Vector = fcl::Vector3d;
    using Face = fcl::Triangle;
    using Collision = fcl::CollisionResultd;
    static constexpr const char* HELLO = "fcl " FCL_VERSION " f64";
    static constexpr bool HAS_MARGIN = false;

    static fcl::Transform3d place(const runner::Pose& p) {
        fcl::Transform3d x = fcl::Transform3d::Identity();
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) x.linear()(i, j) = p.r[i][j];
            x.translation()(i) = p.t[i];
        }
        return x;
    }

    static void collide(const Model& a, const Model& b, const runner::Pose& pose, bool contacts, size_t most, double,
                        Collision& result) {
        fcl::CollisionRequestd request;
        request.enable_contact = contacts;
        request.num_max_contacts = most;
        fcl::collide<double>(&a, fcl::Transform3d::Identity(), &b, place(pose), request, result);
    }

    static double distance(const Model& a, const Model& b, const runner::Pose& pose) {
        fcl::DistanceRequestd request;
        request.enable_nearest_points = true;
        fcl::DistanceResultd result;
        fcl::distance<double>(&a, fcl::Transform3d::Identity(), &b, place(pose), request, result);
        return result.min_distance;
    }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    ObbRss<Fcl> engine(argv[1], argv[2]);
    return runner::serve(engine);
}
