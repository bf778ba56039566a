/** Screen readers are told one sentence in this time, however much happens. */
const PAUSE_MS = 5_000;
/** The names that a sentence gives. More would take longer to hear than to look up. */
const MAX_SENTENCES = 3;

/** Collects texts for screen readers, and says them at most once in each pause. */
export class Announcer {
  text = '';
  readonly #listeners = new Set<() => void>();
  readonly #after: (ms: number, action: () => void) => void;
  #waiting: string[] = [];
  #isResting = false;

  constructor(after: (ms: number, action: () => void) => void) {
    this.#after = after;
  }

  say(sentence: string): void {
    if (!this.#waiting.includes(sentence)) this.#waiting.push(sentence);
    if (!this.#isResting) this.#speak();
  }

  onText = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #speak(): void {
    this.#isResting = this.#waiting.length > 0;
    if (!this.#isResting) return;
    // The last sentence sums it up.
    this.text = this.#waiting.splice(0).slice(-MAX_SENTENCES).join(' ');
    for (const listener of this.#listeners) listener();
    this.#after(PAUSE_MS, () => this.#speak());
  }
}
