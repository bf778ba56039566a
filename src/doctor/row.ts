import type { Installation } from './installation.ts';
import type { Look } from './look.ts';

/** A part of an installation, and how it is looked at. */
export interface Row {
  readonly name: string;
  /** For the documentation: completes "It looks at …". */
  readonly looksAt: string;
  /** For the documentation: what fails, and what warns. */
  readonly fails: string | null;
  readonly warns: string | null;
  /** Says what it is doing, for the sentence about a look that takes too long. */
  look(installation: Installation, signal: AbortSignal, doing: (step: string) => void): Promise<Look>;
}
