(** The certificate of strongly connected components is sound: what it accepts are the SCCs. *)

Require Import Graph Order.

Section Scc.
  Variable V : Type.
  Variable edge : V -> V -> Prop.
  Variable class : V -> nat.
  Variable place : V -> nat.
  Variable last : nat.
  Variable root : nat -> V.
  Variable back : V -> nat.

  Definition all (v : V) := True.

  (** S3: every edge that leaves its class leads to a later one. *)
  Definition S3 := forall u v, edge u v -> class u <> class v -> place u < place v.

  Hypothesis places_differ : forall u v, place u = place v -> u = v.
  Hypothesis places_end : forall v, place v <= last.
  Hypothesis together :
    forall u v w, place u < place v -> place v < place w -> class u = class w ->
    class v = class u.

  Lemma never_back : S3 ->
    forall u v, reaches V edge u v -> class u = class v \/ is_later V class place u v.
  Proof.
    intros s3 u v reached. induction reached as [v | u t v step rest IH].
    - now left.
    - destruct (PeanoNat.Nat.eq_dec (class u) (class t)) as [same | differ].
      + destruct IH as [same' | later].
        * left. congruence.
        * right. exact (same_later V class place places_differ together u t v same later).
      + assert (on : is_later V class place u t) by (split; [assumption | now apply s3]).
        right. destruct IH as [same | later].
        * exact (later_same V class place places_differ together u t v on same).
        * exact (later_trans V class place together u t v on later).
  Qed.

  (** Two states are in the same class if and only if each reaches the other. *)
  Theorem scc_certificate_sound :
    S1 V class place edge all root -> S2 V class place edge all root back -> S3 ->
    forall u v, class u = class v <-> reaches V edge u v /\ reaches V edge v u.
  Proof.
    intros s1 s2 s3 u v.
    assert (inner : forall a b, class a = class b -> all a -> all b) by (intros; exact I).
    split.
    - assert (way : forall a b, class a = class b -> reaches V edge a b).
      { intros a b same. apply (reaches_weaken V (inside V class edge) edge).
        - intros x y [step _]. exact step.
        - exact (strongly_connected V class place last places_differ places_end edge all inner
            root back s1 s2 a b I same). }
      intros same. split; now apply way.
    - intros [there again].
      destruct (never_back s3 u v there) as [same | later]; [assumption |].
      destruct (never_back s3 v u again) as [same | later']; [congruence |].
      exfalso. exact (later_irreflexive V class place u u eq_refl
        (later_trans V class place together u v u later later')).
  Qed.
End Scc.
