// maxend for C. Made by cbindgen from crates/capi/src; docs/capi.md says how to use it.
//
// Functions that can fail return a status, which is MAXEND_OK (0) if all went well, and put their
// result in *out. Otherwise they put an error in *error, which says what is wrong and is to be
// freed, unless error is NULL; *out is then NULL. Handles may be used on any thread; they do not
// change. Nothing may be used while or after it is freed.

#ifndef MAXEND_H
#define MAXEND_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// A GPU where one is expected to be faster, and the processor otherwise, or if it fails.
#define MAXEND_DEVICE_AUTO 0

// The processor.
#define MAXEND_DEVICE_CPU 1

// A GPU, or none at all.
#define MAXEND_DEVICE_GPU 2

// A state without a choice gets a choice that leads back to it.
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

// The number, in place of a component, of a state that is in none.
#define MAXEND_NONE UINT32_MAX

// The components of a graph. They are numbered from 0, in the order of their smallest states,
// whatever computed them.
typedef struct maxend_components maxend_components;

// Why a call failed.
typedef struct maxend_error maxend_error;

// A graph: states, their choices, and the branches of these.
typedef struct maxend_graph maxend_graph;

// A model that was read from a file.
typedef struct maxend_model maxend_model;

// What came of a call: [`MAXEND_OK`], or what kind of error there is.
typedef uint32_t maxend_status;

// Is told of progress: `data` is as it was given; `what` is being done, such as `decomposing`, and
// lives for this call; so much is `done` of `total`, which is 0 if it is not known. Returns 0 to
// go on, and anything else to stop soon. It is called on the thread that called the library, once
// before the work begins and then some twenty times a second. It must return: no `longjmp` and no
// exception of C++ may leave it.
typedef int (*maxend_progress)(void *data, const char *what, uint64_t done, uint64_t total);

// How to read a model. All zeros, as `{0}` says in C, is how `maxend` does by default.
typedef struct {
  // MAXEND_DEADLOCKS_SELF_LOOP, MAXEND_DEADLOCKS_KEEP or MAXEND_DEADLOCKS_REFUSE.
  uint32_t deadlocks;
  // The threads to work on, or 0 for one for each core.
  uint32_t threads;
  // Values for the constants that the model leaves open: texts such as `N=7`.
  const char *const *constants;
  // How many of them there are.
  size_t num_constants;
  // What the model is, whatever its file says, such as `dtmc`; or NULL.
  const char *model_type;
  // Whether to take distributions whose probabilities do not sum to 1.
  bool allow_any_sum;
  // Give up when there are more states, if this is not 0.
  uint64_t max_states;
  // Give up before states and graph take more bytes, if this is not 0.
  uint64_t max_memory;
  // Is told of progress, and may stop the work; or NULL.
  maxend_progress progress;
  // What `progress` is called with.
  void *progress_data;
} maxend_read_options;

// How to decompose. All zeros, as `{0}` says in C, is how `maxend decompose` does by default.
typedef struct {
  // MAXEND_DEVICE_AUTO, MAXEND_DEVICE_CPU or MAXEND_DEVICE_GPU.
  uint32_t device;
  // The threads to work on, or 0 for one for each core.
  uint32_t threads;
  // Part of the name of the GPU to take, or NULL.
  const char *adapter;
  // Whether to prove the answer, by code that shares nothing with the search.
  bool certify;
  // Is told of progress, and may stop the work; or NULL.
  maxend_progress progress;
  // What `progress` is called with.
  void *progress_data;
} maxend_decompose_options;

// All went well.
#define MAXEND_OK 0

// An argument is wrong, such as a null pointer, or arguments do not go together.
#define MAXEND_ARGUMENT 1

// The model, its file or the arrays of a graph are wrong, or too large.
#define MAXEND_MODEL 2

// The GPU that was asked for is missing, failed, or cannot hold the graph.
#define MAXEND_DEVICE 3

// The certificate of the answer was rejected: the answer is wrong, and not given.
#define MAXEND_REJECTED 4

// The progress callback asked to stop.
#define MAXEND_STOPPED 5

// A mistake in the library.
#define MAXEND_INTERNAL 6

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as `0.1.0`. Before version 1.0, a library of another minor
// version may have another interface.
//
// # Safety
// There is nothing to keep in mind.
const char *maxend_version(void);

// What is wrong, where, and what may help: one line or several, in UTF-8. The text lives as long
// as the error.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
const char *maxend_error_message(const maxend_error *error);

// The file that is wrong, or NULL. The text lives as long as the error.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
const char *maxend_error_file(const maxend_error *error);

// The line of that file, from 1, or 0 if it is not known.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
uint64_t maxend_error_line(const maxend_error *error);

// The column of that line, from 1, or 0 if it is not known.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
uint64_t maxend_error_column(const maxend_error *error);

// Frees an error.
//
// # Safety
// `error` is NULL or an error of this library that was not freed.
void maxend_error_free(maxend_error *error);

