/** Where the pings of one check go. It is never printed: its address is a secret. */
export interface Target {
  /** The address of the check, without a slash at its end and without a query. */
  readonly base: string;
  /** Parameters of every ping, such as `create=1`; often empty. */
  readonly query: string;
  /** What lists, locks and messages call the check: its slug, or the beginning of its UUID. */
  readonly label: string;
}

/** What a ping means; a number is an exit status. */
export type Signal = 'start' | 'success' | 'fail' | 'log' | number;

/** A success or a failure. */
export function isResult(signal: Signal): boolean {
  return signal !== 'start' && signal !== 'log';
}

/** An instant by two clocks. Whoever sets the wall clock does not change the time since the machine was started. */
export interface Moment {
  readonly wallMs: number;
  /** Names the time between two starts of the machine; null where the system does not tell. */
  readonly bootId: string | null;
  readonly sinceBootMs: number | null;
}

export interface Ping {
  readonly target: Target;
  readonly signal: Signal;
  /** The run that the ping belongs to: a UUID. */
  readonly rid: string | null;
  readonly at: Moment;
  readonly body: Uint8Array;
}

/** What a server tells with an accepted ping; null where it does not. */
export interface ServerLimits {
  /** The most bytes of a body that it keeps. */
  readonly bodyBytes: number | null;
  /** The greatest age that a late ping may have. Null also means that the server does not know late pings. */
  readonly ageSeconds: number | null;
}

export type Delivery =
  | { readonly kind: 'accepted'; readonly limits: ServerLimits }
  /** The server will not accept this ping later either. */
  | { readonly kind: 'refused'; readonly status: number }
  /** The server may accept this ping later. The reason contains no address. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly retryAfterMs: number | null;
      /** What the server answered; missing where it did not. */
      readonly status?: number;
    };

/** Makes one attempt to send a ping. Attempts of one sender share a connection. */
export interface Sender {
  /** `ageMs` is sent as the age of the ping; null sends an ordinary ping. It never rejects. */
  send(
    ping: Ping,
    options: { readonly ageMs: number | null; readonly until: AbortSignal },
  ): Promise<Delivery>;
  close(): void;
}

/** Keeps pings that could not be delivered, and what servers have told about themselves. None of its methods rejects. */
export interface Spool {
  /** False if the ping is lost. */
  put(ping: Ping): Promise<boolean>;
  /** After pings were put: drops what is too much. Where it is interrupted, the next one goes on. */
  makeRoom(): Promise<void>;
  /** Sends what lies in the folder, oldest first, until all is sent, the signal is given or a connection fails. */
  deliver(sender: Sender, until: AbortSignal): Promise<void>;
  /** What the server of this check has told the last time; null if that is not known. */
  limitsOf(target: Target): Promise<ServerLimits | null>;
  /** `result` is when a success or failure that was just accepted had happened. */
  remember(target: Target, limits: ServerLimits, result?: Moment): Promise<void>;
}
