import { MAX_KEPT_AGE } from '../../domain/change-marks.ts';
import type { Actor } from '../../domain/people/permission.ts';
import { isTextTrue, type KeptText } from '../../domain/public/kept-text.ts';
import type { PiecewiseAnswer } from '../../lib/answering-threads.ts';
import { ByteBudget } from '../../lib/byte-budget.ts';
import type { Micros } from '../../lib/instant.ts';
import { KeptResults } from '../../lib/kept-results.ts';
import { requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';

const MIB = 1024 * 1024;

/** Metrics of projects for Prometheus that are kept, or are being made to be kept. */
export const METRICS_LIMITS = {
  /** A longer text, of some eight thousand checks, is made for each who asks. */
  maxKeptMetricsBytes: 8 * MIB,
  maxAllKeptMetricsBytes: 32 * MIB,
  maxUnfinishedMetricsBytes: 32 * MIB,
};

/** The size of an entry besides its text. */
const ENTRY_BYTES = 1024;

export interface MetricsText {
  readonly pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[];
  /** Null if it is not known before the text is sent. */
  readonly byteLength: number | null;
}

interface Made extends KeptText {
  readonly projectId: number;
  readonly ownerId: number | null;
  readonly askedAt: Micros;
  /** Null if the text is too long to be kept. */
  readonly pieces: readonly Uint8Array[] | null;
  readonly byteLength: number;
}

/** Asks a thread for the text. */
type AskMetrics = (actor: Actor) => Promise<PiecewiseAnswer<KeptText>>;

/**
 * The metrics of projects. A text is made once for all who ask while it is true, and one at a time for each project. So it
 * does not matter how many servers scrape a project.
 */
export class ProjectMetrics {
  readonly #deps: Pick<Deps, 'store' | 'clock'>;
  readonly #ask: AskMetrics;
  readonly #unfinished = new ByteBudget(METRICS_LIMITS.maxUnfinishedMetricsBytes);
  readonly #kept = new KeptResults<Made>({
    maxSize: METRICS_LIMITS.maxAllKeptMetricsBytes,
    sizeOf: ({ byteLength }) => byteLength + ENTRY_BYTES,
    ownerOf: ({ ownerId }) => ownerId,
    isTrue: (made) => this.#isTrue(made),
  });

  constructor(deps: Pick<Deps, 'store' | 'clock'>, ask: AskMetrics) {
    this.#deps = deps;
    this.#ask = ask;
  }

  async textFor(actor: Actor): Promise<MetricsText> {
    requirePermission(actor, 'metrics.view');
    const { pieces, byteLength } = await this.#kept.get(String(actor.projectId), () => this.#make(actor));
    if (pieces !== null) return { pieces, byteLength };
    const own = await this.#ask(actor);
    return { pieces: own.pieces, byteLength: null };
  }

  async #make(actor: Actor): Promise<Made> {
    const { projectId, ownerId } = actor;
    const askedAt = this.#deps.clock.monotonic();
    const { head, pieces } = await this.#ask(actor);
    return { ...head, projectId, ownerId, askedAt, ...(await this.#collect(pieces)) };
  }

  async #collect(pieces: AsyncIterable<Uint8Array>): Promise<Pick<Made, 'pieces' | 'byteLength'>> {
    const collected: Uint8Array[] = [];
    let byteLength = 0;
    try {
      for await (const piece of pieces) {
        const isTooLong = byteLength + piece.length > METRICS_LIMITS.maxKeptMetricsBytes;
        if (isTooLong || !this.#unfinished.take(piece.length)) return { pieces: null, byteLength: 0 };
        byteLength += piece.length;
        collected.push(piece);
      }
      return { pieces: collected, byteLength };
    } finally {
      this.#unfinished.give(byteLength);
    }
  }

  #isTrue(made: Made): boolean {
    const { clock, store } = this.#deps;
    if (clock.monotonic() - made.askedAt >= MAX_KEPT_AGE) return false;
    // A text that was too long is not tried again before the next second.
    return made.pieces === null || isTextTrue(made, clock.now(), store.marks.of(made.projectId));
  }
}
