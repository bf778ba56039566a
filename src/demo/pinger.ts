import type { IncomingPing } from '../domain/ping/incoming-ping.ts';
import type { Instant } from '../lib/instant.ts';
import { type Step, stepsOf } from './jobs.ts';
import { PROJECTS, uuidOf } from './world.ts';

/** A job that reports to its check. */
interface Reporting {
  readonly uuid: string;
  readonly remoteAddr: string;
  readonly steps: Iterator<Step, void>;
  next: Step | undefined;
}

/** The jobs of all checks, and what they send after an instant. */
export class Pinger {
  readonly #reporting: readonly Reporting[];

  constructor(seed: string, after: Instant) {
    this.#reporting = PROJECTS.flatMap(({ checks }, n) =>
      checks.map((job) => {
        const steps = stepsOf(job, seed, after);
        // Addresses for documentation, by RFC 5737.
        const remoteAddr = `203.0.113.${10 + n}`;
        return { uuid: uuidOf(seed, job), remoteAddr, steps, next: steps.next().value ?? undefined };
      }),
    );
  }

  /** When the next ping is sent. */
  get nextAt(): Instant {
    const all = this.#reporting.map(({ next }) => next?.at ?? Number.POSITIVE_INFINITY);
    return Math.min(...all);
  }

  /** The pings that jobs have sent up to that instant, and that were not taken yet. */
  takeDue(now: Instant): IncomingPing[] {
    const due: { readonly at: Instant; readonly ping: IncomingPing }[] = [];
    for (const reporting of this.#reporting) {
      while (reporting.next !== undefined && reporting.next.at <= now) {
        due.push({ at: reporting.next.at, ping: pingOf(reporting, reporting.next) });
        reporting.next = reporting.steps.next().value ?? undefined;
      }
    }
    return due.toSorted((one, other) => one.at - other.at).map(({ ping }) => ping);
  }
}

function pingOf({ uuid, remoteAddr }: Reporting, { signal, rid, exitStatus, output }: Step): IncomingPing {
  return {
    target: { uuid },
    fault: null,
    ...{ signal, rid, exitStatus, remoteAddr },
    scheme: 'https',
    method: output === null ? 'GET' : 'POST',
    userAgent: 'curl/8.14.1',
    body: output === null ? null : Buffer.from(output),
    mail: null,
  };
}
