// Calls with arguments that are wrong, null or extreme. Prints what each of them answers.

#include <maxend.h>

#include <inttypes.h>
#include <stdio.h>

static void say(const char *what, maxend_status status, maxend_error *error) {
  const char *message = maxend_error_message(error);
  const char *space = message && *message ? " " : "";
  printf("%s: %" PRIu32 "%s%s\n", what, status, space, message ? message : "");
  maxend_error_free(error);
}

static int stop(void *data, const char *what, uint64_t done, uint64_t total) {
  (void)data, (void)what, (void)done, (void)total;
  return 1;
}

static void graphs(void) {
  maxend_graph *graph = NULL;
  maxend_error *error = NULL;
  maxend_status status;
  const uint32_t zero[] = {0}, rows[] = {0, 1, 2}, descending[] = {0, 2, 1}, targets[] = {1, 0};

#define BORROW(what, ...) \
  status = maxend_graph_borrow(__VA_ARGS__, &graph, &error); \
  say(what, status, error); \
  maxend_graph_free(graph)
  BORROW("no states", 0, 0, 0, zero, zero, NULL);
  BORROW("no arrays", 0, 0, 0, NULL, NULL, NULL);
  BORROW("more than memory", UINT64_MAX, UINT64_MAX, UINT64_MAX, zero, zero, zero);
  BORROW("2^32 - 1 states", UINT32_MAX, 1, 1, zero, zero, zero);
  BORROW("descending", 2, 2, 2, NULL, descending, targets);
  BORROW("no targets", 2, 2, 2, NULL, rows, NULL);
  BORROW("fewer choices than states", 2, 1, 2, NULL, rows, targets);

  const uint64_t wide[] = {0, 1, 2}, far[] = {1, UINT64_C(1) << 33};
#define COPY(what, stride) \
  status = maxend_graph_copy(2, 2, 2, NULL, wide, far, stride, &graph, &error); \
  say(what, status, error); \
  maxend_graph_free(graph)
  COPY("a target of 2^33", 8);
  COPY("stride 0", 0);
  COPY("stride 3", 3);
  COPY("a stride without end", SIZE_MAX);

  status = maxend_graph_borrow(2, 2, 2, NULL, rows, targets, NULL, &error);
  say("nowhere to put the graph", status, error);
  status = maxend_graph_borrow(2, 2, 2, NULL, descending, targets, &graph, NULL);
  say("nowhere to put the error", status, NULL);
}

static void decompositions(void) {
  maxend_graph *graph = NULL;
  maxend_components *components = NULL;
  maxend_error *error = NULL;
  maxend_decompose_options options = {0};
  maxend_status status;
  const uint32_t rows[] = {0, 1, 2}, targets[] = {1, 0};
  status = maxend_graph_borrow(2, 2, 2, NULL, rows, targets, &graph, &error);
  say("a graph", status, error);

#define DECOMPOSE(what, graph, kind) \
  status = maxend_decompose(graph, kind, &options, &components, &error); \
  say(what, status, error); \
  maxend_components_free(components)
  DECOMPOSE("no graph", NULL, MAXEND_SCC);
  DECOMPOSE("kind 77", graph, 77);
  options.device = 9;
  DECOMPOSE("device 9", graph, MAXEND_SCC);
  options.device = MAXEND_DEVICE_CPU;
  options.adapter = "any";
  DECOMPOSE("an adapter that is no processor", graph, MAXEND_SCC);
  options.adapter = "\xff";
  DECOMPOSE("an adapter that is no text", graph, MAXEND_SCC);
  options.adapter = NULL;
  options.progress = stop;
  DECOMPOSE("stopped at once", graph, MAXEND_SCC);
  options.progress = NULL;
  status = maxend_decompose(graph, MAXEND_SCC, NULL, NULL, &error);
  say("nowhere to put components", status, error);

  status = maxend_decompose(graph, MAXEND_SCC, &options, &components, &error);
  uint32_t labels[] = {9, 9};
  maxend_components_labels(components, NULL);
  maxend_components_labels(NULL, labels);
  printf("labels %" PRIu32 " %" PRIu32 "\n", labels[0], labels[1]);
  maxend_components_labels(components, labels);
  maxend_components_sizes(NULL, labels);
  maxend_components_retained(components, NULL, NULL);
  maxend_components_retained(NULL, graph, NULL);
  printf("%" PRIu64 " and %" PRIu64 " components, labels %" PRIu32 " %" PRIu32 "\n",
         maxend_components_count(components), maxend_components_count(NULL), labels[0], labels[1]);
  maxend_components_free(components);
  maxend_graph_free(graph);
}

static void models(const char *file) {
  maxend_model *model = NULL;
  maxend_error *error = NULL;
  maxend_read_options options = {0};
  const char *constants[] = {NULL};
  maxend_status status;
#define READ(what, ...) \
  status = maxend_read(__VA_ARGS__, &model, &error); \
  say(what, status, error); \
  maxend_model_free(model)
  READ("no file", NULL, NULL);
  READ("a folder", "/", NULL);
  options.deadlocks = 7;
  READ("deadlocks 7", file, &options);
  options.deadlocks = 0;
  options.num_constants = 1;
  READ("no constants", file, &options);
  options.constants = constants;
  READ("a constant that is NULL", file, &options);
  options.num_constants = 0;
  options.model_type = "none";
  READ("type none", file, &options);
}

int main(int count, char **arguments) {
  graphs();
  decompositions();
  models(count > 1 ? arguments[1] : "");
  maxend_error_free(NULL);
  maxend_model_free(NULL);
  maxend_graph_free(NULL);
  maxend_components_free(NULL);
  return 0;
}
