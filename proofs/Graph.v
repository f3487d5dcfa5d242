(** Graphs, and what it means that a state reaches another. *)

Section Graph.
  Variable V : Type.
  Variable edge : V -> V -> Prop.

  (** A path of any length, also of none. *)
  Inductive reaches : V -> V -> Prop :=
  | here : forall v, reaches v v
  | onward : forall u v w, edge u v -> reaches v w -> reaches u w.

  Lemma reaches_trans : forall u v w, reaches u v -> reaches v w -> reaches u w.
  Proof.
    intros u v w first second. induction first as [v | u t v step rest IH].
    - exact second.
    - exact (onward u t w step (IH second)).
  Qed.

  Lemma reaches_edge : forall u v, edge u v -> reaches u v.
  Proof. intros u v step. exact (onward u v v step (here v)). Qed.

  Lemma reaches_last : forall u v w, reaches u v -> edge v w -> reaches u w.
  Proof.
    intros u v w path step. exact (reaches_trans u v w path (reaches_edge v w step)).
  Qed.

  (** A path of a length. *)
  Inductive path : nat -> V -> V -> Prop :=
  | nowhere : forall v, path 0 v v
  | further : forall n u v w, path n u v -> edge v w -> path (S n) u w.

End Graph.

Lemma reaches_weaken :
  forall V (few many : V -> V -> Prop), (forall u v, few u v -> many u v) ->
  forall u v, reaches V few u v -> reaches V many u v.
Proof.
  intros V few many included u v reached. induction reached as [v | u t v step rest IH].
  - apply here.
  - exact (onward V many u t v (included u t step) IH).
Qed.
