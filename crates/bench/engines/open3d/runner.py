"""Open3D's distance between two clouds as a runner.

Started as `runner POINTS PLACES ROUNDS`, files and answer as those of the runner of nanoflann: the places are the second cloud, whose distances
from the first Open3D computes all at once, with the index built anew each time. That is told as the time to ask; building takes 0.
"""

import sys
import time

import numpy
import open3d


def read(path):
    with open(path, "rb") as file:
        count = int(numpy.fromfile(file, "<u8", 1)[0])
        points = numpy.fromfile(file, "<f8", 3 * count).reshape(-1, 3)
    cloud = open3d.geometry.PointCloud()
    cloud.points = open3d.utility.Vector3dVector(points)
    return cloud


def main():
    points, places = read(sys.argv[1]), read(sys.argv[2])
    rounds, times, total = int(sys.argv[3]), [], 0.0
    for _ in range(rounds):
        start = time.perf_counter_ns()
        distances = places.compute_point_cloud_distance(points)
        times.append(time.perf_counter_ns() - start)
        total = float(numpy.asarray(distances).sum())
    print("nearest", repr(total), *([0] * rounds), *times, flush=True)


main()
