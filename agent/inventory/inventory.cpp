// inventory.cpp: hwloc is loaded, asked and dropped; vitals come from /proc.
#include "agent/inventory/inventory.h"

#include <hwloc.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "agent/inventory/gpus.h"

namespace sluice::agent {
namespace {

std::uint64_t meminfo_mb(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string word, unit;
  std::uint64_t kb = 0;
  while (file >> word >> kb) {
    std::getline(file, unit);
    if (word == key + ":") return kb / 1024;
  }
  return 0;
}

std::uint32_t count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int number = hwloc_get_nbobjs_by_type(topology, type);
  return static_cast<std::uint32_t>(std::max(number, 1));
}

void add_processors(NodeShape& shape) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return;
  if (hwloc_topology_load(topology) == 0) {
    shape.cpus = count(topology, HWLOC_OBJ_PU);
    shape.sockets = count(topology, HWLOC_OBJ_PACKAGE);
    const std::uint32_t cores = count(topology, HWLOC_OBJ_CORE);
    shape.cores_per_socket = std::max(1U, cores / shape.sockets);
    shape.threads_per_core = std::max(1U, shape.cpus / cores);
  }
  hwloc_topology_destroy(topology);
}

bool is_said(const NodeConfig& declared, const char* key) {
  return std::find(declared.said.begin(), declared.said.end(), key) != declared.said.end();
}

}  // namespace

NodeShape take_inventory() {
  NodeShape shape;
  add_processors(shape);
  shape.mem_mb = std::max<std::uint64_t>(meminfo_mb("MemTotal"), 1);
  struct statvfs disk {};
  if (statvfs("/tmp", &disk) == 0) shape.tmp_disk_mb = disk.f_blocks * disk.f_frsize >> 20;
  shape.gres = find_gpus();
  return shape;
}

bool is_pretended(const NodeConfig& declared, const NodeShape& found) {
  const auto declared_gpus = [&](const std::vector<GresCount>& gres) {
    std::uint32_t sum = 0;
    for (const GresCount& entry : gres)
      if (entry.name == "gpu") sum += entry.count;
    return sum;
  };
  return (is_said(declared, "CPUs") && declared.shape.cpus > found.cpus) ||
         (is_said(declared, "RealMemory") && declared.shape.mem_mb > found.mem_mb) ||
         declared_gpus(declared.shape.gres) > declared_gpus(found.gres);
}

NodeVitals read_vitals(WallTime now) {
  NodeVitals vitals;
  vitals.measured = now;
  double load = 0;
  if (getloadavg(&load, 1) == 1)
    vitals.cpu_load_hundredths = static_cast<std::uint32_t>(std::lround(load * 100));
  vitals.free_mem_mb = meminfo_mb("MemAvailable");
  return vitals;
}

std::string kernel_host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string operating_system() {
  utsname names{};
  uname(&names);
  return std::string(names.sysname) + " " + names.release;
}

std::string architecture() {
  utsname names{};
  uname(&names);
  return names.machine;
}

}  // namespace sluice::agent
