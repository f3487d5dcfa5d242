// Vectors that graphs borrow: no temporary is taken, and empty ones are errors of the library.

#include <iostream>
#include <type_traits>
#include <utility>
#include <vector>

#include "maxend.hpp"

using maxend::Graph;
using Numbers = std::vector<std::uint32_t>;

template <typename... Vectors>
constexpr bool are_rows = std::is_invocable_v<decltype(Graph::borrow_rows), Vectors...>;

template <typename... Vectors>
constexpr bool are_arrays = std::is_invocable_v<decltype(Graph::borrow), Vectors...>;

static_assert(are_rows<const Numbers&, Numbers&>);
static_assert(!are_rows<Numbers, const Numbers&>);
static_assert(!are_rows<const Numbers&, Numbers>);
static_assert(!are_rows<const Numbers&, const Numbers>);
static_assert(!are_rows<Numbers, Numbers>);

static_assert(are_arrays<const Numbers&, Numbers&, const Numbers&>);
static_assert(!are_arrays<Numbers, const Numbers&, const Numbers&>);
static_assert(!are_arrays<const Numbers&, Numbers, const Numbers&>);
static_assert(!are_arrays<const Numbers&, const Numbers&, Numbers>);

// Whether braced lists are taken for the targets. The types depend on `Vector`, as a call that is
// wrong whatever it is would end the compilation.
#define TAKES(name, ...) \
    template <typename Vector, typename = void> struct name : std::false_type {}; \
    template <typename Vector> \
    struct name<Vector, std::void_t<decltype(Graph::borrow_rows(std::declval<Vector>(), \
                                                                __VA_ARGS__))>> \
        : std::true_type {}

TAKES(Vectors, std::declval<Vector>());
TAKES(NoNumbers, {});
TAKES(OneNumber, {0u});
TAKES(TwoNumbers, {1u, 0u});
TAKES(ListInList, {{1u, 0u}});

static_assert(Vectors<const Numbers&>::value);
static_assert(!NoNumbers<const Numbers&>::value);
static_assert(!OneNumber<const Numbers&>::value);
static_assert(!TwoNumbers<const Numbers&>::value);
static_assert(!ListInList<const Numbers&>::value);

int main() {
    const Numbers none, zero{0};
    std::cout << Graph::borrow_rows(zero, none).num_states() << " states\n";
    try {
        Graph::borrow_rows(none, none);
    } catch (const maxend::Error& error) {
        std::cout << "status " << error.status << ": " << error.what() << '\n';
    }
    try {
        Graph::borrow(zero, none, none);
    } catch (const maxend::Error& error) {
        std::cout << "status " << error.status << ": " << error.what() << '\n';
    }
}
