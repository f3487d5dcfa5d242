// maxend for C. Made by cbindgen from crates/capi/src; docs/capi.md says how to use it.
//
// Functions that can fail return a status. If it is MAXEND_OK (0), their result is in *out.
// Otherwise *out is NULL and, unless error is NULL, *error is an error with a message, which the
// caller must free. Handles do not change, and may be used on any thread. Nothing may be used while
// or after it is freed.

#ifndef MAXEND_H
#define MAXEND_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// A GPU if it is expected to be faster; otherwise, or if the GPU fails, the CPU.
#define MAXEND_DEVICE_AUTO 0

// The CPU.
#define MAXEND_DEVICE_CPU 1

// A GPU; an error if there is none.
#define MAXEND_DEVICE_GPU 2

// A state without a choice gets a self-loop.
#define MAXEND_DEADLOCKS_SELF_LOOP 0

// A state without a choice stays as it is.
#define MAXEND_DEADLOCKS_KEEP 1

// A model with a state without a choice is refused.
#define MAXEND_DEADLOCKS_REFUSE 2

// Maximal end components.
#define MAXEND_MEC 0

// Strongly connected components.
#define MAXEND_SCC 1

// Bottom strongly connected components, which no branch leaves.
#define MAXEND_BSCC 2

// Stands for the component of a state that is in none.
#define MAXEND_NONE UINT32_MAX

// The components of a graph. They are numbered from 0, in the order of their smallest states,
// whichever device found them.
typedef struct maxend_components maxend_components;

// The reason why a call failed.
typedef struct maxend_error maxend_error;

// A graph: states, their choices, and the branches of the choices.
typedef struct maxend_graph maxend_graph;

// A model that was read from a file.
typedef struct maxend_model maxend_model;

// The result of a call: [`MAXEND_OK`], or the kind of the error.
typedef uint32_t maxend_status;

// A function that is called with the progress of work. `data` is the pointer from the options.
// `what` is the name of the current step, such as `decomposing`, which lives for this call. `done`
// is the work done, and `total` the total work, or 0 if it is not known. The function returns 0 to
// continue, and any other number to stop the work soon. It is called on the thread that called the
// library, once before the work begins and then about twenty times a second. It must return: no
// `longjmp` and no exception of C++ may leave it.
typedef int (*maxend_progress)(void *data, const char *what, uint64_t done, uint64_t total);

// The options of reading a model. All zeros (`{0}` in C) are the defaults.
typedef struct {
  // MAXEND_DEADLOCKS_SELF_LOOP, MAXEND_DEADLOCKS_KEEP or MAXEND_DEADLOCKS_REFUSE.
  uint32_t deadlocks;
  // The number of threads, or 0 for one for each core.
  uint32_t threads;
  // Values for the constants that the model declares without a value: texts such as `N=7`.
  const char *const *constants;
  // The number of these texts.
  size_t num_constants;
  // The type of the model, such as `dtmc`, which overrides what its file says; or NULL.
  const char *model_type;
  // Whether to accept distributions whose probabilities do not sum to 1.
  bool allow_any_sum;
  // The largest number of states that the model may have; 0 for no limit.
  uint64_t max_states;
  // The largest number of bytes that the states and the graph may take; 0 for 90 % of the memory
  // that is available.
  uint64_t max_memory;
  // A function that is called with the progress and may stop the work; or NULL.
  maxend_progress progress;
  // The pointer that is passed to `progress`.
  void *progress_data;
} maxend_read_options;

// The options of a decomposition. All zeros (`{0}` in C) are the defaults.
typedef struct {
  // MAXEND_DEVICE_AUTO, MAXEND_DEVICE_CPU or MAXEND_DEVICE_GPU.
  uint32_t device;
  // The number of threads, or 0 for one for each core.
  uint32_t threads;
  // A part of the name of the GPU to be used, or NULL.
  const char *adapter;
  // Whether to prove the answer, by code that shares nothing with the search.
  bool certify;
  // A function that is called with the progress and may stop the work; or NULL.
  maxend_progress progress;
  // The pointer that is passed to `progress`.
  void *progress_data;
} maxend_decompose_options;

