// Coal with OBBRSS trees.
#include "../obbrss.hpp"
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/config.hh>
#include <coal/distance.h>

struct Coal {
    using Model = coal::BVHModel<coal::OBBRSS>;
    using Node = coal::BVNode<coal::OBBRSS>;
    using Vector = coal::Vec3s;
    using Face = coal::Triangle;
    using Collision = coal::CollisionResult;
    static constexpr const char* HELLO = "coal " COAL_VERSION " f64";
    static constexpr bool HAS_MARGIN = true;

    static coal::Transform3s place(const runner::Pose& p) {
        coal::Matrix3s r;
        coal::Vec3s t;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) r(i, j) = p.r[i][j];
            t(i) = p.t[i];
        }
        return coal::Transform3s(r, t);
    }

    static void collide(const Model& a, const Model& b, const runner::Pose& pose, bool contacts, size_t most,
                        double margin, Collision& result) {
        coal::CollisionRequest request;
        request.enable_contact = contacts;
        request.num_max_contacts = most;
        request.security_margin = margin;
        // Its only use here is to refine a lower bound that nobody asked for.
        request.break_distance = 0;
        coal::collide(&a, coal::Transform3s::Identity(), &b, place(pose), request, result);
    }

    static double distance(const Model& a, const Model& b, const runner::Pose& pose) {
        // A signed distance would add a penetration depth that nobody asked for.
        coal::DistanceRequest request(true, false);
        coal::DistanceResult result;
        coal::distance(&a, coal::Transform3s::Identity(), &b, place(pose), request, result);
        return result.min_distance;
    }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    ObbRss<Coal> engine(argv[1], argv[2]);
    return runner::serve(engine);
}
