//! Models that use every part of the language, for tests that need text to start from.

/// Modules that synchronise, renaming, formulas, rewards.
pub(crate) const BUFFERS: &str = r#"
mdp
const int N;
const double p = 1/4;
formula full = q1=N; // of the first buffer
global lost : [0..1];
module first
  q1 : [0..N] init 0;
  on1 : bool init true;
  [put] on1 & !full -> (q1'=min(q1+1, N));
  [put] full -> true;
  [move] q1>0 -> (q1'=q1-1);
  [] on1 -> p : (on1'=false) & (lost'=1) + 1-p : true;
endmodule
module second = first [q1=q2, on1=on2, put=move, move=get] endmodule
label "full" = full & q2=N;
rewards "held"
  true : q1+q2;
  [put] full : 1;
endrewards
"#;

/// A Markov chain with weights that depend on the state.
pub(crate) const CHAIN: &str = r"
dtmc
module walk
  x : [-3..3] init 0;
  [] x>-3 & x<3 -> (3+x)/6 : (x'=x-1) + (3-x)/6 : (x'=x+1);
  [] x=0 -> 0.5 : (x'=x+1) + 0.5 : (x'=-1);
endmodule
";

/// Rates, several initial states.
pub(crate) const QUEUE: &str = r"
ctmc
rate arrive = 2.5;
const double serve = 3;
module queue
  n : [0..5];
  up : bool;
  [in] n<5 -> arrive : (n'=max(n+1));
  [out] up & n>0 -> serve*min(n, 2) : (n'=n-1);
  [] true -> 0.1 : (up'=!up);
endmodule
module sink
  k : [0..2];
  [out] true -> 1 : (k'=mod(k+1, 3));
endmodule
init n<2^1 & (up => k!=0 => false) endinit
";

/// `system ... endsystem` with all of its operators.
pub(crate) const SYSTEM: &str = "
nondeterministic
module a
  x : [0..2];
  [s] x<2 -> (x'=x+1);
  [t] x>0 -> (x'=0);
  [] x=1 -> 0.5 : true + 0.5 : (x'=2);
endmodule
module b = a [x=y] endmodule
module c
  z : [0..3];
  [u] z<3 -> (z'=z+1);
  [s] z>0 -> (z'=func(max, z-2, 0));
  [] z=0 -> (z'=1);
endmodule
system \"whole\" (\"pair\" {t<-u} || c) / {s} endsystem
system \"pair\" a |[s]| b endsystem
";

/// A partially observable model.
pub(crate) const MAZE: &str = r#"
pomdp
module maze
  x : [0..3];
  lamp : bool init true;
  [] x=0 -> 0.5 : (x'=1) + 0.5 : (x'=2);
  [east] x>0 & x<3 -> (x'=x+1);
  [west] x>0 & x<3 -> (x'=x-1);
  [stay] x=3 -> (lamp'=false);
endmodule
observables
  lamp
endobservables
observable "end" = x=3 ? 2 : min(x, 1);
"#;

/// A game of two players, one of whom owns a module and an action.
pub(crate) const GAME: &str = "
smg
player one
  left, [b]
endplayer
player two [a] endplayer
module left
  x : [0..3];
  [] x=0 -> 0.5 : (x'=1) + 0.5 : (x'=2);
  [b] x=0 -> (x'=3);
  [a] x=1 -> (x'=0);
  [c] x=1 -> true;
  [c] x=2 -> (x'=3);
endmodule
module right
  y : bool;
  [b] !y -> (y'=true);
endmodule
";

/// A Markov automaton: two machines that fail together, and one that repairs them.
pub(crate) const REPAIR: &str = "
ma
module machines
  up : [0..2] init 2;
  <> up>0 -> 2*up : (up'=up-1);
  [start] up=0 -> 0.5 : true + 0.5 : (up'=1);
  [] up=1 & busy -> (up'=2);
endmodule
module repair
  busy : bool;
  [start] !busy -> (busy'=true);
  <> busy -> 0.25 : (busy'=false) + 1.5 : true;
  <> !busy & up=1 -> 3 : (busy'=true);
endmodule
";

/// Two timed automata, one a renaming of the other, and a variable without bounds.
pub(crate) const TIMED: &str = r#"
pta
const int T = 2;
const int U = 4;
module first
  s : [0..1];
  n : int init 3;
  x : clock;
  invariant (s=0 => x<=T) & (s=1 => x<=2*T) endinvariant
  [a] s=0 & x>=T-2 -> 0.5 : (s'=1) & (x'=0) + 0.5 : (x'=T);
  [] s=1 & x>=T & n>0 -> (s'=0) & (x'=0) & (n'=n-1);
endmodule
module second = first [s=t, n=k, x=y, T=U] endmodule
label "both" = s=1 & t=1;
rewards "r" s=0 : 1; [a] true : 2; endrewards
"#;

/// Intervals of probabilities, which are multiplied where modules synchronise.
pub(crate) const INTERVALS: &str = "
mdp
module left
  x : [0..3];
  [a] x<3 -> [x/6,1/2] : (x'=x+1) + [0.25,1-x/8] : (x'=0);
  [] x=3 -> 0.5 : true + [0,0.5] : (x'=0) + [0,0.5] : (x'=0);
endmodule
module right
  y : bool;
  [a] true -> [0,0.75] : (y'=!y) + [0.5,1] : true;
endmodule
";

/// All samples, with the constants that they leave open.
pub(crate) const ALL: [(&str, &[(&str, &str)]); 9] = [
    (BUFFERS, &[("N", "2")]),
    (CHAIN, &[]),
    (QUEUE, &[]),
    (SYSTEM, &[]),
    (MAZE, &[]),
    (GAME, &[]),
    (REPAIR, &[]),
    (TIMED, &[]),
    (INTERVALS, &[]),
];
