import { momentAt } from '../ping.test-support.ts';
import type { Delivery, Moment, Ping, Sender, ServerLimits } from '../ping.ts';
import { FakeTiming } from '../send/timing.test-support.ts';
import type { Files } from './files.ts';
import { SPOOL_LIMITS } from './limits.ts';
import type { SpoolParts } from './parts.ts';
import { SpoolFolder } from './spool.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const NOON = Date.parse('2026-11-15T12:00:00Z');
export const TEST_LIMITS = { ...SPOOL_LIMITS, ageMs: 7 * DAY_MS };
export const NEVER = new AbortController().signal;

/** What servers that know late pings tell. */
export const AWARE: ServerLimits = { bodyBytes: 10_000, ageSeconds: 2_592_000 };
/** What others tell. */
export const UNAWARE: ServerLimits = { bodyBytes: 10_000, ageSeconds: null };

export interface Sent {
  readonly ping: Ping;
  readonly ageMs: number | null;
}

/** A server without a network. */
export class FakeServer implements Sender {
  readonly sent: Sent[] = [];
  answer: (ping: Ping) => Delivery | Promise<Delivery>;

  constructor(limits: ServerLimits = AWARE) {
    this.answer = () => ({ kind: 'accepted', limits });
  }

  async send(ping: Ping, { ageMs }: { readonly ageMs: number | null }): Promise<Delivery> {
    this.sent.push({ ping, ageMs });
    return await this.answer(ping);
  }

  close(): void {}

  /** `label signal`, with the age in seconds where one was sent. */
  words(): string[] {
    return this.sent.map(({ ping, ageMs }) =>
      [ping.target.label, ping.signal, ...(ageMs === null ? [] : [ageMs / 1000])].join(' '),
    );
  }

  bodies(): string[] {
    return this.sent.map(({ ping }) => new TextDecoder().decode(ping.body));
  }
}

let randoms = 0;

/** A spool whose clock stands still until a test moves it. */
export class TestSpool {
  now: Moment = momentAt(NOON, DAY_MS);
  readonly losses: string[] = [];
  readonly details: string[] = [];
  readonly spool: SpoolFolder;

  constructor(files: Files, more: Partial<SpoolParts> = {}) {
    const machine = {
      moment: () => this.now,
      userId: process.getuid?.() ?? null,
      // Counts, so that no two are the same.
      randomUuid: () => `${(randoms++).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
    };
    this.spool = new SpoolFolder({
      path: '/spool',
      files,
      machine,
      // Nobody else is alive.
      processes: { identify: async () => null },
      ownId: 1,
      timing: new FakeTiming(),
      limits: TEST_LIMITS,
      lateAsFreshMs: 10 * MINUTE_MS,
      attemptMs: 4000,
      onLoss: (line) => this.losses.push(line),
      onDetail: (line) => this.details.push(line),
      ...more,
    });
  }

  /** Time passes by both clocks. */
  pass(ms: number): void {
    const { wallMs, sinceBootMs, bootId } = this.now;
    this.now = momentAt(wallMs + ms, sinceBootMs === null ? null : sinceBootMs + ms, bootId);
  }

  /** Somebody sets the clock. */
  setClock(wallMs: number): void {
    this.now = { ...this.now, wallMs };
  }

  restartMachine(bootId: string): void {
    this.now = { ...this.now, bootId, sinceBootMs: 10_000 };
  }
}
