(** What a kernel computes that only ever lowers words by atomic operations, whatever the schedule,
    and however old the values are that its loads see.

    Such a kernel has rules. A rule reads any words, each at any time, computes a value from them,
    and lowers one word to it, atomically: [atomicMin], [atomicAnd], or [atomicOr] where the order is
    turned round. If the value is monotone in the words, then all runs that come to rest end with the
    same words: the greatest ones that no rule would lower, below the first ones. *)

Require Import List Lia Arith.
Import ListNotations.

Section Monotone.
  (** Values, their order, and what is left when one is lowered to another. *)
  Variable A : Type.
  Variable le : A -> A -> Prop.
  Variable meet : A -> A -> A.
  Hypothesis le_refl : forall a, le a a.
  Hypothesis le_trans : forall a b c, le a b -> le b c -> le a c.
  Hypothesis le_antisym : forall a b, le a b -> le b a -> a = b.
  Hypothesis meet_left : forall a b, le (meet a b) a.
  Hypothesis meet_right : forall a b, le (meet a b) b.
  Hypothesis meet_greatest : forall a b c, le c a -> le c b -> le c (meet a b).

  Variable L : Type.
  Hypothesis same_word : forall k l : L, {k = l} + {k <> l}.
  Definition memory := L -> A.
  Definition below (m n : memory) := forall l, le (m l) (n l).

  (** Rules: the word that each lowers, and the value to which it does. *)
  Variable rule : Type.
  Variable word : rule -> L.
  Variable value : rule -> memory -> A.
  Hypothesis monotone : forall r m n, below m n -> le (value r m) (value r n).

  Definition lowered (m : memory) (l : L) (a : A) : memory :=
    fun k => if same_word k l then meet (m l) a else m k.

  (** The memories of a run, the last one first. The values that a rule has seen may be of
      different times. *)
  Inductive run (first : memory) : list memory -> Prop :=
  | started : run first [first]
  | stepped : forall now before r view,
      run first (now :: before) ->
      (forall l, exists seen, In seen (now :: before) /\ view l = seen l) ->
      run first (lowered now (word r) (value r view) :: now :: before).

  (** What holds of all first values, and is kept by rules and by lowering, always holds. *)
  Lemma always : forall first (holds : L -> A -> Prop),
    (forall l, holds l (first l)) ->
    (forall l a b, holds l a -> holds l b -> holds l (meet a b)) ->
    (forall r view, (forall l, holds l (view l)) -> holds (word r) (value r view)) ->
    forall all, run first all -> forall m, In m all -> forall l, holds l (m l).
  Proof.
    intros first holds start keeps rules all ran.
    induction ran as [| now before r view ran IH seen]; intros m member l.
    - destruct member as [is_first | []]. subst m. apply start.
    - destruct member as [is_new | is_old]; [| now apply IH]. subst m. unfold lowered.
      destruct (same_word l (word r)) as [is_l | _]; [subst l | apply IH; now left].
      apply keeps; [apply IH; now left |]. apply rules. intros k.
      destruct (seen k) as [m [is_m equal]]. rewrite equal. now apply IH.
  Qed.

  (** No rule lowers a word, if it sees the words as they are. *)
  Definition at_rest (m : memory) := forall r, le (m (word r)) (value r m).

  (** Nothing falls below what no rule would lower. *)
  Lemma never_below : forall first kept, below kept first -> at_rest kept ->
    forall all, run first all -> forall m, In m all -> below kept m.
  Proof.
    intros first kept start rest all ran. induction ran as [| now before r view ran IH seen].
    - intros m [is_first | []]. now subst.
    - intros m [is_new | is_old]; [| now apply IH]. subst m. intros l. unfold lowered.
      destruct (same_word l (word r)) as [same | _].
      + subst l. apply meet_greatest.
        * apply IH. now left.
        * apply le_trans with (value r kept); [apply rest |]. apply monotone. intros k.
          destruct (seen k) as [m [is_m equal]]. rewrite equal. now apply IH.
      + apply IH. now left.
  Qed.

  Lemma falls : forall first now before, run first (now :: before) -> below now first.
  Proof.
    intros first now before ran. remember (now :: before) as all eqn: is_all.
    revert now before is_all. induction ran as [| now before r view ran IH seen].
    - intros m rest equal. injection equal as same _. subst. intros l. apply le_refl.
    - intros m rest equal. injection equal as same _. subst m. intros l.
      apply le_trans with (now l); [| now apply (IH now before)]. unfold lowered.
      destruct (same_word l (word r)) as [is_l | _]; [subst l; apply meet_left | apply le_refl].
  Qed.

  (** A run that has come to rest holds the greatest words that no rule would lower. *)
  Theorem rest_is_greatest : forall first now before,
    run first (now :: before) -> at_rest now ->
    below now first /\ forall kept, below kept first -> at_rest kept -> below kept now.
  Proof.
    intros first now before ran rest. split; [exact (falls first now before ran) |].
    intros kept start is_kept.
    apply (never_below first kept start is_kept (now :: before) ran). now left.
  Qed.

  (** So it does not matter how it was scheduled. *)
  Theorem all_schedules_agree : forall first now before now' before',
    run first (now :: before) -> at_rest now ->
    run first (now' :: before') -> at_rest now' ->
    forall l, now l = now' l.
  Proof.
    intros first now before now' before' ran rest ran' rest' l.
    destruct (rest_is_greatest first now before ran rest) as [start greatest].
    destruct (rest_is_greatest first now' before' ran' rest') as [start' greatest'].
    apply le_antisym; [now apply greatest' | now apply greatest].
  Qed.

  (** Where each value has a height, and there are so many words, only so many steps lower one:
      every run in which rules are tried again until none does comes to rest. *)
  Variable height : A -> nat.
  Hypothesis height_falls : forall a b, le a b -> a <> b -> height a < height b.
  Hypothesis same_value : forall a b : A, a = b \/ a <> b.
  Variable words : list L.
  Hypothesis words_differ : NoDup words.
  Hypothesis all_words : forall l, In l words.

  Definition heights (m : memory) (among : list L) :=
    fold_right (fun l sum => height (m l) + sum) 0 among.
  Definition total (m : memory) := heights m words.

  Lemma heights_cons : forall m k among,
    heights m (k :: among) = height (m k) + heights m among.
  Proof. reflexivity. Qed.

  Lemma heights_same : forall (m n : memory) among,
    (forall k, In k among -> m k = n k) -> heights m among = heights n among.
  Proof.
    intros m n among. induction among as [| k among IH]; intros same; [reflexivity |].
    rewrite !heights_cons, (same k) by now left. f_equal.
    apply IH. intros l member. apply same. now right.
  Qed.

  Lemma heights_fall : forall (m n : memory) l among, NoDup among -> In l among ->
    (forall k, k <> l -> m k = n k) -> height (m l) < height (n l) ->
    heights m among < heights n among.
  Proof.
    intros m n l among. induction among as [| k among IH]; intros differ member others less.
    - destruct member.
    - apply NoDup_cons_iff in differ as [new differ]. rewrite !heights_cons.
      destruct member as [is_l | member].
      + subst k. rewrite (heights_same m n among); [lia |].
        intros k member. apply others. congruence.
      + rewrite (others k) by congruence. specialize (IH differ member others less). lia.
  Qed.

  Lemma lowering_lowers_total : forall m l a, meet (m l) a <> m l ->
    total (lowered m l a) < total m.
  Proof.
    intros m l a changed. apply (heights_fall (lowered m l a) m l words words_differ (all_words l)).
    - intros k other. unfold lowered. now destruct (same_word k l).
    - unfold lowered. destruct (same_word l l) as [_ | other]; [| congruence].
      apply height_falls; [apply meet_left | assumption].
  Qed.

  (** How many steps of a run have lowered a word. *)
  Inductive lowerings (first : memory) : nat -> list memory -> Prop :=
  | no_lowering : lowerings first 0 [first]
  | in_vain : forall n now before next,
      lowerings first n (now :: before) -> (forall l, next l = now l) ->
      lowerings first n (next :: now :: before)
  | one_more : forall n now before l a,
      lowerings first n (now :: before) -> meet (now l) a <> now l ->
      lowerings first (S n) (lowered now l a :: now :: before).

  Theorem lowerings_are_few : forall first n now before,
    lowerings first n (now :: before) -> n + total now <= total first.
  Proof.
    intros first n now before counted. remember (now :: before) as all eqn: is_all.
    revert now before is_all.
    induction counted
      as [| n now before next counted IH same | n now before l a counted IH changed];
      intros m rest equal; injection equal as is_m _; subst m.
    - lia.
    - replace (total next) with (total now); [now apply (IH now before) |].
      apply heights_same. intros l _. now rewrite same.
    - pose proof (IH now before eq_refl). pose proof (lowering_lowers_total now l a changed). lia.
  Qed.

  Theorem runs_are_counted : forall first all, run first all -> exists n, lowerings first n all.
  Proof.
    intros first all ran. induction ran as [| now before r view ran [n counted] seen].
    - exists 0. apply no_lowering.
    - destruct (same_value (meet (now (word r)) (value r view)) (now (word r))) as [same | differ].
      + exists n. apply in_vain; [assumption |]. intros l. unfold lowered.
        destruct (same_word l (word r)) as [is_l | _]; [now subst l | reflexivity].
      + exists (S n). now apply one_more.
  Qed.
End Monotone.
