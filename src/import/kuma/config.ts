/** Keys that every notification of Kuma has. */
const COMMON = ['id', 'name', 'type', 'isDefault', 'applyExisting', 'active', 'userId'];

/** The settings of a notification in Kuma, and a note which of them were read. */
export class NotificationConfig {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #read = new Set(COMMON);

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** Null if it is not the JSON of an object. */
  static parse(json: string): NotificationConfig | null {
    try {
      const read: unknown = JSON.parse(json);
      return typeof read === 'object' && read !== null && !Array.isArray(read)
        ? new NotificationConfig({ ...read })
        : null;
    } catch {
      return null;
    }
  }

  /** Empty if it is absent, or is neither a text nor a number. */
  text(key: string): string {
    this.#read.add(key);
    const value = Object.hasOwn(this.#values, key) ? this.#values[key] : '';
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' ? value.toWellFormed().trim() : '';
  }

  number(key: string): number | null {
    const text = this.text(key);
    const value = Number(text);
    return text !== '' && Number.isFinite(value) ? value : null;
  }

  flag(key: string): boolean {
    const text = this.text(key);
    return this.#values[key] === true || text === 'true' || text === '1';
  }

  /** The parts of a list that people have written with commas. */
  list(key: string): string[] {
    return this.text(key)
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }

  /** The names of settings that are in use and were not read. */
  unread(): string[] {
    const isUsed = ([, value]: [string, unknown]) => ![undefined, null, false, '', 0].includes(value as null);
    return Object.entries(this.#values)
      .filter(isUsed)
      .map(([key]) => key)
      .filter((key) => !this.#read.has(key) && /^[A-Za-z]{1,40}$/.test(key));
  }
}
