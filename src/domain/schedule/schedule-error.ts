/** An expression or a time zone is refused. The message is a sentence that can be shown to its author. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';

  /** The wrong part (`minute`, `day-of-week`, `timezone`, …). Null if the whole is wrong. */
  readonly field: string | null;

  constructor(message: string, field: string | null = null) {
    super(message);
    this.field = field;
  }
}

const MAX_QUOTE = 40;

/** Quotes a part of the author's text. Long text is shortened. */
export function quote(text: string): string {
  const characters = Array.from(text);
  return characters.length > MAX_QUOTE ? `"${characters.slice(0, MAX_QUOTE).join('')}…"` : `"${text}"`;
}
