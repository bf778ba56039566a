import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';

const t = m.alerts.meaning;

/** What the server foretells, if the next run does not come. */
export interface Foretold {
  readonly down: string;
  /** Messages in order of their times. */
  readonly told: readonly {
    readonly at: string;
    readonly event: 'first' | 'step' | 'again' | 'further_failure';
    readonly channels: readonly { readonly name: string; readonly label: string }[];
  }[];
  /** Until when nobody is told. Null: somebody is, or no integration is assigned. */
  readonly nobody: { readonly until: string | null } | null;
}

/** A piece of the sentence: words, or a time that the page writes. */
export type MeaningPart = string | { readonly at: string };

/** Down at 04:00, Chat and Mail told at 04:00, then Phone at 04:15. */
export function meaningParts({ down, told, nobody }: Foretold): MeaningPart[] {
  const groups = told.flatMap(({ at, event, channels }): MeaningPart[] => [
    `, ${t[event](t.names(channels.map(shownName)))} `,
    { at },
  ]);
  const untold: MeaningPart[] = nobody?.until
    ? [`, ${t.nobodyBefore}`, { at: nobody.until }]
    : [`, ${t.nobody}`];
  return [`${t.down} `, { at: down }, ...(told.length === 0 ? untold : groups), '.'];
}
