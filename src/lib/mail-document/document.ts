/** The emphasis of a piece of text. `down` and `up` are the words of a status. */
export type Emphasis = 'strong' | 'faint' | 'down' | 'up';

export interface Piece {
  readonly text: string;
  readonly as: Emphasis;
}

/** A text with emphasised pieces. */
export type Phrase = string | readonly (string | Piece)[];

/** The word of a status. */
export interface Pill {
  readonly tone: 'down' | 'up' | 'quiet';
  readonly word: string;
}

export interface Fact {
  readonly label: string;
  /** Line breaks are kept. */
  readonly value: Phrase;
}

export type RunMark = 'ok' | 'warned' | 'late' | 'failed' | 'missed' | 'skipped' | 'running' | 'unknown';

/** A check among others, with its facts. */
export interface Item {
  readonly name: string;
  /** Behind the name. Empty if there is nothing to say. */
  readonly aside: string;
  readonly text: Phrase;
  /** A line of output. Null if there is none. */
  readonly line: string | null;
}

export interface Column {
  readonly label: string;
  /** In pixels. The first column takes the rest. */
  readonly width?: number;
  readonly isStrong?: boolean;
  /** Left out where there is little room. */
  readonly isMinor?: boolean;
}

/** A table whose first column names the row. The others hold short values. */
export interface Grid {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export interface Link {
  readonly label: string;
  readonly href: string;
}

/** One part of a mail. */
export type Block =
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | ({ readonly kind: 'link' } & Link)
  /** Links beside each other, without a button. */
  | { readonly kind: 'links'; readonly links: readonly Link[] }
  | { readonly kind: 'runs'; readonly marks: readonly RunMark[]; readonly sentence: string }
  /** Lines that a job has written. They are quoted. */
  | ({ readonly kind: 'output'; readonly lines: readonly string[] } & Heading)
  | { readonly kind: 'paragraphs'; readonly heading: Heading | null; readonly texts: readonly Phrase[] }
  /** Short entries under a heading. */
  | {
      readonly kind: 'list';
      readonly heading: Heading;
      readonly items: readonly Item[];
      readonly more: string | null;
    }
  /** A list of items, one above the other, each with room of its own. */
  | { readonly kind: 'entries'; readonly items: readonly Item[]; readonly more: string | null }
  | { readonly kind: 'grid'; readonly heading: Heading; readonly grid: Grid | null; readonly note: string };

export interface Heading {
  readonly heading: string;
  /** Behind the heading. Empty if there is nothing to say. */
  readonly aside: string;
}

/** The content of a mail, before it is written as text and as HTML. Nothing is escaped yet. */
export interface MailDocument {
  /** A single line. */
  readonly subject: string;
  /** The text that mail programs show beside the subject. Empty: they show the beginning of the mail. */
  readonly preview: string;
  /** The sender, such as a project, and the date. */
  readonly top: { readonly from: string; readonly date: string };
  readonly pill: Pill | null;
  readonly title: string;
  /** Null if the title says it all. */
  readonly lead: Phrase | null;
  readonly blocks: readonly Block[];
  readonly foot: Foot;
}

/** Why the reader gets the mail, and how that ends. */
export interface Foot {
  /** The date in full, for the plain text. Empty if it does not matter. */
  readonly date: string;
  readonly why: string;
  /** Null if nobody has subscribed to it. */
  readonly stop: { readonly label: string; readonly href: string } | null;
}

/** A mail as text and as HTML. */
export interface MailText {
  /** A single line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The pieces of a text, all of them with an emphasis or none. */
export function piecesOf(phrase: Phrase): readonly { readonly text: string; readonly as: Emphasis | null }[] {
  const pieces = typeof phrase === 'string' ? [phrase] : phrase;
  return pieces.map((piece) => (typeof piece === 'string' ? { text: piece, as: null } : piece));
}

export function plain(phrase: Phrase): string {
  return piecesOf(phrase)
    .map(({ text }) => text)
    .join('');
}
