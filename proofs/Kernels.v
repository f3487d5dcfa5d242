(** Three uses of the theorem of [Monotone.v]: the kernels of breadth-first search that relax edges,
    reachability, and attractors. Each is right for every graph and every schedule, and whatever old
    values its loads see, once a pass changes nothing. *)

Require Import Graph Bfs Monotone List Bool Lia Arith.
Import ListNotations.

Section Kernels.
  Variable V : Type.
  Hypothesis same_state : forall u v : V, {u = v} + {u <> v}.
  Variable E : Type.
  Variable from to : E -> V.
  (** Sources of a search; targets of an attractor. *)
  Variable is_source : V -> bool.

  Definition edge (u v : V) := exists e, from e = u /\ to e = v.
  Definition source (v : V) := is_source v = true.

  (** * Breadth-first search: [atomicMin] *)

  (** Costs; [None] is infinite. *)
  Definition at_most (a b : option nat) :=
    match a, b with
    | _, None => True
    | None, Some _ => False
    | Some m, Some n => m <= n
    end.

  Definition least (a b : option nat) :=
    match a, b with
    | Some m, Some n => Some (Nat.min m n)
    | Some _, None => a
    | None, _ => b
    end.

  Definition first_cost (v : V) := if is_source v then Some 0 else None.

  (** An edge lowers the cost of its end to one more than that of its source. *)
  Definition relax (e : E) (cost : V -> option nat) := option_map S (cost (from e)).

  Lemma at_most_refl : forall a, at_most a a.
  Proof. intros [a |]; cbn; lia. Qed.

  Lemma at_most_trans : forall a b c, at_most a b -> at_most b c -> at_most a c.
  Proof. intros [a |] [b |] [c |]; cbn; lia. Qed.

  Lemma least_left : forall a b, at_most (least a b) a.
  Proof. intros [a |] [b |]; cbn; lia. Qed.

  Theorem bfs_kernel_right : forall now before,
    run (option nat) least V same_state E to relax first_cost (now :: before) ->
    at_rest (option nat) at_most V E to relax now ->
    is_right V edge source now.
  Proof.
    intros now before ran rest.
    pose (holds := fun v (a : option nat) =>
      forall d, a = Some d -> exists s, source s /\ path V edge d s v).
    assert (attained : forall v, holds v (now v)).
    { apply (always (option nat) least V same_state E to relax first_cost holds)
        with (all := now :: before); [| | | exact ran | now left]; unfold holds.
      - intros v d. unfold first_cost. destruct (is_source v) eqn: is_s; [| discriminate].
        intros equal. injection equal as equal. subst d.
        exists v. split; [assumption | apply nowhere].
      - intros v [a |] [b |] of_a of_b d equal; cbn in equal;
          try (now apply of_a); try (now apply of_b).
        destruct (Nat.min_dec a b); [apply of_a | apply of_b]; congruence.
      - intros e view seen d. unfold relax.
        destruct (view (from e)) as [c |] eqn: is_c; [| discriminate]. cbn.
        intros equal. injection equal as equal. subst d.
        destruct (seen (from e) c is_c) as [s [is_s way]]. exists s. split; [assumption |].
        apply (further V edge c s (from e) (to e) way). now exists e. }
    assert (low : forall n s v, source s -> path V edge n s v -> at_most (now v) (Some n)).
    { intros n s v is_s way. induction way as [v | n s u v way IH [e [of_u of_v]]].
      - pose proof (falls (option nat) at_most least at_most_refl at_most_trans least_left V
          same_state E to relax first_cost now before ran v) as start.
        unfold first_cost in start. now rewrite is_s in start.
      - specialize (IH is_s). specialize (rest e). unfold relax in rest. subst u v.
        destruct (now (from e)) as [c |]; [| destruct IH]. cbn in IH, rest.
        destruct (now (to e)); cbn in *; lia. }
    intros v d. split.
    - intros is_d. split; [exact (attained v d is_d) |]. intros s n is_s way.
      pose proof (low n s v is_s way) as few. now rewrite is_d in few.
    - intros [[s [is_s way]] shortest]. pose proof (low d s v is_s way) as few.
      destruct (now v) as [e |] eqn: is_e; [| destruct few].
      destruct (attained v e is_e) as [t [is_t there]].
      pose proof (shortest t e is_t there). cbn in few. f_equal. lia.
  Qed.

  (** * Marks that are only set: [atomicOr] *)

  Definition is_more (a b : bool) := b = true -> a = true.

  Lemma is_more_refl : forall a, is_more a a.
  Proof. intros a set. exact set. Qed.

  Lemma is_more_trans : forall a b c, is_more a b -> is_more b c -> is_more a c.
  Proof. intros a b c first second set. exact (first (second set)). Qed.

  Lemma or_left : forall a b, is_more (orb a b) a.
  Proof. intros [|] [|]; now unfold is_more. Qed.

  (** An edge marks its end if its source is marked. *)
  Definition follow (e : E) (marked : V -> bool) := marked (from e).

  Theorem reachability_kernel_right : forall now before,
    run bool orb V same_state E to follow is_source (now :: before) ->
    at_rest bool is_more V E to follow now ->
    forall v, now v = true <-> exists s, source s /\ reaches V edge s v.
  Proof.
    intros now before ran rest v. split.
    - revert v.
      pose (holds := fun v (a : bool) =>
        a = true -> exists s, source s /\ reaches V edge s v).
      change (forall v, holds v (now v)).
      apply (always bool orb V same_state E to follow is_source holds) with (all := now :: before);
        [| | | exact ran | now left]; unfold holds.
      + intros v set. exists v. split; [assumption | apply here].
      + intros v a b of_a of_b set. apply orb_prop in set as [set | set]; auto.
      + intros e view seen set. destruct (seen (from e) set) as [s [is_s way]].
        exists s. split; [assumption |].
        apply (reaches_last V edge s (from e) (to e) way). now exists e.
    - intros [s [is_s way]].
      assert (set : now s = true).
      { exact (falls bool is_more orb is_more_refl is_more_trans or_left V same_state E to follow
          is_source now before ran s is_s). }
      clear is_s. induction way as [v | u t v [e [of_u of_t]] way IH]; [assumption |].
      apply IH. subst u t. exact (rest e set).
  Qed.

  (** Choices, each of them the states to which it may lead. A state is attracted if it is a target,
      or if it has a choice, and each of its choices may lead to a state that is attracted. *)
  Variable choices : V -> list (list V).

  Definition attracted (v : V) := forall P : V -> Prop,
    (forall u, source u -> P u) ->
    (forall u, choices u <> [] ->
      (forall c, In c (choices u) -> exists t, In t c /\ P t) -> P u) ->
    P v.

  Definition attract (v : V) (marked : V -> bool) :=
    match choices v with
    | [] => false
    | some => forallb (existsb marked) some
    end.

  Lemma attract_spec : forall v marked, attract v marked = true <->
    choices v <> [] /\
    forall c, In c (choices v) -> exists t, In t c /\ marked t = true.
  Proof.
    intros v marked. unfold attract. destruct (choices v) as [| c rest].
    - split; [discriminate | now intros [some _]].
    - rewrite forallb_forall. split.
      + intros all. split; [discriminate |]. intros d member.
        apply existsb_exists. now apply all.
      + intros [_ all] d member. apply existsb_exists. now apply all.
  Qed.

  Theorem attractor_kernel_right : forall now before,
    run bool orb V same_state V (fun v => v) attract is_source (now :: before) ->
    at_rest bool is_more V V (fun v => v) attract now ->
    forall v, now v = true <-> attracted v.
  Proof.
    intros now before ran rest v. split.
    - revert v. pose (holds := fun v (a : bool) => a = true -> attracted v).
      change (forall v, holds v (now v)).
      apply (always bool orb V same_state V (fun v => v) attract is_source holds)
        with (all := now :: before); [| | | exact ran | now left]; unfold holds.
      + intros v set P targets _. now apply targets.
      + intros v a b of_a of_b set. apply orb_prop in set as [set | set]; auto.
      + intros v view seen set. apply attract_spec in set as [some all].
        intros P targets step. apply step; [assumption |]. intros c member.
        destruct (all c member) as [t [is_t set]]. exists t. split; [assumption |].
        exact (seen t set P targets step).
    - intros is_attracted. apply is_attracted.
      + intros u. exact (falls bool is_more orb is_more_refl is_more_trans or_left V same_state V
          (fun v => v) attract is_source now before ran u).
      + intros u some all. apply rest. apply attract_spec. now split.
  Qed.
End Kernels.
