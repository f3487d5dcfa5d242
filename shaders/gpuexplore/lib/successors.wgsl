//! Computes the successors of the vectors of a tile, by groups of invocations, one for each process
//! (Wijs and Bošnački, 2014, section 3.2). Passes each of them to `offer` of the kernel.
#import explore/lib/network
#import explore/lib/times
#import gpuexplore/lib/tile

/// The entry that each invocation has fetched for its process, if it is of the lowest label of its
/// group: the buffer of figure 4.
var<workgroup> fetched: array<u32, SIZE>;
/// The lowest label of each group.
var<workgroup> lowest: array<atomic<u32>, SIZE>;
/// Whether a group has a label left.
var<workgroup> is_going: atomic<u32>;
var<workgroup> goes_on: u32;

/// Finds the successors of a tile with this many vectors. All invocations call it together.
fn expand_tile(local: u32, size: u32) {
    let group = local / params.processes;
    var entry = 0u;
    var end = 0u;
    if group < size && tile_at[group] != NOWHERE {
        let field = field_of(local % params.processes);
        let row = row_in_tile(group, field);
        take_independent_steps(group, field, row);
        entry = network[row + 1u];
        end = network[row + ROW_WORDS + 1u];
    }
    loop {
        workgroupBarrier();
        if local % params.processes == 0u {
            atomicStore(&lowest[group], NOWHERE);
        }
        if local == 0u {
            atomicStore(&is_going, 0u);
        }
        workgroupBarrier();
        var label = NOWHERE;
        if entry < end {
            label = network[entry];
            // RESULT UNUSED: the lowest of all is read after a barrier.
            atomicMin(&lowest[group], label);
            atomicStore(&is_going, 1u);
        }
        workgroupBarrier();
        let is_lowest = label != NOWHERE && label == atomicLoad(&lowest[group]);
        fetched[local] = select(NOWHERE, entry, is_lowest);
        if local == 0u {
            goes_on = atomicLoad(&is_going);
        }
        if workgroupUniformLoad(&goes_on) == 0u {
            break;
        }
        if is_lowest {
            take_own_steps(group, entry);
            entry += DEPENDENT_WORDS;
        }
    }
}

/// Offers the steps that a process takes by itself.
fn take_independent_steps(group: u32, field: u32, row: u32) {
    let first = network[row];
    let entries = num_independent(row);
    if entries > params.most_ways {
        give_up(entries);
        return;
    }
    for (var i = 0u; i < entries; i++) {
        let at = first + params.entry_words * i;
        var to = 0u;
        if params.entry_words == 1u {
            to = network[at] >> (params.label_bits + 1u);
        } else {
            to = network[at + 1u];
        }
        load_from_tile(group);
        change(field, to);
        offer();
    }
}

/// Offers the steps by the rules of which the process of an entry is the first participant.
fn take_own_steps(group: u32, entry: u32) {
    let rules = network[entry + 3u];
    let num_rules = (network[entry + 4u] - rules) / params.rule_words;
    for (var rule = 0u; rule < num_rules; rule++) {
        synchronise(group, rules + params.rule_words * rule);
    }
}

/// Offers the steps that the participants of a rule take together, if all of them can.
fn synchronise(group: u32, rule: u32) {
    let ways = num_ways(group, rule);
    if ways > params.most_ways {
        give_up(ways);
        return;
    }
    for (var way = 0u; way < ways; way++) {
        load_from_tile(group);
        var rest = way;
        for (var word = 1u; word < params.rule_words; word++) {
            var left = network[rule + word];
            while left != 0u {
                let process = 32u * (word - 1u) + firstTrailingBit(left);
                left &= left - 1u;
                let at = fetched[group * params.processes + process];
                let targets = network[at + 1u];
                var to = network[at + 2u];
                if targets > 1u {
                    to = network[to + rest % targets];
                    rest /= targets;
                }
                change(field_of(process), to);
            }
        }
        offer();
    }
}

/// Returns the number of ways to combine the participants of a rule: 0 if one cannot take part.
fn num_ways(group: u32, rule: u32) -> u32 {
    var ways = 1u;
    for (var word = 1u; word < params.rule_words; word++) {
        var left = network[rule + word];
        while left != 0u {
            let process = 32u * (word - 1u) + firstTrailingBit(left);
            left &= left - 1u;
            work++;
            let at = fetched[group * params.processes + process];
            if at == NOWHERE {
                return 0u;
            }
            ways = times(ways, network[at + 1u]);
        }
    }
    return ways;
}

/// Changes the state of the process of a field.
fn change(field: u32, to: u32) {
    let word = word_of(field);
    let shift = network[field + 1u];
    let mask = network[field + 2u] << shift;
    vector[word] = (vector[word] & ~mask) | (to << shift);
}