// Success.
#define MAXEND_OK 0

// An argument is wrong, such as a null pointer, or arguments contradict each other.
#define MAXEND_ARGUMENT 1

// The model, its file or the arrays of a graph are wrong, or too large.
#define MAXEND_MODEL 2

// The requested GPU is missing, has failed, or cannot hold the graph.
#define MAXEND_DEVICE 3

// The certificate of the answer was rejected: the answer is wrong, and is not returned.
#define MAXEND_REJECTED 4

// The progress callback asked to stop.
#define MAXEND_STOPPED 5

// An internal error of the library.
#define MAXEND_INTERNAL 6

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of the library, such as `0.1.0`. Before version 1.0, a library with another
// minor version may have another interface.
//
// # Safety
// This function is always safe to call.
const char *maxend_version(void);

// Returns the message: what is wrong, where, and hints, in one or more lines of UTF-8. The text
// lives as long as the error.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
const char *maxend_error_message(const maxend_error *error);

// Returns the file in which the error is, or NULL. The text lives as long as the error.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
const char *maxend_error_file(const maxend_error *error);

// Returns the line in the file, counted from 1, or 0 if it is not known.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
uint64_t maxend_error_line(const maxend_error *error);

// Returns the column in the line, counted from 1, or 0 if it is not known.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
uint64_t maxend_error_column(const maxend_error *error);

// Frees an error.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
void maxend_error_free(maxend_error *error);

// Makes a graph from arrays, WITHOUT COPYING THEM. Do not change or free the arrays before the
// graph is freed. Components do not need them.
//
// State s has the choices from `choices[s]` to `choices[s + 1] - 1`, choice c has the branches
// from `branches[c]` to `branches[c + 1] - 1`, and `targets` has the target of each branch. So
// `choices` has `num_states + 1` numbers, `branches` has `num_choices + 1`, and `targets` has
// `num_branches`. Leave out branches whose probability is 0.
//
// For a graph without choices, such as a Markov chain, `choices` is NULL and `num_choices` is the
// number of states. Then `branches` and `targets` are the rows of a sparse matrix (CSR).
//
// # Safety
// The arrays have these lengths, and are neither changed nor freed before the graph.
maxend_status maxend_graph_borrow(uint64_t num_states,
                                  uint64_t num_choices,
                                  uint64_t num_branches,
                                  const uint32_t *choices,
                                  const uint32_t *branches,
                                  const uint32_t *targets,
                                  maxend_graph **out,
                                  maxend_error **error);

// Does the same as `maxend_graph_borrow`, from arrays of 64-bit numbers, which are copied: they
// may be freed as soon as this function returns. Targets may be fields of records: the distance
// between two targets is `stride` bytes (8 if they are contiguous).
//
// # Safety
// The arrays have these lengths.
maxend_status maxend_graph_copy(uint64_t num_states,
                                uint64_t num_choices,
                                uint64_t num_branches,
                                const uint64_t *choices,
                                const uint64_t *branches,
                                const uint64_t *targets,
                                size_t stride,
                                maxend_graph **out,
                                maxend_error **error);

// Returns the number of states.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
uint64_t maxend_graph_num_states(const maxend_graph *graph);

// Returns the number of choices of all states.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
uint64_t maxend_graph_num_choices(const maxend_graph *graph);

// Returns the number of branches of all choices.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
uint64_t maxend_graph_num_branches(const maxend_graph *graph);

// Returns the `num_states + 1` offsets of states into the choices, as for `maxend_graph_borrow`.
// They live as long as the graph.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
const uint32_t *maxend_graph_choices(const maxend_graph *graph);

// Returns the `num_choices + 1` offsets of choices into the branches. They live as long as the
// graph.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
const uint32_t *maxend_graph_branches(const maxend_graph *graph);

