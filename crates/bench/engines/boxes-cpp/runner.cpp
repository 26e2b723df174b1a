// Finds pairs of boxes with Bullet's and FCL's broad phases. See ../PROTOCOL-BOXES.md.
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <btBulletCollisionCommon.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

struct Box {
    float v[6];
};
using Frame = std::vector<Box>;

struct Engine {
    virtual ~Engine() = default;
    virtual size_t build(const Frame& boxes) = 0;
    virtual size_t frame(const Frame& boxes) = 0;
};

// The tree alone, without margins.
struct Dbvt : Engine {
    struct Collect : btDbvt::ICollide {
        std::vector<std::pair<int, int>> pairs;
        void Process(const btDbvtNode* a, const btDbvtNode* b) override {
            if (a != b) pairs.emplace_back(a->dataAsInt, b->dataAsInt);
        }
    };
    std::unique_ptr<btDbvt> tree;
    std::vector<btDbvtNode*> leaves;
    Collect collect;
    static btDbvtVolume volume(const Box& b) {
        return btDbvtVolume::FromMM(btVector3(b.v[0], b.v[1], b.v[2]), btVector3(b.v[3], b.v[4], b.v[5]));
    }
    size_t find() {
        collect.pairs.clear();
        tree->collideTTpersistentStack(tree->m_root, tree->m_root, collect);
        return collect.pairs.size();
    }
    size_t build(const Frame& boxes) override {
        tree.reset(new btDbvt);
        leaves.clear();
        for (size_t i = 0; i < boxes.size(); ++i) {
            leaves.push_back(tree->insert(volume(boxes[i]), nullptr));
            leaves.back()->dataAsInt = int(i);
        }
        return find();
    }
    size_t frame(const Frame& boxes) override {
        for (size_t i = 0; i < boxes.size(); ++i) {
            btDbvtVolume v = volume(boxes[i]);
            tree->update(leaves[i], v);
        }
        tree->optimizeIncremental(int(boxes.size() / 100 + 1));
        return find();
    }
};

// The whole broad phase with its pair cache; pairs of widened boxes are not counted.
struct DbvtBroadphase : Engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    std::unique_ptr<btDbvtBroadphase> broad;
    std::vector<btBroadphaseProxy*> proxies;
    size_t find() {
        broad->calculateOverlappingPairs(&dispatcher);
        auto& pairs = broad->getOverlappingPairCache()->getOverlappingPairArray();
        size_t count = 0;
        for (int i = 0; i < pairs.size(); ++i) {
            auto *a = pairs[i].m_pProxy0, *b = pairs[i].m_pProxy1;
            count += TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax);
        }
        return count;
    }
    size_t build(const Frame& boxes) override {
        broad.reset(new btDbvtBroadphase);
        proxies.clear();
        for (auto& b : boxes)
            proxies.push_back(broad->createProxy(btVector3(b.v[0], b.v[1], b.v[2]), btVector3(b.v[3], b.v[4], b.v[5]),
                                                 BOX_SHAPE_PROXYTYPE, nullptr, 1, 1, &dispatcher));
        return find();
    }
    size_t frame(const Frame& boxes) override {
        for (size_t i = 0; i < boxes.size(); ++i) {
            auto& b = boxes[i];
            broad->setAabb(proxies[i], btVector3(b.v[0], b.v[1], b.v[2]), btVector3(b.v[3], b.v[4], b.v[5]), &dispatcher);
        }
        return find();
    }
};

template <class Manager> struct Fcl : Engine {
    std::unique_ptr<Manager> manager;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::vector<fcl::CollisionObjectd*> list;
    static bool count(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
        if (a->getAABB().overlap(b->getAABB())) ++*static_cast<size_t*>(data);
        return false;
    }
    static fcl::Vector3d middle(const Box& b) {
        return {0.5 * (double(b.v[0]) + b.v[3]), 0.5 * (double(b.v[1]) + b.v[4]), 0.5 * (double(b.v[2]) + b.v[5])};
    }
    size_t find() {
        size_t pairs = 0;
        manager->collide(&pairs, count);
        return pairs;
    }
    size_t build(const Frame& boxes) override {
        manager.reset(new Manager);
        objects.clear();
        list.clear();
        for (auto& b : boxes) {
            auto shape = std::make_shared<fcl::Boxd>(double(b.v[3]) - b.v[0], double(b.v[4]) - b.v[1], double(b.v[5]) - b.v[2]);
            objects.emplace_back(new fcl::CollisionObjectd(shape, fcl::Matrix3d::Identity(), middle(b)));
            list.push_back(objects.back().get());
        }
        manager->registerObjects(list);
        manager->setup();
        return find();
    }
    size_t frame(const Frame& boxes) override {
        for (size_t i = 0; i < boxes.size(); ++i) {
            objects[i]->setTranslation(middle(boxes[i]));
            objects[i]->computeAABB();
        }
        manager->update();
        return find();
    }
};

// Bytes that are allocated and not freed, told by the allocator itself; 0 where it cannot tell.
static size_t held() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
#else
    return 0;
#endif
}

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "boxes-cpp ENGINE SCENE\n");
        return 2;
    }
    std::string name = argv[1];
    std::unique_ptr<Engine> engine;
    if (name == "bullet-dbvt") engine.reset(new Dbvt);
    if (name == "bullet") engine.reset(new DbvtBroadphase);
    if (name == "fcl-tree") engine.reset(new Fcl<fcl::DynamicAABBTreeCollisionManagerd>);
    if (name == "fcl-sap") engine.reset(new Fcl<fcl::SaPCollisionManagerd>);
    if (!engine) {
        std::fprintf(stderr, "no engine %s\n", name.c_str());
        return 2;
    }
    std::ifstream file(argv[2], std::ios::binary);
    uint64_t head[2] = {0, 0};
    file.read(reinterpret_cast<char*>(head), 16);
    std::vector<Frame> frames(head[1], Frame(head[0]));
    for (auto& f : frames) file.read(reinterpret_cast<char*>(f.data()), std::streamsize(f.size() * sizeof(Box)));
    size_t before = held();
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string verb;
        size_t k = 0;
        words >> verb >> k;
        auto start = std::chrono::steady_clock::now();
        auto ns = [&] {
            return (long long)std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
        };
        if (verb == "quit") break;
        if (verb == "hello")
            std::printf("engine %s\n", name.c_str());
        else if (verb == "build" && !frames.empty()) {
            size_t pairs = engine->build(frames[0]);
            std::printf("built %lld %zu\n", ns(), pairs);
        } else if (verb == "frame" && k < frames.size()) {
            size_t pairs = engine->frame(frames[k]);
            std::printf("frame %lld %zu\n", ns(), pairs);
        } else if (verb == "bytes")
            std::printf("bytes %zu\n", held() - before);
        else
            std::printf("unsupported\n");
        std::fflush(stdout);
    }
}
