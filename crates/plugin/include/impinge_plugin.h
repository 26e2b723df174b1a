/* Shapes for impinge from a shared library, version 1 of the interface.
 *
 * A plug-in exports one function,
 *
 *     const struct impinge_plugin_table *impinge_plugin(void);
 *
 * whose table lies still and unchanged while the library is loaded. Functions must not throw or jump out, and write no more than told. All
 * but `create` and `destroy` are called by several threads at once.
 */
#ifndef IMPINGE_PLUGIN_H
#define IMPINGE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define IMPINGE_PLUGIN_ABI_VERSION 1u

struct impinge_kind_table {
    /* The name in UTF-8, without an end mark, and its length: 1 to 256 bytes. */
    const char *name;
    size_t name_bytes;
    /* A shape from parameters; NULL refuses them. */
    void *(*create)(const double *parameters, size_t count);
    /* Ends a shape that `create` made. */
    void (*destroy)(void *shape);
    /* Writes the least and then the largest coordinates: six numbers. No point of the shape lies outside. */
    void (*bounds)(const void *shape, double *out);
    /* Writes a point of the shape farthest in a direction of any length. NULL unless the shape is convex. */
    void (*support)(const void *shape, const double *direction, double *out);
    /* The distance of a point from the surface, negative inside; never changes faster than the point moves. NULL if unknown. A kind has this
     * or `support` or both. */
    double (*signed_distance)(const void *shape, const double *point);
};

struct impinge_plugin_table {
    /* IMPINGE_PLUGIN_ABI_VERSION. */
    uint32_t abi_version;
    /* sizeof(struct impinge_plugin_table). */
    uint32_t table_bytes;
    /* sizeof(struct impinge_kind_table). */
    uint32_t kind_bytes;
    uint32_t kind_count;
    const struct impinge_kind_table *kinds;
};

#endif
