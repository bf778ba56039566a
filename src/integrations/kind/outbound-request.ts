/** A request to a provider, such as one that reports an event. */
export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** Whether the operator has chosen the address. Then it may be private. */
  readonly isOperators?: boolean;
  /** Bytes to read of the answer. 64 KiB by default. */
  readonly maxAnswerBytes?: number;
  /** Hosts to which the receiver connects in turn, on a user's word. They must not be private. */
  readonly passedOnTo?: readonly string[];
}
