import type { Clock } from '../lib/clock.ts';
import { MICROS_PER_SECOND, type Micros } from '../lib/instant.ts';
import { callEvery, type Timers } from '../lib/timers.ts';
import type { NamedMigration, StorageProgress } from './progress.ts';

/** A migration that takes long is told of this often. */
export const TELL_EVERY_MS = 5_000;

export interface MigrationWatchOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Pick<Timers, 'callAfter'>;
  readonly tell: (progress: StorageProgress) => void;
  /** Asks the server about the running step. Absent: it cannot say anything. */
  readonly askPhase?: () => Promise<string | null>;
}

/**
 * Logs the progress of migrations. For a new database only slow ones are logged: each migration takes milliseconds
 * there, and nobody waits for an upgrade.
 */
export class MigrationWatch implements Disposable {
  readonly #options: MigrationWatchOptions;
  readonly #ticks: Disposable;
  #phase: 'idle' | 'queued' | 'copying' | 'running' = 'idle';
  #since: Micros = 0;
  #migration: NamedMigration | null = null;
  #isNew: boolean | null = null;
  #isTold = false;
  #copiedPercent = 0;
  #phaseOfStep: string | null = null;
  #isAskDue = false;

  constructor(options: MigrationWatchOptions) {
    this.#options = options;
    this.#ticks = callEvery(options.timers, TELL_EVERY_MS / 2, () => this.#halfTick());
  }

  /** Watches a transaction. Its result is null if there was nothing to apply. */
  async run<T extends { readonly toDo: string | null }>(
    transaction: () => Promise<T | null>,
  ): Promise<T | null> {
    try {
      const step = await transaction();
      if (step?.toDo === null) this.#finish();
      return step;
    } finally {
      this.#phase = 'idle';
    }
  }

  /** The transaction has begun, and waits until no other process migrates. */
  queue(): void {
    this.#enter('queued');
    this.#migration = null;
  }

  /** Watches a step that is no transaction. Its result is false if another process makes it. */
  async alone(migration: NamedMigration, step: () => Promise<boolean>): Promise<boolean> {
    this.begin(migration, false);
    try {
      const isDone = await step();
      if (isDone) this.#finish();
      return isDone;
    } finally {
      this.#phase = 'idle';
    }
  }

  begin(migration: NamedMigration, isNewDatabase: boolean): void {
    this.#enter('running');
    this.#migration = migration;
    this.#isNew ??= isNewDatabase;
    this.#isTold = !this.#isNew;
    if (this.#isTold) this.#options.tell({ event: 'migration.started', migration });
  }

  /** Watches the copy that is made before the step. `copy` tells the percentage. */
  async copying(migration: NamedMigration, copy: (tell: (percent: number) => void) => Promise<void>) {
    this.#enter('copying');
    this.#migration = migration;
    this.#copiedPercent = 0;
    this.#tellCopied();
    try {
      await copy((percent) => {
        this.#copiedPercent = percent;
      });
    } finally {
      this.#phase = 'idle';
    }
  }

  /** A table is in use. */
  wait(pauseSeconds: number, reason: string, blockedBy: string | null): void {
    const migration = this.#migration;
    this.#options.tell({ event: 'migration.waiting', migration, pauseSeconds, reason, blockedBy });
  }

  #enter(phase: 'queued' | 'copying' | 'running'): void {
    this.#phase = phase;
    this.#since = this.#options.clock.monotonic();
    this.#phaseOfStep = null;
  }

  #finish(): void {
    if (this.#migration === null || !this.#isTold) return;
    this.#options.tell({
      event: 'migration.finished',
      migration: this.#migration,
      seconds: Math.round(this.#elapsed() * 10) / 10,
    });
  }

  /** The server is asked between two lines, so that none waits for it. */
  #halfTick(): void {
    this.#isAskDue = !this.#isAskDue;
    if (!this.#isAskDue) this.#tick();
    else if (this.#phase === 'running')
      void this.#options.askPhase?.().then(
        (phase) => {
          this.#phaseOfStep = phase;
        },
        () => undefined,
      );
  }

  #tick(): void {
    const seconds = Math.round(this.#elapsed());
    if (this.#phase === 'queued') this.#options.tell({ event: 'migration.queued', seconds });
    if (this.#phase === 'copying') this.#tellCopied();
    if (this.#phase !== 'running' || this.#migration === null) return;
    this.#isTold = true;
    const phase = this.#phaseOfStep;
    this.#options.tell({ event: 'migration.running', migration: this.#migration, seconds, phase });
  }

  #tellCopied(): void {
    if (this.#migration === null) return;
    this.#options.tell({
      event: 'migration.copying',
      migration: this.#migration,
      percent: this.#copiedPercent,
    });
  }

  #elapsed(): number {
    return (this.#options.clock.monotonic() - this.#since) / MICROS_PER_SECOND;
  }

  [Symbol.dispose](): void {
    this.#ticks[Symbol.dispose]();
  }
}
