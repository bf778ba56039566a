/** A promise that was broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** The check that it was broken to; null where it concerns all. */
  readonly check: string | null;

  constructor(message: string, check: string | null = null) {
    super(message);
    this.check = check;
  }
}
