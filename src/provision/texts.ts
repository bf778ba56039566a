/** The text of a provisioning file. */
export interface ProvisionText {
  readonly path: string;
  readonly content: string;
}

/**
 * The lines of several files, counted through: entries know one number, from which their file follows.
 */
export class Lines {
  readonly #files: readonly { readonly path: string; readonly before: number }[];

  constructor(texts: readonly ProvisionText[]) {
    let before = 0;
    this.#files = texts.map(({ path, content }) => {
      const file = { path, before };
      before += content.split('\n').length;
      return file;
    });
  }

  /** The number of lines before those of the file at this place in the list. */
  before(index: number): number {
    return this.#files[index]?.before ?? 0;
  }

  /** `tocsin.yaml:14`. */
  place(line: number): string {
    const file = this.#files.findLast(({ before }) => before < line) ?? this.#files[0];
    return `${file?.path ?? ''}:${line - (file?.before ?? 0)}`;
  }

  /** Names a line in a sentence: `on line 14`, or with its file if there are several. */
  mention(line: number): string {
    return this.#files.length > 1 ? `at ${this.place(line)}` : `on line ${line}`;
  }
}
