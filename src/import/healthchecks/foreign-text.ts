import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { RemarkList } from '../remarks.ts';

/** An entry of the source that people know by this name in the report. */
export interface About {
  /** `check Alpha/nightly` */
  readonly entry: string;
  readonly remarks: RemarkList;
}

/** A text of the source as it can be stored: without NUL and broken characters, and not longer than `limit`. */
export function storableText(field: string, text: string, limit: number, { entry, remarks }: About): string {
  const clean = text.replaceAll('\0', '').toWellFormed();
  const became = firstCharacters(clean, limit);
  if (became !== text || text.includes('\uFFFD')) {
    const reason =
      became.length < clean.length ? `it is longer than ${limit} characters` : 'it has broken characters';
    remarks.change({ entry, field, was: text, became, reason });
  }
  return became;
}
