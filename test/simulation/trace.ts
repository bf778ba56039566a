import { type Instant, toIsoMicros } from '../../src/lib/instant.ts';

interface Line {
  readonly at: Instant;
  readonly text: string;
  /** The check it is about; null for what concerns all. */
  readonly check: string | null;
}

const MAX_LINES = 200_000;
const MAX_PRINTED = 80;

/** The course of events, for people who look for the reason of a violation. */
export class Trace {
  #lines: Line[] = [];
  #digest = 0;

  tell(at: Instant, text: string, check: string | null = null): void {
    this.#lines.push({ at, text, check });
    if (this.#lines.length > MAX_LINES) this.#lines = this.#lines.slice(MAX_LINES / 2);
    for (const character of `${at} ${text}`) {
      this.#digest = Math.imul(this.#digest ^ character.charCodeAt(0), 0x01000193) >>> 0;
    }
  }

  /** Equal for equal courses of events. */
  get digest(): string {
    return this.#digest.toString(16).padStart(8, '0');
  }

  /** The last lines until then about the check, with what happened to everybody meanwhile. */
  about(check: string | null, until: Instant): string[] {
    return this.#lines
      .filter((line) => line.at <= until && (line.check === check || line.check === null))
      .slice(-MAX_PRINTED)
      .map(({ at, text }) => `  ${toIsoMicros(at)}  ${text}`);
  }
}
