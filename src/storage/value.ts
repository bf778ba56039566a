export type Scalar = string | number | boolean | null | Uint8Array;

/** A value that can be bound to `$1`. Arrays are allowed only if the dialect has them. */
export type Value = Scalar | readonly Scalar[];
