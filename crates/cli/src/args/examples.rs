//! The ends of the help texts: examples, and the meaning of exit codes.

/// Below `maxend --help`.
pub(super) const ALL: &str = "\
Examples:
  maxend decompose model.tra                 the maximal end components, as a short table
  maxend decompose model.nm -c N=7,K=2       those of a model in PRISM's language
  maxend cycle-mean model.nm --max           the greatest mean reward of a cycle
  maxend bfs model.nm --target goal          a shortest path to a state with a label
  maxend info model.umb                      what the model is
  maxend build model.nm -o model.umb         its state space, for other tools
  maxend explore net.exp --check deadlock    a network of processes, and a trace to a deadlock
  maxend convert model.tra storm.tra         PRISM's dialect to Storm's, or back
  maxend quotient model.tra -o small.tra     each maximal end component as one state
  maxend cluster --local-processes 4 -- decompose model.nm -c N=7
                                             by four processes that divide the model
  maxend help decompose                      all options of a command

Exit codes:
  0    success
  1    the input, the model or a file is wrong
  2    the command line is wrong
  3    the requested GPU is missing, failed or cannot hold the model, --certify found the answer
       wrong, or another process of a cluster failed or was lost
  4    explore found what it looked for
  130  ended by Ctrl-C, SIGTERM or SIGHUP";

pub(super) const DECOMPOSE: &str = "\
Examples:
  maxend decompose model.tra
  maxend decompose model.tra.gz --components scc -f labels -o labels.txt
  maxend decompose model.nm -c N=7 -f json --choices
  maxend decompose model.prism -c N=7 -f umb -o model.mec.umb
  maxend decompose model.umb --device gpu --certify
  maxend decompose model.tra --search fbt --cache-hops 4 --no-hybrid
  maxend decompose - -f dot < model.tra";

pub(super) const COMPONENTS: &str = "\
Examples:
  maxend components model.tra --of 4
  maxend components model.prism -c N=3 --of goal --limit 3
  maxend components model.umb --of goal --components scc -f json";

pub(super) const CYCLE_MEAN: &str = "\
Examples:
  maxend cycle-mean graph.gr
  maxend cycle-mean model.tra --max --certify          with model.srew or model.trew beside it
  maxend cycle-mean model.prism -c N=3 --rewards load --max
  maxend cycle-mean model.prism --rewards cost --ratio --time delay -f json
  maxend cycle-mean model.umb --rewards load --each -f json";

pub(super) const LONG_RUN: &str = "\
Examples:
  maxend long-run model.prism -c N=3 --rewards load
  maxend long-run model.tra --min --epsilon 1e-9 --each    with model.srew or model.trew beside it
  maxend long-run model.umb --rewards load -f json
  maxend long-run model.nm --label failed --relative         a small average, to six digits
  maxend long-run model.prism --label goal                   the share of steps spent in these states";

pub(super) const BFS: &str = "\
Examples:
  maxend bfs model.prism -c N=3                        how far the states are from the initial ones
  maxend bfs model.tra --from 7 --target 12            a shortest path from one state to another
  maxend bfs model.tra --from-label start --target goal    with model.lab beside it
  maxend bfs model.umb --device gpu --certify -f labels -o distances.txt
  maxend bfs model.tra --search edge --flags 2";

pub(super) const BUILD: &str = "\
Examples:
  maxend build model.nm -c N=7,K=2 -o model.umb
  maxend build model.prism -o model.tra.gz
  maxend build model.nm -o storm.tra --to storm --max-memory 1.5G";

pub(super) const EXPLORE: &str = "\
Examples:
  maxend explore network.exp
  maxend explore network.exp --check deadlock --check livelock
  maxend explore process.aut --find-action error
  maxend explore model.prism -c N=7 --find 'x=3&y>2'
  maxend explore network.exp -o space.aut
  maxend explore network.exp --check deadlock -f json

Exit codes:
  0    nothing was looked for, or nothing was found
  4    something was found, and a shortest trace to it was printed";

pub(super) const CONVERT: &str = "\
Examples:
  maxend convert prism.tra storm.tra
  maxend convert model.umb model.tra
  maxend convert model.tra model.umb --labels other.lab
  maxend convert model.tra.gz - --to storm";

pub(super) const INFO: &str = "\
Examples:
  maxend info model.tra
  maxend info model.nm -c N=7
  maxend info model.umb -f json";

pub(super) const DEVICES: &str = "\
Examples:
  maxend devices
  maxend devices -f json";

pub(super) const COMPLETIONS: &str = "\
Examples:
  bash  maxend completions bash > ~/.local/share/bash-completion/completions/maxend
  zsh   maxend completions zsh > ~/.zfunc/_maxend
        with fpath+=~/.zfunc before compinit in ~/.zshrc
  fish  maxend completions fish > ~/.config/fish/completions/maxend.fish";

pub(super) const MAN: &str = "\
Examples:
  maxend man | man -l -
  maxend man decompose > maxend-decompose.1
  maxend man -o /usr/share/man/man1";

pub(super) const QUOTIENT: &str = "\
Examples:
  maxend quotient model.tra -o quotient.tra
  maxend quotient model.prism -c N=7 --keep goal --stay -o quotient.umb --map states.txt
  maxend quotient model.umb --components scc -o condensation.aut";

pub(super) const CLUSTER: &str = "\
Examples:
  maxend cluster --local-processes 4 -- decompose model.nm -c N=7 --threads 2
  maxend cluster --hosts hosts.txt --process 0 --token-file secret -- decompose model.umb -f json
  maxend cluster --hosts hosts.txt --process 1 --token-file secret -- decompose model.umb -f json

The host file has a line for each process, such as 192.168.7.11:4101, and is the same everywhere. A
process listens at its own address and at no other.";

#[cfg(test)]
mod tests {
    use crate::args::Cli;
    use clap::{CommandFactory as _, Parser as _};

    /// Returns the command lines in a text, without shell operators and without the explanations.
    fn command_lines(text: &str) -> Vec<Vec<&str>> {
        let lines = text.lines().filter_map(|line| {
            let start = line.find("maxend ").filter(|_| line.starts_with(' '))?;
            let line = line[start..].split("   ").next()?;
            let words = line
                .split(' ')
                .take_while(|word| !["|", ">", "<"].contains(word));
            Some(words.collect())
        });
        lines.collect()
    }

    #[test]
    fn examples_are_valid_and_every_command_has_some() {
        let command = Cli::command();
        let commands = command.get_subcommands().chain([&command]);
        for command in commands {
            let name = command.get_name();
            let text = command.get_after_long_help().expect(name).to_string();
            let lines = command_lines(&text);
            assert!(lines.len() > 1, "{name}: {lines:?}");
            for words in lines {
                if words[1] == "help" {
                    continue;
                }
                let parsed = Cli::try_parse_from(&words);
                assert!(parsed.is_ok(), "{words:?}: {}", parsed.unwrap_err());
                assert!(name == "maxend" || words[1] == name, "{words:?}");
            }
        }
    }
}
