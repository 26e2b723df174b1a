// ODE's triangle meshes (OPCODE trees). It merges contacts, so only the yes or no is comparable.
#include "../runner.hpp"
#include <ode/ode.h>

struct Body {
    std::vector<dTriIndex> indices;
    dTriMeshDataID mesh = nullptr;
    dGeomID geometry = nullptr;

    void make(const runner::Mesh& source) {
        clear();
        for (auto& f : source.faces)
            for (uint32_t i : f) indices.push_back(dTriIndex(i));
        mesh = dGeomTriMeshDataCreate();
        // In C++ an array of arrays of doubles is one run of numbers.
        dGeomTriMeshDataBuildDouble(mesh, source.positions.data(), 3 * sizeof(double), int(source.positions.size()),
                                    indices.data(), int(indices.size()), 3 * sizeof(dTriIndex));
        geometry = dCreateTriMesh(nullptr, mesh, nullptr, nullptr, nullptr);
        dGeomTriMeshEnableTC(geometry, dTriMeshClass, 0);
    }
    void clear() {
        if (geometry) dGeomDestroy(geometry);
        if (mesh) dGeomTriMeshDataDestroy(mesh);
        geometry = nullptr;
        mesh = nullptr;
        indices.clear();
    }
};

static void silent(int, const char*, va_list) {}

struct Ode : runner::Engine {
    Body a, b;

    Ode(const char* first, const char* second) : Engine(first, second) {
        dInitODE2(0);
        dAllocateODEDataForThread(dAllocateMaskAll);
        dSetMessageHandler(silent);
    }
    ~Ode() override {
        a.clear();
        b.clear();
        dCloseODE();
    }

    std::string hello() override { return "ode 0.16 f64"; }
    void build_a() override { a.make(mesh_a); }
    void build_b() override { b.make(mesh_b); }

    runner::Answer ask(const std::string& question, double, const runner::Pose& p) override {
        if (question != "intersects") return {false, 0};
        dMatrix3 turn = {};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) turn[4 * i + j] = p.r[i][j];
        dGeomSetRotation(b.geometry, turn);
        dGeomSetPosition(b.geometry, p.t[0], p.t[1], p.t[2]);
        dContactGeom contact[1];
        return {true, double(dCollide(a.geometry, b.geometry, 1 | CONTACTS_UNIMPORTANT, contact, sizeof *contact) > 0)};
    }
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    Ode engine(argv[1], argv[2]);
    return runner::serve(engine);
}
