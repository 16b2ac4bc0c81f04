// gpus.cpp: NVML by dlopen, AMD by /sys/class/drm.
#include "agent/inventory/gpus.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>

namespace sluice::agent {
namespace {

constexpr int nvml_success = 0;

// Names of all NVIDIA devices; none when the driver's library is not there.
std::vector<std::string> nvidia_products() {
  std::vector<std::string> products;
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return products;
  const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto shutdown = reinterpret_cast<int (*)()>(dlsym(library, "nvmlShutdown"));
  const auto count_of =
      reinterpret_cast<int (*)(unsigned*)>(dlsym(library, "nvmlDeviceGetCount_v2"));
  const auto handle_of = reinterpret_cast<int (*)(unsigned, void**)>(
      dlsym(library, "nvmlDeviceGetHandleByIndex_v2"));
  const auto name_of =
      reinterpret_cast<int (*)(void*, char*, unsigned)>(dlsym(library, "nvmlDeviceGetName"));
  if (init && shutdown && count_of && handle_of && name_of && init() == nvml_success) {
    unsigned count = 0;
    if (count_of(&count) != nvml_success) count = 0;
    for (unsigned i = 0; i < count; ++i) {
      void* device = nullptr;
      char name[128] = {};
      if (handle_of(i, &device) == nvml_success &&
          name_of(device, name, sizeof name) == nvml_success)
        products.emplace_back(name);
    }
    shutdown();
  }
  dlclose(library);
  return products;
}

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<std::string> amd_products() {
  std::vector<std::string> products;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/drm", ignored)) {
    const std::string name = entry.path().filename();
    const bool is_card = name.starts_with("card") && name.find('-') == std::string::npos;
    if (!is_card || first_line(entry.path() / "device/vendor") != "0x1002") continue;
    // Only compute devices: a card without this file is a plain display adapter.
    if (!std::filesystem::exists(entry.path() / "device/mem_info_vram_total", ignored)) continue;
    const std::string product = first_line(entry.path() / "device/product_name");
    products.push_back(product.empty() ? "amd" : product);
  }
  return products;
}

}  // namespace

std::string gpu_type_of(const std::string& product) {
  std::string type = product;
  for (char& c : type) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
  }
  return type;
}

std::vector<GresCount> find_gpus() {
  std::map<std::string, std::uint32_t> counts;
  for (const std::string& product : nvidia_products()) ++counts[gpu_type_of(product)];
  for (const std::string& product : amd_products()) ++counts[gpu_type_of(product)];
  std::vector<GresCount> gres;
  for (const auto& [type, count] : counts) gres.push_back({"gpu", type, count});
  return gres;
}

}  // namespace sluice::agent
