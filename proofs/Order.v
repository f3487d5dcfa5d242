(** States in an order that keeps classes together, so that classes are ordered, too; and the
    obligations S1 and S2, which make classes strongly connected (docs/certificates.md). *)

Require Import Graph Lia Arith.

Section Order.
  Variable V : Type.
  (** The class of each state. *)
  Variable class : V -> nat.
  (** The place of each state in the order, which has an end. *)
  Variable place : V -> nat.
  Variable last : nat.
  Hypothesis places_differ : forall u v, place u = place v -> u = v.
  Hypothesis places_end : forall v, place v <= last.
  (** S0, M1: no other state has its place between two of a class. *)
  Hypothesis together :
    forall u v w, place u < place v -> place v < place w -> class u = class w ->
    class v = class u.

  (** A state of a later class. *)
  Definition is_later (u v : V) := class u <> class v /\ place u < place v.

  Lemma later_trans : forall u v w, is_later u v -> is_later v w -> is_later u w.
  Proof.
    intros u v w [differ before] [differ' before']. split; [| lia].
    intros same. apply differ. symmetry. exact (together u v w before before' same).
  Qed.

  Lemma later_same : forall u v w, is_later u v -> class v = class w -> is_later u w.
  Proof.
    intros u v w [differ before] same. split; [congruence |].
    destruct (lt_eq_lt_dec (place u) (place w)) as [[less | equal] | more]; [assumption | |].
    - exfalso. apply differ. apply places_differ in equal. congruence.
    - exfalso. apply differ. pose proof (together w u v more before) as found.
      rewrite found; congruence.
  Qed.

  Lemma same_later : forall u v w, class u = class v -> is_later v w -> is_later u w.
  Proof.
    intros u v w same [differ before]. split; [congruence |].
    destruct (lt_eq_lt_dec (place u) (place w)) as [[less | equal] | more]; [assumption | |].
    - exfalso. apply differ. apply places_differ in equal. congruence.
    - exfalso. apply differ. pose proof (together v w u before more) as found.
      rewrite found; congruence.
  Qed.

  Lemma later_irreflexive : forall u v, class u = class v -> ~ is_later u v.
  Proof. intros u v same [differ _]. exact (differ same). Qed.

  (** The set of edges in question, and the classes in question: those of the states in [is_in]. *)
  Variable edge : V -> V -> Prop.
  Variable is_in : V -> Prop.
  Hypothesis in_by_class : forall u v, class u = class v -> is_in u -> is_in v.
  (** One state of each class, and a number for each state. *)
  Variable root : nat -> V.
  Variable back : V -> nat.

  Definition inside (u v : V) := edge u v /\ class u = class v.

  Definition S1 := forall v, is_in v -> v <> root (class v) ->
    exists u, inside u v /\ place u < place v.

  Definition S2 := forall v, is_in v -> v <> root (class v) ->
    exists w, inside v w /\
    (back w < back v \/
     back w = back v /\ back v <> 0 /\ place v < place w \/
     back w = 0 /\ back v = 0 /\ place w < place v).

  Lemma same_or_not : forall u v : V, u = v \/ u <> v.
  Proof.
    intros u v. destruct (Nat.eq_dec (place u) (place v)) as [same | other].
    - left. now apply places_differ.
    - right. congruence.
  Qed.

  Lemma root_reaches : S1 ->
    forall v, is_in v -> reaches V inside (root (class v)) v.
  Proof.
    intros s1 v. remember (place v) as n eqn: at_n. revert v at_n.
    induction n as [n smaller] using (well_founded_induction lt_wf).
    intros v at_n inner. destruct (same_or_not v (root (class v))) as [is_root | other].
    - rewrite <- is_root. apply here.
    - destruct (s1 v inner other) as [u [[step same] before]].
      rewrite <- same. apply (reaches_last V inside (root (class u)) u v); [| now split].
      apply (smaller (place u)); [lia | reflexivity |].
      apply (in_by_class v u); congruence.
  Qed.

  (** What decreases along the edges of S2. *)
  Definition measure (v : V) :=
    back v * (last + 2) + (if back v =? 0 then place v else last - place v).

  Lemma reaches_root : S2 ->
    forall v, is_in v -> reaches V inside v (root (class v)).
  Proof.
    intros s2 v. remember (measure v) as n eqn: at_n. revert v at_n.
    induction n as [n smaller] using (well_founded_induction lt_wf).
    intros v at_n inner. destruct (same_or_not v (root (class v))) as [is_root | other].
    - rewrite <- is_root. apply here.
    - destruct (s2 v inner other) as [w [[step same] less]].
      apply (onward V inside v w); [now split |]. rewrite same.
      apply (smaller (measure w)); [| reflexivity | now apply (in_by_class v w)].
      subst n. unfold measure. pose proof (places_end v). pose proof (places_end w).
      destruct (Nat.eqb_spec (back v) 0), (Nat.eqb_spec (back w) 0); nia.
  Qed.

  Theorem strongly_connected : S1 -> S2 ->
    forall u v, is_in u -> class u = class v -> reaches V inside u v.
  Proof.
    intros s1 s2 u v inner same. apply (reaches_trans V inside u (root (class u)) v).
    - now apply reaches_root.
    - rewrite same. apply root_reaches; [assumption |]. exact (in_by_class u v same inner).
  Qed.
End Order.
