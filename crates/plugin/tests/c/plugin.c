/* A plug-in in C: a half ball, convex, z >= 0. Definitions on the command line break it in one way each. */
#include "../../include/impinge_plugin.h"
#include <math.h>
#include <stdlib.h>

static void *create(const double *parameters, size_t count) {
    if (count != 1 || !(parameters[0] > 0)) return NULL;
    double *radius = malloc(sizeof(double));
    if (radius) *radius = parameters[0];
    return radius;
}

static void destroy(void *shape) { free(shape); }

static void bounds(const void *shape, double *out) {
    double r = *(const double *)shape;
    out[0] = out[1] = -r;
    out[2] = 0;
    out[3] = out[4] = out[5] = r;
#ifdef BAD_BOUNDS
    out[5] = NAN;
#endif
}

static void support(const void *shape, const double *d, double *out) {
    double r = *(const double *)shape;
    double z = d[2] > 0 ? d[2] : 0, length = sqrt(d[0] * d[0] + d[1] * d[1] + z * z);
    out[0] = out[1] = out[2] = 0;
    if (length > 0) {
        out[0] = d[0] / length * r;
        out[1] = d[1] / length * r;
        out[2] = z / length * r;
    }
#ifdef BAD_SUPPORT
    out[0] = NAN;
    out[1] = 1e300;
#endif
}

#ifdef NO_CREATE
#define CREATE NULL
#else
#define CREATE create
#endif
#ifdef NO_ANSWER
#define SUPPORT NULL
#else
#define SUPPORT support
#endif
#ifdef NO_NAME
#define NAME NULL
#else
#define NAME "half ball"
#endif

static const struct impinge_kind_table kinds[] = {
    {NAME, 9, CREATE, destroy, bounds, SUPPORT, NULL},
#ifdef SAME_NAME
    {NAME, 9, CREATE, destroy, bounds, SUPPORT, NULL},
#endif
};

#ifndef VERSION
#define VERSION IMPINGE_PLUGIN_ABI_VERSION
#endif
#ifndef BYTES
#define BYTES sizeof(struct impinge_plugin_table)
#endif
#ifndef COUNT
#define COUNT sizeof kinds / sizeof kinds[0]
#endif

static const struct impinge_plugin_table table = {VERSION, BYTES, sizeof(struct impinge_kind_table), COUNT, kinds};

#ifndef NO_ENTRY
const struct impinge_plugin_table *impinge_plugin(void) {
#ifdef NULL_TABLE
    return NULL;
#else
    return &table;
#endif
}
#endif
