/** The second key of two has to come within this time. */
const SEQUENCE_MS = 1_000;

/** A key press and its context. */
export interface KeyPress {
  readonly key: string;
  readonly isMod: boolean;
  readonly isAlt: boolean;
  /** Somebody writes. */
  readonly isTyping: boolean;
  /** Something is open over the page. */
  readonly isCovered: boolean;
}

/** Finds the shortcut of a key. Single keys can be off, and rest while somebody writes or a dialog is open. */
export class ShortcutKeys {
  isOff = false;
  #first: { readonly key: string; readonly at: number } | null = null;

  /** Groups that came later win: a page before the frame around it. */
  find<Shortcut extends { readonly keys: string }>(
    press: KeyPress,
    groups: readonly { readonly shortcuts: readonly Shortcut[] }[],
    now: number,
  ): Shortcut | null {
    const all = groups.toReversed().flatMap(({ shortcuts }) => shortcuts);
    if (press.isMod) return all.find(({ keys }) => keys === `mod+${press.key.toLowerCase()}`) ?? null;
    if (press.isAlt && !press.isCovered)
      return all.find(({ keys }) => keys === `alt+${press.key.toLowerCase()}`) ?? null;
    if (press.isAlt || press.isTyping || press.isCovered || this.isOff) return null;
    const before = this.#first !== null && now - this.#first.at <= SEQUENCE_MS ? this.#first.key : null;
    this.#first = null;
    const second = before === null ? undefined : all.find(({ keys }) => keys === `${before} ${press.key}`);
    if (second !== undefined) return second;
    if (all.some(({ keys }) => keys.startsWith(`${press.key} `))) this.#first = { key: press.key, at: now };
    return all.find(({ keys }) => keys === press.key) ?? null;
  }
}
