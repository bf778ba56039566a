/** An expression or a time zone that we refuse, and why, in a sentence that can be shown to its author. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';

  /** The part that is wrong (`minute`, `day-of-week`, `timezone`, …), or null when it is the whole. */
  readonly field: string | null;

  constructor(message: string, field: string | null = null) {
    super(message);
    this.field = field;
  }
}

const MAX_QUOTE = 40;

/** Quotes a piece of the author's text, shortened so that a message stays a sentence. */
export function quote(text: string): string {
  const characters = Array.from(text);
  return characters.length > MAX_QUOTE ? `"${characters.slice(0, MAX_QUOTE).join('')}…"` : `"${text}"`;
}
