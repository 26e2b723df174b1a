// Bullet's GImpact meshes. It keeps few contacts per pair of bodies, so only the yes or no is comparable.
#include "../runner.hpp"
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>
#include <memory>

struct Body {
    std::vector<btVector3> points;
    std::vector<int> indices;
    std::unique_ptr<btTriangleIndexVertexArray> faces;
    std::unique_ptr<btGImpactMeshShape> shape;
    btCollisionObject object;

    explicit Body(const runner::Mesh& mesh) {
        for (auto& p : mesh.positions) points.emplace_back(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]));
        for (auto& f : mesh.faces)
            for (uint32_t i : f) indices.push_back(int(i));
        faces.reset(new btTriangleIndexVertexArray(int(mesh.faces.size()), indices.data(), 3 * sizeof(int),
                                                   int(points.size()), &points[0][0], sizeof(btVector3)));
        shape.reset(new btGImpactMeshShape(faces.get()));
        shape->setMargin(0);
        shape->updateBound();
        object.setCollisionShape(shape.get());
    }
};

struct Bullet : runner::Engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    std::unique_ptr<Body> a, b;

    Bullet(const char* first, const char* second) : Engine(first, second) {
        btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
    }
    ~Bullet() override {
        if (a) world.removeCollisionObject(&a->object);
        if (b) world.removeCollisionObject(&b->object);
    }

    std::string hello() override {
        return "bullet " + std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100) + " f32";
    }

    void replace(std::unique_ptr<Body>& body, const runner::Mesh& mesh) {
        if (body) world.removeCollisionObject(&body->object);
        body.reset(new Body(mesh));
        world.addCollisionObject(&body->object);
    }
    void build_a() override { replace(a, mesh_a); }
    void build_b() override { replace(b, mesh_b); }

    runner::Answer ask(const std::string& question, double, const runner::Pose& p) override {
        if (question != "intersects") return {false, 0};
        btMatrix3x3 turn(btScalar(p.r[0][0]), btScalar(p.r[0][1]), btScalar(p.r[0][2]), btScalar(p.r[1][0]),
                         btScalar(p.r[1][1]), btScalar(p.r[1][2]), btScalar(p.r[2][0]), btScalar(p.r[2][1]),
                         btScalar(p.r[2][2]));
        b->object.setWorldTransform(
            btTransform(turn, btVector3(btScalar(p.t[0]), btScalar(p.t[1]), btScalar(p.t[2]))));
        world.performDiscreteCollisionDetection();
        for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
            const btPersistentManifold* manifold = dispatcher.getManifoldByIndexInternal(i);
            for (int j = 0; j < manifold->getNumContacts(); ++j)
                if (manifold->getContactPoint(j).getDistance() <= 0) return {true, 1};
        }
        return {true, 0};
    }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    Bullet engine(argv[1], argv[2]);
    return runner::serve(engine);
}
