import { type ButtonVerb, verbsOf } from '../../domain/alert/button.ts';
import type { Channel } from '../../domain/alert/channel.ts';
import type { Check } from '../../domain/check/check.ts';
import { scheduleZone } from '../../domain/check/schedule-words.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import { buttonChoice, labelOf } from '../../integrations/registry.ts';
import type { Instant } from '../../lib/instant.ts';
import { clockText } from '../../lib/text/clock-text.ts';
import { DEFAULT_DATE_STYLE } from '../../lib/text/date-style.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { zoneCity } from '../../lib/zone.ts';
import type { Deps } from '../core/deps.ts';
import { recipientIn } from './channel-links.ts';
import { calledName } from './channel-names.ts';

/** A button before somebody presses it. */
export type ShownButton =
  | {
      readonly kind: 'ready';
      readonly verb: ButtonVerb;
      /** The name of the check, or how many there are. */
      readonly name: string;
      readonly projectName: string;
      /** Why the check is down, or which ones are. */
      readonly cause: string;
      /** Whether it is about several checks. */
      readonly isMany: boolean;
      readonly page: ButtonPage;
    }
  /** There is nothing to press. */
  | { readonly kind: 'told'; readonly text: string };

/** Where to read more. */
export type ButtonPage =
  | { readonly of: 'check'; readonly uniqueKey: string }
  /** The checks of the project that are down, or have the tag. */
  | { readonly of: 'project'; readonly projectUuid: string; readonly tag: string | null };

/** What has become of it, as a sentence. */
export interface PressedButton extends Told {
  /** Null: it was about nothing. */
  readonly page: ButtonPage | null;
}

export interface Told {
  readonly text: string;
  /** A few words that can stand in the place of the buttons. Null if they can be used again. */
  readonly done: string | null;
}

/** Who has pressed it, as far as that is known. */
export interface Presser {
  /** A name that the provider gives the person. Null where nobody knows it. */
  readonly person: string | null;
  readonly remoteAddr: string | null;
  /** Whether messages of the channel reach this person. Absent: whoever knows the address has got it from there. */
  isReader?(channel: Channel): boolean;
}

/** Who has pressed it: for the log, and for those who read the same messages. */
export interface Named {
  readonly by: ActedBy;
  readonly called: string;
}

export const SWITCHED_OFF = 'The buttons of this integration were switched off. Nothing was changed.';

export function isAllowed({ vault }: Pick<Deps, 'vault'>, channel: Channel, verb: ButtonVerb): boolean {
  return verbsOf(buttonChoice(channel, vault)).includes(verb);
}

export function namedIn(deps: Pick<Deps, 'vault'>, channel: Channel, presser: Presser): Named {
  const { person, remoteAddr } = presser;
  const by: ActedBy = { accountId: null, name: nameOf(deps, channel, presser), means: 'link', remoteAddr };
  return { by, called: person ?? by.name };
}

/** The address of a mail; or the person whom a provider names, in that chat; or else what shows such messages. */
function nameOf(deps: Pick<Deps, 'vault'>, channel: Channel, { person }: Presser): string {
  const called = oneLine(calledName(channel, deps.vault));
  const label = labelOf(channel.kind);
  if (person !== null) return `${oneLine(person)} in ${called} (${label})`;
  const address = channel.kind === 'email' ? recipientIn(deps, channel)?.address : undefined;
  if (address !== undefined) return address;
  return `a phone with ${called.startsWith(label) ? called : `${label} ${called}`}`;
}

export function projectNameOf({ name }: { readonly name: string }): string {
  return oneLine(name) || 'unnamed project';
}

/** Nobody knows the zone of the reader: it is that of the schedule, and is named. */
export function timeText({ clock }: Pick<Deps, 'clock'>, check: Check, at: Instant): string {
  const timeZone = scheduleZone(check) ?? 'UTC';
  return `${clockText(at, clock.now(), { ...DEFAULT_DATE_STYLE, timeZone })} ${zoneCity(timeZone)}`;
}
