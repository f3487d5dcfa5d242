(** The certificate of a breadth-first search is sound and complete: the obligations D1 to D3 hold
    of the distances and of nothing else. *)

Require Import Graph Lia.

Section Bfs.
  Variable V : Type.
  Variable edge : V -> V -> Prop.
  Variable source : V -> Prop.

  (** The distance of each state; [None] if it is not reached. *)
  Definition distances := V -> option nat.

  Definition D1 (dist : distances) := forall v, dist v = Some 0 <-> source v.
  Definition D2 (dist : distances) :=
    forall u v d, edge u v -> dist u = Some d -> exists e, dist v = Some e /\ e <= S d.
  Definition D3 (dist : distances) :=
    forall v d, dist v = Some (S d) -> exists u, edge u v /\ dist u = Some d.

  (** A path of this length leads from some source to [v], and none that is shorter does. *)
  Definition is_distance (v : V) (d : nat) :=
    (exists s, source s /\ path V edge d s v) /\
    forall s n, source s -> path V edge n s v -> d <= n.

  Definition is_right (dist : distances) :=
    forall v d, dist v = Some d <-> is_distance v d.

  Lemma attained : forall dist, D1 dist -> D3 dist ->
    forall d v, dist v = Some d -> exists s, source s /\ path V edge d s v.
  Proof.
    intros dist b1 b3 d. induction d as [| d IH]; intros v is_d.
    - exists v. split; [now apply b1 | apply nowhere].
    - destruct (b3 v d is_d) as [u [step is_u]].
      destruct (IH u is_u) as [s [is_source way]].
      exists s. split; [assumption | exact (further V edge d s u v way step)].
  Qed.

  Lemma bounded : forall dist, D1 dist -> D2 dist ->
    forall n s v, source s -> path V edge n s v -> exists d, dist v = Some d /\ d <= n.
  Proof.
    intros dist b1 b2 n s v is_source way.
    induction way as [v | n s u v way IH step].
    - exists 0. split; [now apply b1 | lia].
    - destruct (IH is_source) as [d [is_d few]].
      destruct (b2 u v d step is_d) as [e [is_e less]].
      exists e. split; [assumption | lia].
  Qed.

  Theorem bfs_certificate_sound :
    forall dist, D1 dist -> D2 dist -> D3 dist -> is_right dist.
  Proof.
    intros dist b1 b2 b3 v d. split.
    - intros is_d. split; [exact (attained dist b1 b3 d v is_d) |].
      intros s n is_source way.
      destruct (bounded dist b1 b2 n s v is_source way) as [e [is_e few]].
      rewrite is_d in is_e. injection is_e as same. lia.
    - intros [[s [is_source way]] least].
      destruct (bounded dist b1 b2 d s v is_source way) as [e [is_e few]].
      destruct (attained dist b1 b3 e v is_e) as [t [is_t shorter]].
      pose proof (least t e is_t shorter). now replace d with e by lia.
  Qed.

  (** A state to which a path leads has a distance, which is no longer than the path. *)
  Lemma known : forall dist, is_right dist ->
    forall k s v, source s -> path V edge k s v -> exists d, dist v = Some d /\ d <= k.
  Proof.
    intros dist right k s v is_source way. destruct (dist v) as [d |] eqn: is_d.
    - exists d. split; [reflexivity |]. apply right in is_d. destruct is_d as [_ least].
      exact (least s k is_source way).
    - exfalso.
      assert (none : forall j, ~ exists t, source t /\ path V edge j t v).
      { intros j. induction j as [j smaller] using (well_founded_induction Wf_nat.lt_wf).
        intros [t [is_t shorter]].
        assert (distance : is_distance v j).
        { split; [now exists t |]. intros a i is_a there.
          destruct (Compare_dec.le_lt_dec j i) as [| less]; [assumption |].
          exfalso. apply (smaller i less). now exists a. }
        apply right in distance. congruence. }
      apply (none k). now exists s.
  Qed.

  Theorem bfs_certificate_complete :
    forall dist, is_right dist -> D1 dist /\ D2 dist /\ D3 dist.
  Proof.
    intros dist right. repeat split.
    - intros is_0. apply right in is_0. destruct is_0 as [[s [is_source way]] _].
      inversion way. subst. assumption.
    - intros is_source. apply right. split.
      + exists v. split; [assumption | apply nowhere].
      + intros. lia.
    - intros u v d step is_d. apply right in is_d. destruct is_d as [[s [is_source way]] _].
      exact (known dist right (S d) s v is_source (further V edge d s u v way step)).
    - intros v d is_d. apply right in is_d. destruct is_d as [[s [is_source way]] least].
      inversion way as [| n a u b shorter step]. subst.
      exists u. split; [assumption |]. apply right. split; [now exists s |].
      intros t n is_t there.
      pose proof (least t (S n) is_t (further V edge n t u v there step)). lia.
  Qed.
End Bfs.
