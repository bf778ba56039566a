import { shortened } from '../lib/text/excerpt.ts';
import { oneLine } from '../lib/text/one-line.ts';
import type { ChangedField, NotCarried, Remarks } from '../services/importing/import.ts';

/** Enough of a foreign text to recognise it. */
const MAX_SHOWN = 100;
const MAX_REASON = 300;

/** Collects remarks for the report. Texts of the source are cut to a line. */
export class RemarkList implements Remarks {
  readonly changed: ChangedField[] = [];
  readonly notCarried: NotCarried[] = [];

  change(change: ChangedField): void {
    const { entry, was, became } = change;
    this.changed.push({ ...change, entry: shown(entry), was: shownValue(was), became: shownValue(became) });
  }

  leaveOut({ hint = null, project = null, ...left }: LeftOut): void {
    const reason = shown(left.reason, MAX_REASON);
    this.notCarried.push({ ...left, name: shown(left.name), reason, project, hint });
  }
}

/** The remarks of several lists, in their order. */
export function joined(...lists: readonly Remarks[]): Remarks {
  return {
    changed: lists.flatMap(({ changed }) => changed),
    notCarried: lists.flatMap(({ notCarried }) => notCarried),
  };
}

type LeftOut = Pick<NotCarried, 'what' | 'name' | 'reason'> & Partial<Pick<NotCarried, 'project' | 'hint'>>;

function shown(text: string, most = MAX_SHOWN): string {
  return shortened(oneLine(text), most);
}

function shownValue(value: unknown): unknown {
  return typeof value === 'string' ? shown(value) : value;
}
