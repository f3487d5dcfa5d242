// Decomposes a graph given as the rows of a sparse matrix, with the wrapper for C++.

#include <iostream>

#include "maxend.hpp"

int main() {
    // 0 -> 1 -> 0, 1 -> 2, 2 -> 2; 3 leads nowhere.
    const std::vector<std::uint32_t> rows{0, 1, 3, 4, 4}, targets{1, 0, 2, 2};
    auto graph = maxend::Graph::borrow_rows(rows, targets);
    maxend::Options options;
    options.device = maxend::Device::Cpu;
    auto sccs = graph.decompose(maxend::Kind::Scc, options);
    std::cout << sccs.size() << " components on " << sccs.device() << ':';
    for (auto label : sccs.labels()) {
        std::cout << ' ' << label;
    }
    std::cout << '\n' << graph.decompose(maxend::Kind::Bscc).size() << " bottom\n";

    const std::vector<std::uint32_t> wrong{7};
    const std::vector<std::uint32_t> row{0, 1};
    try {
        maxend::Graph::borrow_rows(row, wrong);
    } catch (const maxend::Error& error) {
        std::cout << "status " << error.status << ": " << error.what() << '\n';
    }
    options.progress = [](const char*, std::uint64_t, std::uint64_t) -> bool {
        throw std::runtime_error("thrown by the callback");
    };
    try {
        graph.decompose(maxend::Kind::Mec, options);
    } catch (const std::runtime_error& error) {
        std::cout << error.what() << '\n';
    }
}
