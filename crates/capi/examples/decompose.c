// Decomposes a small Markov decision process, given as three arrays, and shows errors.

#include <stdio.h>


#include "maxend.h"

// Stops at once.
static int stop(void *data, const char *what, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    printf("stopped while %s\n", what);
    ++*(int *)data;
    return 1;
}

static int failed(maxend_status status, maxend_error *error) {
    fprintf(stderr, "error %u: %s\n", (unsigned)status, maxend_error_message(error));
    maxend_error_free(error);
    return 1;
}

int main(int argc, char **argv) {
    // State 0 may stay (choice 0) or go on to 1 or 2 (choice 1); 1 returns to 0 (choice 2); 2 stays
    // (choice 3).
    const uint32_t choices[] = {0, 2, 3, 4}, branches[] = {0, 1, 3, 4, 5};
    const uint32_t targets[] = {0, 1, 2, 0, 2};
    maxend_error *error = NULL;
    maxend_graph *graph = NULL;
    maxend_status status =
        maxend_graph_borrow(3, 4, 5, choices, branches, targets, &graph, &error);
    if (status != MAXEND_OK) {
        return failed(status, error);
    }
    maxend_decompose_options options = {0};
    options.device = MAXEND_DEVICE_CPU;
    options.certify = true;
    maxend_components *mecs = NULL;
    status = maxend_decompose(graph, MAXEND_MEC, &options, &mecs, &error);
    if (status != MAXEND_OK) {
        maxend_graph_free(graph);
        return failed(status, error);
    }
    uint32_t labels[3], sizes[3];
    uint8_t retained[4];
    printf("%u components\n", (unsigned)maxend_components_count(mecs));
    maxend_components_labels(mecs, labels);
    for (int s = 0; s < 3; s++) {
        printf("state %d: %d\n", s, labels[s] == MAXEND_NONE ? -1 : (int)labels[s]);
    }
    maxend_components_sizes(mecs, sizes);
    printf("sizes %u %u\n", (unsigned)sizes[0], (unsigned)sizes[1]);
    maxend_components_retained(mecs, graph, retained);
    printf("retained %d %d %d %d\n", retained[0], retained[1], retained[2], retained[3]);
    maxend_components_free(mecs);

    int calls = 0;
    options.progress = stop;
    options.progress_data = &calls;
    status = maxend_decompose(graph, MAXEND_SCC, &options, &mecs, &error);
    printf("status %u after %d call, %s\n", (unsigned)status, calls, maxend_error_message(error));
    maxend_error_free(error);
    maxend_graph_free(graph);

    // The targets of 64-bit records, as model checkers have them.
    struct { uint64_t column; double value; } entries[] = {{1, 1.0}, {0, 0.5}, {9, 0.5}};
    const uint64_t rows[] = {0, 1, 3};
    status = maxend_graph_copy(2, 2, 3, NULL, rows, &entries[0].column, sizeof entries[0], &graph,
                               &error);
    printf("status %u: %s\n", (unsigned)status, maxend_error_message(error));
    maxend_error_free(error);

    // Files named on the command line.
    for (int i = 1; i < argc; i++) {
        maxend_model *model = NULL;
        status = maxend_read(argv[i], NULL, &model, &error);
        if (status != MAXEND_OK) {
            const char *file = maxend_error_file(error);
            printf("status %u: %s, line %u, column %u\n", (unsigned)status, file ? file : "-",
                   (unsigned)maxend_error_line(error), (unsigned)maxend_error_column(error));
            maxend_error_free(error);
            continue;
        }
        uint64_t count = 0;
        maxend_model_initial(model, &count);
        printf("%u states, %u initial, %u labels, %u warnings\n",
               (unsigned)maxend_graph_num_states(maxend_model_graph(model)), (unsigned)count,
               (unsigned)maxend_model_num_labels(model), (unsigned)maxend_model_num_warnings(model));
        maxend_model_free(model);
    }
    return 0;
}
