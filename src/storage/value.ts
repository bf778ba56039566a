/** What a column can hold. */
export type Scalar = string | number | boolean | null | Uint8Array;

/** What can be bound to `$1`; arrays only where the dialect has them. */
export type Value = Scalar | readonly Scalar[];
