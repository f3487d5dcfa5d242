(** The certificate of an exploration is sound: the states that it accepts are those that are
    reached. *)

Require Import Graph Lia Arith.

Section Explore.
  Variable V : Type.
  Variable edge : V -> V -> Prop.
  Variable initial : V -> Prop.
  (** The states that were found, and for each of them a predecessor and a depth. *)
  Variable found : V -> Prop.
  Variable pred : V -> V.
  Variable depth : V -> nat.

  Definition E1 := forall v, initial v -> found v.
  Definition E2 := forall u v, found u -> edge u v -> found v.
  Definition E3 := forall v, found v ->
    initial v \/ found (pred v) /\ edge (pred v) v /\ depth (pred v) < depth v.

  Theorem exploration_certificate_sound : E1 -> E2 -> E3 ->
    forall v, found v <-> exists i, initial i /\ reaches V edge i v.
  Proof.
    intros e1 e2 e3 v. split.
    - remember (depth v) as n eqn: at_n. revert v at_n.
      induction n as [n smaller] using (well_founded_induction lt_wf).
      intros v at_n is_v. destruct (e3 v is_v) as [first | [is_pred [step less]]].
      + exists v. split; [assumption | apply here].
      + destruct (smaller (depth (pred v))) with (v := pred v) as [i [first way]];
          [lia | reflexivity | assumption |].
        exists i. split; [assumption | exact (reaches_last V edge i (pred v) v way step)].
    - intros [i [first way]]. apply e1 in first.
      induction way as [v | u t v step rest IH]; [assumption |].
      apply IH. exact (e2 u t first step).
  Qed.
End Explore.
