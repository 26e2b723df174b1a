// libccd: whether convex shapes meet, by GJK (`gjk`) or by portal refinement (`mpr`). See ../PROTOCOL-CONVEX.md.
#include "../convex.hpp"
#include <ccd/ccd.h>
#include <cmath>
#include <cstring>

// A shape where it stands. The first of a pair stands in its own frame.
struct Placed {
    const convex::Shape* shape;
    const convex::Pose* pose;
};

static void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out) {
    const Placed& placed = *static_cast<const Placed*>(object);
    const convex::Shape& s = *placed.shape;
    double d[3] = {direction->v[0], direction->v[1], direction->v[2]}, p[3] = {0, 0, 0};
    if (placed.pose) {
        auto& m = placed.pose->m;
        for (int j = 0; j < 3; ++j)
            d[j] = m[0][j] * direction->v[0] + m[1][j] * direction->v[1] + m[2][j] * direction->v[2];
    }
    if (s.kind == convex::BOX) {
        for (int j = 0; j < 3; ++j) p[j] = std::copysign(s.sizes[j], d[j]);
    } else if (s.kind == convex::CAPSULE) {
        double scale = s.sizes[1] / std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int j = 0; j < 3; ++j) p[j] = d[j] * scale;
        p[2] += std::copysign(s.sizes[0], d[2]);
    } else {
        double most = -HUGE_VAL;
        const double* best = p;
        for (auto& v : s.vertices) {
            double along = v[0] * d[0] + v[1] * d[1] + v[2] * d[2];
            if (along > most) {
                most = along;
                best = v.data();
            }
        }
        std::memcpy(p, best, sizeof p);
    }
    if (placed.pose) {
        auto& m = placed.pose->m;
        for (int i = 0; i < 3; ++i) out->v[i] = m[i][0] * p[0] + m[i][1] * p[1] + m[i][2] * p[2] + m[i][3];
    } else {
        for (int i = 0; i < 3; ++i) out->v[i] = p[i];
    }
}

static void center(const void* object, ccd_vec3_t* out) {
    const Placed& placed = *static_cast<const Placed*>(object);
    // All shapes stand around the origin of their frames.
    for (int i = 0; i < 3; ++i) out->v[i] = placed.pose ? placed.pose->m[i][3] : 0;
}

struct Ccd {
    const convex::Scene& scene;
    bool portal;
    ccd_t ccd;
    Ccd(const convex::Scene& scene, bool portal) : scene(scene), portal(portal) {
        CCD_INIT(&ccd);
        ccd.support1 = ccd.support2 = support;
        ccd.center1 = ccd.center2 = center;
        // Unbounded by default, and then it may never end.
        ccd.max_iterations = 100;
    }
    const char* name() const { return portal ? "mpr" : "gjk"; }
    bool has(bool boolean) const { return boolean; }
    bool intersects(size_t k) {
        const convex::Question& q = scene.questions[k];
        Placed a{&scene.shapes[scene.pairs[q.pair][0]], nullptr}, b{&scene.shapes[scene.pairs[q.pair][1]], &q.pose};
        return portal ? ccdMPRIntersect(&a, &b, &ccd) : ccdGJKIntersect(&a, &b, &ccd);
    }
    double distance(size_t) { return 0; }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    convex::Scene scene = convex::read(argv[2]);
    Ccd engine(scene, std::string(argv[1]) == "mpr");
    return convex::serve(engine, scene);
}