// Returns the targets of the branches. They live as long as the graph.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
const uint32_t *maxend_graph_targets(const maxend_graph *graph);

// Frees a graph. The arrays that it borrowed are not freed.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
void maxend_graph_free(maxend_graph *graph);

// Reads a model of any format that `maxend` reads. `options` may be NULL. One model is read at a
// time in a process; other threads wait for their turn.
//
// # Safety
// The pointers are NULL or point to what their types say.
maxend_status maxend_read(const char *file,
                          const maxend_read_options *options,
                          maxend_model **out,
                          maxend_error **error);

// Returns the graph of a model. It lives as long as the model; do not free it.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
const maxend_graph *maxend_model_graph(const maxend_model *model);

// Returns the initial states, in ascending order, and sets `count` to their number, which is 0 if
// the file does not give them. They live as long as the model.
//
// # Safety
// `model` is NULL or a model of this library that was not freed; `count` can be written to.
const uint32_t *maxend_model_initial(const maxend_model *model, uint64_t *count);

// Returns the number of labels.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
uint64_t maxend_model_num_labels(const maxend_model *model);

// Returns the name of label `i`, or NULL if there is no such label. It lives as long as the model.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
const char *maxend_model_label_name(const maxend_model *model, uint64_t i);

// Returns the states with label `i`, in ascending order, and sets `count` to their number. They
// live as long as the model.
//
// # Safety
// `model` is NULL or a model of this library that was not freed; `count` can be written to.
const uint32_t *maxend_model_label_states(const maxend_model *model, uint64_t i, uint64_t *count);

// Returns the number of warnings about parts of the model that were changed or left out.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
uint64_t maxend_model_num_warnings(const maxend_model *model);

// Returns warning `i`, or NULL if there is no such warning. It lives as long as the model.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
const char *maxend_model_warning(const maxend_model *model, uint64_t i);

// Frees a model, and its graph.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
void maxend_model_free(maxend_model *model);

// Finds the components of a graph: MAXEND_MEC, MAXEND_SCC or MAXEND_BSCC. `options` may be NULL.
//
// # Safety
// The pointers are NULL or point to what their types say, and are not freed in the meantime.
maxend_status maxend_decompose(const maxend_graph *graph,
                               uint32_t kind,
                               const maxend_decompose_options *options,
                               maxend_components **out,
                               maxend_error **error);

// Returns the number of components.
//
// # Safety
// `components` is NULL or components of this library that were not freed.
uint64_t maxend_components_count(const maxend_components *components);

// Returns the name of the device that found the components, as it is printed. The text lives as
// long as the components.
//
// # Safety
// `components` is NULL or components of this library that were not freed.
const char *maxend_components_device(const maxend_components *components);

// Writes the component of each state, or MAXEND_NONE, to `labels`, which has room for as many
// numbers as the graph has states.
//
// # Safety
// The components are NULL or not freed, and the array has enough room.
void maxend_components_labels(const maxend_components *components, uint32_t *labels);

// Writes the number of states of each component to `sizes`, which has room for as many numbers as
// there are components.
//
// # Safety
// The components are NULL or not freed, and the array has enough room.
void maxend_components_sizes(const maxend_components *components, uint32_t *sizes);

// Writes to `retained`, for each choice of the graph, 1 if it stays in the component of its state,
// and 0 otherwise. `retained` has room for as many bytes as the graph has choices. For maximal end
// components, these are the choices that they retain. `graph` is the graph that was decomposed; if
// it has another number of states, nothing is written.
//
// # Safety
// The components and the graph are NULL or not freed, and the array has enough room.
void maxend_components_retained(const maxend_components *components,
                                const maxend_graph *graph,
                                uint8_t *retained);

// Frees components.
//
// # Safety
// `components` is NULL or components of this library that were not freed.
void maxend_components_free(maxend_components *components);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MAXEND_H */
