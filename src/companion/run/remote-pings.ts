/**
 * Pings by another process. A Node that cannot replace itself cannot end while a file or a name look-up hangs. There a process
 * that can be killed has files and network, and this one has the job.
 */
import type { Moment } from '../ping.ts';
import type { Looked } from './expected/look.ts';
import type { BodyFor, PingsOptions, Result, RunPings } from './pings.ts';

/** What connects both processes. */
export interface Channel<Out, In> {
  send(message: Out): void;
  listen(take: (message: In) => void): void;
  /** Called once, when the other process is gone. */
  onClose(gone: () => void): void;
  /** Ends the other process. */
  close(): void;
}

export type ToPinger =
  | {
      readonly kind: 'begin';
      readonly argv: readonly string[];
      readonly rid: string | null;
      readonly at: Moment | null;
    }
  | { readonly kind: 'log'; readonly at: Moment; readonly body: number }
  | { readonly kind: 'look'; readonly look: number; readonly startedMs: number }
  | (Omit<Result, 'body'> & { readonly kind: 'end'; readonly body: number })
  /** The time is over. */
  | { readonly kind: 'over' }
  | {
      readonly kind: 'bytes';
      readonly body: number;
      readonly limit: number | null;
      readonly bytes: Uint8Array;
    };

export type FromPinger =
  /** Asks for a body, now that the server's limit is known. */
  | { readonly kind: 'body'; readonly body: number; readonly limit: number | null }
  | { readonly kind: 'secrets'; readonly secrets: readonly string[] }
  | { readonly kind: 'complain' | 'tell'; readonly line: string }
  /** Each ping is delivered or kept, or has been told to be lost. */
  | { readonly kind: 'settled' }
  | { readonly kind: 'looked'; readonly look: number; readonly looked: Looked }
  | { readonly kind: 'done' };

export type PingerChannel = Channel<ToPinger, FromPinger>;

export interface RemoteOptions extends Pick<PingsOptions, 'complain' | 'tell'> {
  readonly argv: readonly string[];
  readonly rid: string | null;
  readonly openChannel: () => PingerChannel;
  readonly learnSecrets: (secrets: readonly string[]) => void;
}

/** The side of the job. */
export class RemotePings implements RunPings {
  readonly #options: RemoteOptions;
  readonly #bodies: BodyFor[] = [];
  readonly #looks: ((looked: Looked) => void)[] = [];
  #channel: PingerChannel | null = null;
  #done: () => void = () => undefined;
  #isGone = false;
  #settled: () => void = () => undefined;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  begin(at: Moment): void {
    this.#open(at);
  }

  log(at: Moment, body: BodyFor): void {
    this.#open(null).send({ kind: 'log', at, body: this.#keep(body) });
  }

  /** Where the other process is gone, nobody looks. */
  look(startedMs: number): Promise<Looked> {
    return new Promise((resolve) => {
      const look = this.#looks.push(resolve) - 1;
      this.#open(null).send({ kind: 'look', look, startedMs });
    });
  }

  async end({ body, ...result }: Result, until: AbortSignal, settled: () => void): Promise<void> {
    this.#settled = settled;
    const channel = this.#open(null);
    const over = () => channel.send({ kind: 'over' });
    const done = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    channel.send({ ...result, kind: 'end', body: this.#keep(body) });
    until.addEventListener('abort', over, { once: true });
    if (until.aborted) over();
    if (this.#isGone) this.#done();
    await done;
    until.removeEventListener('abort', over);
  }

  /** Whatever hangs, hangs there. */
  isClean(): boolean {
    return true;
  }

  close(): void {
    this.#channel?.close();
  }

  #keep(body: BodyFor): number {
    return this.#bodies.push(body) - 1;
  }

  /** `at` is null for a run that never began. */
  #open(at: Moment | null): PingerChannel {
    if (this.#channel !== null) return this.#channel;
    const { argv, rid, openChannel } = this.#options;
    const channel = openChannel();
    this.#channel = channel;
    channel.listen((message) => void this.#take(channel, message));
    channel.onClose(() => {
      this.#isGone = true;
      this.#done();
    });
    channel.send({ kind: 'begin', argv, rid, at });
    return channel;
  }

  async #take(channel: PingerChannel, message: FromPinger): Promise<void> {
    const { complain, tell, learnSecrets } = this.#options;
    switch (message.kind) {
      case 'body': {
        const bytes = (await this.#bodies[message.body]?.(message.limit)) ?? new Uint8Array();
        channel.send({ kind: 'bytes', body: message.body, limit: message.limit, bytes });
        return;
      }
      case 'secrets':
        learnSecrets(message.secrets);
        return;
      case 'complain':
        complain(message.line);
        return;
      case 'tell':
        tell(message.line);
        return;
      case 'settled':
        this.#settled();
        return;
      case 'looked':
        this.#looks[message.look]?.(message.looked);
        return;
      case 'done':
        this.#done();
    }
  }
}

/** The side of files and network. `makePings` knows how pings are sent directly. */
export function servePings(
  channel: Channel<FromPinger, ToPinger>,
  makePings: (begin: ToPinger & { readonly kind: 'begin' }) => RunPings,
): void {
  let pings: RunPings | null = null;
  const over = new AbortController();
  const waiting = new Map<string, (bytes: Uint8Array) => void>();
  const bodyOf =
    (body: number): BodyFor =>
    (limit) =>
      new Promise((resolve) => {
        waiting.set(`${body} ${limit}`, resolve);
        channel.send({ kind: 'body', body, limit });
      });
  channel.listen((message) => {
    switch (message.kind) {
      case 'begin':
        pings = makePings(message);
        if (message.at !== null) pings.begin(message.at);
        return;
      case 'log':
        pings?.log(message.at, bodyOf(message.body));
        return;
      case 'look':
        void pings
          ?.look(message.startedMs)
          .then((looked) => channel.send({ kind: 'looked', look: message.look, looked }));
        return;
      case 'end': {
        const { kind, body, ...result } = message;
        const settled = () => channel.send({ kind: 'settled' });
        const ended = pings?.end({ ...result, body: bodyOf(body) }, over.signal, settled);
        void ended?.finally(() => channel.send({ kind: 'done' }));
        return;
      }
      case 'over':
        over.abort();
        return;
      case 'bytes':
        waiting.get(`${message.body} ${message.limit}`)?.(message.bytes);
    }
  });
}
