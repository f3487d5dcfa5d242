// maxend for C++17: graphs over vectors and their components, with handles that free themselves,
// and exceptions. For other tasks, such as reading files, call the functions of maxend.h, which
// this file includes. docs/capi.md explains how to use it.

#ifndef MAXEND_HPP
#define MAXEND_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "maxend.h"

namespace maxend {

/// An error: its message, and its place. `status` is MAXEND_ARGUMENT, MAXEND_MODEL and so on.
struct Error : std::runtime_error {
    Error(maxend_status status, const maxend_error* error)
        : std::runtime_error(maxend_error_message(error)), status(status),
          file(maxend_error_file(error) ? maxend_error_file(error) : ""),
          line(maxend_error_line(error)), column(maxend_error_column(error)) {}

    Error(maxend_status status, const std::string& message)
        : std::runtime_error(message), status(status), line(0), column(0) {}

    maxend_status status;
    std::string file;  // empty if the error is in no file
    std::uint64_t line;  // 0 if it is not known
    std::uint64_t column;
};

enum class Kind : std::uint32_t { Mec = MAXEND_MEC, Scc = MAXEND_SCC, Bscc = MAXEND_BSCC };

enum class Device : std::uint32_t {
    Auto = MAXEND_DEVICE_AUTO,
    Cpu = MAXEND_DEVICE_CPU,
    Gpu = MAXEND_DEVICE_GPU
};

/// The options of a decomposition.
struct Options {
    Device device = Device::Auto;
    std::string adapter;  // a part of the name of the GPU to be used
    std::uint32_t threads = 0;  // 0: one for each core
    bool certify = false;
    /// A function that is called with the name of the current step, the work done, and the total
    /// work (or 0). It returns whether to continue. If it throws an exception, the work stops, and
    /// the exception is rethrown.
    std::function<bool(const char* what, std::uint64_t done, std::uint64_t total)> progress;
};

namespace detail {

template <auto Free> struct Deleter {
    template <typename T> void operator()(T* handle) const { Free(handle); }
};

template <typename T, auto Free> using Handle = std::unique_ptr<T, Deleter<Free>>;

/// Throws the error of a call that failed.
inline void check(maxend_status status, maxend_error* error) {
    Handle<maxend_error, maxend_error_free> owned(error);
    if (status != MAXEND_OK) {
        throw Error(status, error);
    }
}

/// A vector that a graph borrows. It must outlive the graph, so temporaries are not accepted.
class Lent {
public:
    Lent(const std::vector<std::uint32_t>& numbers) : numbers_(numbers) {}
    Lent(const std::vector<std::uint32_t>&&) = delete;

    std::size_t size() const { return numbers_.size(); }
    const std::uint32_t* data() const { return numbers_.data(); }

private:
    const std::vector<std::uint32_t>& numbers_;
};

/// The data of a progress callback, and the exception that it threw.
struct Told {
    const Options& options;
    std::exception_ptr thrown = nullptr;

    static int tell(void* data, const char* what, std::uint64_t done, std::uint64_t total) {
        auto& told = *static_cast<Told*>(data);
        if (told.thrown) {
            return 1;
        }
        try {
            return told.options.progress(what, done, total) ? 0 : 1;
        } catch (...) {
            told.thrown = std::current_exception();
            return 1;
        }
    }
};

}  // namespace detail

/// The components of a graph, numbered in the order of their smallest states.
class Components {
public:
    explicit Components(maxend_components* handle, std::uint64_t num_states)
        : handle_(handle), num_states_(num_states) {}

    std::uint64_t size() const { return maxend_components_count(handle_.get()); }
    std::string device() const { return maxend_components_device(handle_.get()); }

    /// Returns the component of each state, or MAXEND_NONE.
    std::vector<std::uint32_t> labels() const {
        std::vector<std::uint32_t> labels(num_states_);
        maxend_components_labels(handle_.get(), labels.data());
        return labels;
    }

    /// Returns the number of states of each component.
    std::vector<std::uint32_t> sizes() const {
        std::vector<std::uint32_t> sizes(size());
        maxend_components_sizes(handle_.get(), sizes.data());
        return sizes;
    }

    const maxend_components* get() const { return handle_.get(); }

private:
    detail::Handle<maxend_components, maxend_components_free> handle_;
    std::uint64_t num_states_;
};

/// A graph. It does not own the arrays that it borrows, which must outlive it.
class Graph {
public:
    /// Borrows three vectors, as maxend_graph_borrow borrows arrays.
    static Graph borrow(detail::Lent choices, detail::Lent branches, detail::Lent targets) {
        return make(choices.size(), branches.size(), targets.size(), choices.data(),
                    branches.data(), targets.data());
    }

    /// Borrows the rows of a sparse matrix (CSR): a graph without choices.
    static Graph borrow_rows(detail::Lent rows, detail::Lent targets) {
        return make(rows.size(), rows.size(), targets.size(), nullptr, rows.data(),
                    targets.data());
    }

    /// Takes ownership of a graph, such as one from maxend_graph_copy. Do not pass a graph from
    /// maxend_model_graph, which belongs to its model.
    explicit Graph(maxend_graph* handle) : handle_(handle) {}

    std::uint64_t num_states() const { return maxend_graph_num_states(get()); }
    std::uint64_t num_choices() const { return maxend_graph_num_choices(get()); }
    std::uint64_t num_branches() const { return maxend_graph_num_branches(get()); }

    Components decompose(Kind kind, const Options& options = {}) const {
        detail::Told told{options};
        maxend_decompose_options how{};
        how.device = static_cast<std::uint32_t>(options.device);
        how.threads = options.threads;
        how.adapter = options.adapter.empty() ? nullptr : options.adapter.c_str();
        how.certify = options.certify;
        if (options.progress) {
            how.progress = detail::Told::tell;
            how.progress_data = &told;
        }
        maxend_components* out = nullptr;
        maxend_error* error = nullptr;
        auto status = maxend_decompose(get(), static_cast<std::uint32_t>(kind), &how, &out, &error);
        Components components(out, num_states());
        detail::Handle<maxend_error, maxend_error_free> owned(error);
        if (told.thrown) {
            std::rethrow_exception(told.thrown);
        }
        detail::check(status, owned.release());
        return components;
    }

    /// Whether each choice stays in the component of its state, 1 or 0.
    std::vector<std::uint8_t> retained(const Components& components) const {
        std::vector<std::uint8_t> retained(num_choices());
        maxend_components_retained(components.get(), get(), retained.data());
        return retained;
    }

    const maxend_graph* get() const { return handle_.get(); }

private:
    /// The lengths are those of the arrays, of which two end with one more offset.
    static Graph make(std::size_t choices_size, std::size_t branches_size,
                      std::size_t targets_size, const std::uint32_t* choices,
                      const std::uint32_t* branches, const std::uint32_t* targets) {
        if (choices_size == 0 || branches_size == 0) {
            throw Error(MAXEND_MODEL, "offsets have at least one number, 0");
        }
        maxend_graph* out = nullptr;
        maxend_error* error = nullptr;
        auto status = maxend_graph_borrow(choices_size - 1, branches_size - 1, targets_size,
                                          choices, branches, targets, &out, &error);
        detail::check(status, error);
        return Graph(out);
    }

    detail::Handle<maxend_graph, maxend_graph_free> handle_;
};

}  // namespace maxend

#endif
