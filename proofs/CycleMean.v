(** The certificate of an optimal cycle mean is sound: a cycle attains the mean p/q, and potentials
    show that no closed walk has a smaller one. *)

Require Import ZArith Lia.
Open Scope Z_scope.

Section CycleMean.
  Variable V : Type.
  (** Edges with their weights; there may be several between two states. *)
  Variable edge : V -> Z -> V -> Prop.

  (** A walk with its length and its weight. *)
  Inductive walk : Z -> Z -> V -> V -> Prop :=
  | nowhere : forall v, walk 0 0 v v
  | further : forall n weight u v w v', walk n weight u v -> edge v w v' ->
      walk (n + 1) (weight + w) u v'.

  (** A closed walk that is not empty. *)
  Definition is_cycle (n weight : Z) := 0 < n /\ exists v, walk n weight v v.

  (** p/q is the least mean of all cycles. *)
  Definition is_least_mean (p q : Z) :=
    (exists n weight, is_cycle n weight /\ q * weight = p * n) /\
    forall n weight, is_cycle n weight -> p * n <= q * weight.

  Definition potentials (p q : Z) (V' : V -> Z) :=
    forall u w v, edge u w v -> 0 <= q * w - p + V' u - V' v.

  Theorem cycle_mean_certificate_sound : forall p q potential n weight,
    0 < q -> is_cycle n weight -> q * weight = p * n -> potentials p q potential ->
    is_least_mean p q.
  Proof.
    intros p q potential n weight _ attained equal holds. split.
    - now exists n, weight.
    - assert (along : forall m total u v, walk m total u v ->
                p * m <= q * total + potential u - potential v).
      { intros m total u v way. induction way as [v | m total u v w v' way IH step].
        - lia.
        - pose proof (holds v w v' step). lia. }
      intros m total [_ [v way]]. pose proof (along m total v v way). lia.
  Qed.
End CycleMean.
