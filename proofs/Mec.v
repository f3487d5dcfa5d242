(** The certificate of maximal end components is sound: what it accepts are the MECs. *)

Require Import Graph Order Lia Arith.

Section Mec.
  Variable V : Type.
  Variable choice : Type.
  (** The state of a choice, and the states to which it may lead: at least one. *)
  Variable source : choice -> V.
  Variable leads : choice -> V -> Prop.
  Hypothesis leads_somewhere : forall c, exists v, leads c v.

  (** The edges of some choices. *)
  Definition edge_of (among : choice -> Prop) (u v : V) :=
    exists c, among c /\ source c = u /\ leads c v.

  (** States and choices: no choice leaves the states, each state has a choice, and each state
      reaches each other by these choices. *)
  Definition is_end_component (states : V -> Prop) (choices : choice -> Prop) :=
    (forall c, choices c -> states (source c) /\ forall v, leads c v -> states v) /\
    (forall v, states v -> exists c, choices c /\ source c = v) /\
    (forall u v, states u -> states v -> reaches V (edge_of choices) u v) /\
    (exists v, states v).

  (** The states of an end component that are in no larger one. *)
  Definition is_mec (states : V -> Prop) :=
    (exists choices, is_end_component states choices) /\
    forall larger choices, is_end_component larger choices ->
      (forall v, states v -> larger v) -> forall v, larger v -> states v.

  Variable class : V -> nat.
  Variable place : V -> nat.
  Variable last : nat.
  Variable root : nat -> V.
  Variable back : V -> nat.
  (** The classes that are components of the answer; each other state is a class by itself. *)
  Variable is_component : nat -> Prop.

  Hypothesis places_differ : forall u v, place u = place v -> u = v.
  Hypothesis places_end : forall v, place v <= last.
  (** M1. *)
  Hypothesis together :
    forall u v w, place u < place v -> place v < place w -> class u = class w ->
    class v = class u.
  Hypothesis component_or_not : forall k, is_component k \/ ~ is_component k.
  Hypothesis alone : forall u v, ~ is_component (class u) -> class u = class v -> u = v.

  Definition in_component (v : V) := is_component (class v).

  (** A choice all of whose targets are in its class. *)
  Definition is_retained (c : choice) := forall v, leads c v -> class v = class (source c).

  Definition M2 := forall v, in_component v -> exists c, source c = v /\ is_retained c.
  Definition M4 :=
    forall v, ~ in_component v -> ~ exists c, source c = v /\ forall w, leads c w -> w = v.
  Definition O1 := forall c, (exists v, leads c v /\ class v <> class (source c)) ->
    exists v, leads c v /\ is_later V class place (source c) v.

  (** From a path that leaves a class: the edge by which it does. *)
  Lemma leaving : forall (among : choice -> Prop) u v, reaches V (edge_of among) u v ->
    class v <> class u ->
    exists c, among c /\ class (source c) = class u /\ exists t, leads c t /\ class t <> class u.
  Proof.
    intros among u v way. induction way as [v | u t v step rest IH]; intros differ.
    - congruence.
    - destruct (Nat.eq_dec (class t) (class u)) as [same | other].
      + rewrite same in IH. exact (IH differ).
      + destruct step as [c [one [of_u to_t]]]. exists c. repeat split; [assumption | congruence |].
        now exists t.
  Qed.

  (** O1: every end component lies in one class. *)
  Lemma in_one_class : O1 -> forall states choices, is_end_component states choices ->
    forall u v, states u -> states v -> class u = class v.
  Proof.
    intros o1 states choices [closed [_ [connected _]]] u v.
    assert (none : forall n u v, last - place u <= n -> states u -> states v ->
              class v <> class u -> False).
    { intros n. induction n as [| n IH]; intros a b few is_a is_b differ;
        destruct (leaving choices a b (connected a b is_a is_b) differ)
          as [c [one [of_a [t [to_t other]]]]];
        (destruct (o1 c) as [w [to_w later]]; [exists t; split; [assumption | congruence] |]);
        assert (is_w : states w) by (destruct (closed c one) as [_ all]; now apply all);
        pose proof (same_later V class place places_differ together a (source c) w
          (eq_sym of_a) later) as [differ' before];
        pose proof (places_end w).
      - lia.
      - apply (IH w a); [lia | assumption | assumption | congruence]. }
    intros is_u is_v. destruct (Nat.eq_dec (class v) (class u)) as [same | differ]; [congruence |].
    exfalso. exact (none _ u v (le_n _) is_u is_v differ).
  Qed.

  (** The retained choices of one class. *)
  Definition retained_of (k : nat) (c : choice) := is_retained c /\ class (source c) = k.

  Hypothesis m2 : M2.
  Hypothesis m4 : M4.
  Hypothesis o1 : O1.
  (** M3. *)
  Hypothesis s1 : S1 V class place (edge_of is_retained) in_component root.
  Hypothesis s2 : S2 V class place (edge_of is_retained) in_component root back.

  Lemma component_is_end_component : forall k, is_component k -> (exists v, class v = k) ->
    is_end_component (fun v => class v = k) (retained_of k).
  Proof.
    intros k chosen some. split; [| split; [| split; [| assumption]]].
    - intros c [retained of_k]. split; [assumption |]. intros v to_v. rewrite <- of_k.
      now apply retained.
    - intros v of_k. destruct (m2 v) as [c [of_v retained]]; [unfold in_component; congruence |].
      exists c. repeat split; [assumption | congruence | assumption].
    - intros u v of_u of_v.
      assert (inner : forall a b, class a = class b -> in_component a -> in_component b).
      { unfold in_component. intros a b same. now rewrite same. }
      assert (start : in_component u) by (unfold in_component; congruence).
      assert (same := eq_trans of_u (eq_sym of_v)).
      assert (way := strongly_connected V class place last places_differ places_end
        (edge_of is_retained) in_component inner root back s1 s2 u v start same).
      clear start of_v same.
      induction way as [v | u t v [[c [retained [of_c to_t]]] same] rest IH].
      + apply here.
      + apply (onward V _ u t v); [| apply IH; congruence].
        exists c. repeat split; [assumption | congruence | assumption | assumption].
  Qed.

  (** Every component of the answer is a MEC, *)
  Theorem mec_certificate_sound : forall k, is_component k -> (exists v, class v = k) ->
    is_mec (fun v => class v = k).
  Proof.
    intros k chosen some. split.
    - exists (retained_of k). now apply component_is_end_component.
    - intros larger choices is_end included v is_v. destruct some as [u of_u].
      rewrite <- of_u. apply (in_one_class o1 larger choices is_end); [assumption |].
      now apply included.
  Qed.

  (** and every MEC is one of them. *)
  Theorem no_mec_is_missing : forall states, is_mec states ->
    exists k, is_component k /\ forall v, states v <-> class v = k.
  Proof.
    intros states [[choices is_end] maximal].
    pose proof is_end as [closed [has_choice [_ [u is_u]]]].
    assert (one := in_one_class o1 states choices is_end).
    destruct (component_or_not (class u)) as [chosen | not].
    - exists (class u). split; [assumption |]. intros v. split.
      + intros is_v. now apply one.
      + apply (maximal (fun w => class w = class u) (retained_of (class u))).
        * apply component_is_end_component; [assumption | now exists u].
        * intros w is_w. now apply one.
    - exfalso. destruct (has_choice u is_u) as [c [one_of_them of_u]].
      apply (m4 u not). exists c. split; [assumption |]. intros w to_w.
      destruct (closed c one_of_them) as [_ inside]. symmetry. apply alone; [assumption |].
      apply one; [assumption |]. now apply inside.
  Qed.
End Mec.