// Makes a graph from arrays, WITHOUT COPYING THEM: keep them, as they are, until the graph and all
// graphs of it are freed. Components do not need them.
//
// State s has the choices from `choices[s]` to `choices[s + 1] - 1`, and choice c the branches
// from `branches[c]` to `branches[c + 1] - 1`; `targets` says where each branch leads. So
// `choices` has `num_states + 1` numbers, `branches` `num_choices + 1`, and `targets`
// `num_branches`. Leave out branches whose probability is 0.
//
// For a graph without choices, as of a Markov chain, `choices` is NULL and `num_choices` the
// number of states: `branches` and `targets` are then rows of a sparse matrix (CSR).
//
// # Safety
// The arrays are as long as said, and neither changed nor freed before the graph.
maxend_status maxend_graph_borrow(uint64_t num_states,
                                  uint64_t num_choices,
                                  uint64_t num_branches,
                                  const uint32_t *choices,
                                  const uint32_t *branches,
                                  const uint32_t *targets,
                                  maxend_graph **out,
                                  maxend_error **error);

// As `maxend_graph_borrow`, from arrays of 64-bit numbers, which are copied: they may be freed as
// soon as this returns. Targets may stand in records with other things: the next one is
// `stride` bytes further on (8, if they stand side by side).
//
// # Safety
// The arrays are as long as said.
maxend_status maxend_graph_copy(uint64_t num_states,
                                uint64_t num_choices,
                                uint64_t num_branches,
                                const uint64_t *choices,
                                const uint64_t *branches,
                                const uint64_t *targets,
                                size_t stride,
                                maxend_graph **out,
                                maxend_error **error);

// The number of states.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
uint64_t maxend_graph_num_states(const maxend_graph *graph);

// The number of choices of all states.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
uint64_t maxend_graph_num_choices(const maxend_graph *graph);

// The number of branches of all choices.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
uint64_t maxend_graph_num_branches(const maxend_graph *graph);

// The `num_states + 1` offsets of states into the choices, as for `maxend_graph_borrow`. They live
// as long as the graph.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
const uint32_t *maxend_graph_choices(const maxend_graph *graph);

// The `num_choices + 1` offsets of choices into the branches. They live as long as the graph.
//
// # Safety
// `graph` is NULL or a graph of this library that was not freed.
const uint32_t *maxend_graph_branches(const maxend_graph *graph);

// The targets of the branches. They live as long as the graph.
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
// The pointers are NULL or what they say they are.
maxend_status maxend_read(const char *file,
                          const maxend_read_options *options,
                          maxend_model **out,
                          maxend_error **error);

// The graph of a model, which lives as long as the model: do not free it.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
const maxend_graph *maxend_model_graph(const maxend_model *model);

// The states that the model begins in, ascending: `count` is set to how many they are. None, if
// the file does not say. They live as long as the model.
//
// # Safety
// `model` is NULL or a model of this library that was not freed; `count` can be written to.
const uint32_t *maxend_model_initial(const maxend_model *model, uint64_t *count);

// The number of labels.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
uint64_t maxend_model_num_labels(const maxend_model *model);

// The name of label `i`, or NULL if there are not so many. It lives as long as the model.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
const char *maxend_model_label_name(const maxend_model *model, uint64_t i);

// The states of label `i`, ascending: `count` is set to how many they are. They live as long as
// the model.
//
// # Safety
// `model` is NULL or a model of this library that was not freed; `count` can be written to.
const uint32_t *maxend_model_label_states(const maxend_model *model, uint64_t i, uint64_t *count);

// The number of warnings: of what was mended, or left out.
//
// # Safety
// `model` is NULL or a model of this library that was not freed.
uint64_t maxend_model_num_warnings(const maxend_model *model);

// Warning `i`, or NULL if there are not so many. It lives as long as the model.
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
// The pointers are NULL or what they say they are, and not freed meanwhile.
maxend_status maxend_decompose(const maxend_graph *graph,
                               uint32_t kind,
                               const maxend_decompose_options *options,
                               maxend_components **out,
                               maxend_error **error);

// The number of components.
//
// # Safety
// `components` is NULL or components of this library that were not freed.
uint64_t maxend_components_count(const maxend_components *components);

// The device that found them, for people. The text lives as long as the components.
//
// # Safety
// `components` is NULL or components of this library that were not freed.
const char *maxend_components_device(const maxend_components *components);

// Writes the component of each state, or MAXEND_NONE, to `labels`, which has room for as many
// numbers as the graph has states.
//
// # Safety
// The components are NULL or not freed, and there is so much room.
void maxend_components_labels(const maxend_components *components, uint32_t *labels);

// Writes the number of states of each component to `sizes`, which has room for as many numbers as
// there are components.
//
// # Safety
// The components are NULL or not freed, and there is so much room.
void maxend_components_sizes(const maxend_components *components, uint32_t *sizes);

// Writes for each choice of the graph whether it stays in the component of its state, 1 or 0, to
// `retained`, which has room for as many bytes as the graph has choices. These are the choices
// that a maximal end component retains. `graph` is the one that was decomposed; where it has
// another number of states, nothing is written.
//
// # Safety
// The components and the graph are NULL or not freed, and there is so much room.
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
