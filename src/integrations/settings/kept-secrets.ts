import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../lib/fields.ts';
import {
  isMapping,
  isSecret,
  MASK,
  type Setting,
  type SettingTable,
  type Source,
  shownValues,
} from '../kind/setting.ts';
import { placeOf } from '../kind/url-field.ts';

/**
 * Puts stored secrets in the place of masks that were sent back. Absent secrets are kept like masked ones. A mask
 * without a stored secret is a fault. So is a secret that would be sent elsewhere: somebody who cannot read it must not
 * have it sent to themselves.
 */
export function keepMasked(table: SettingTable, given: Source, stored: Source): Source | Fault {
  const edit: Edit = { given, shown: shownValues(table, stored), stored };
  const values: Record<string, unknown> = { ...given };
  for (const [name, before] of Object.entries(stored)) {
    if (Object.hasOwn(given, name) || !isSecret(table, name, before)) continue;
    if (before !== '' && !staysAtAddress(table, name, edit)) return sentElsewhere(name);
  }
  for (const [name, value] of Object.entries(given)) {
    if (!isSecret(table, name, value) || !containsMask(value)) continue;
    const before = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (before == null) return maskOfNothing(name);
    if (before !== '' && !staysAtAddress(table, name, edit)) return sentElsewhere(maskedPart(name, value));
    const kept = restored(value, edit.shown[name], before);
    if (containsMask(kept)) return maskOfNothing(name);
    values[name] = kept;
  }
  return values;
}

/** The given values, and the stored ones as their editor sees them and as they are. */
interface Edit {
  readonly given: Source;
  readonly shown: Source;
  readonly stored: Source;
}

/** Whether the secret is sent to the same scheme, host, port and path as before. */
function staysAtAddress(table: SettingTable, name: string, { given, shown, stored }: Edit): boolean {
  const sentTo = table[name]?.sentTo;
  if (sentTo === undefined) return true;
  const addressIn = (values: Source) => addressOf(table, name, sentTo, values);
  const now = addressIn({ ...shown, ...given });
  if (isDeepStrictEqual(now, addressIn(shown))) return true;
  const place = placeOf(now);
  return place !== null && place === placeOf(addressIn(stored));
}

function addressOf(
  table: SettingTable,
  name: string,
  sentTo: NonNullable<Setting<unknown>['sentTo']>,
  values: Source,
): unknown {
  if ('setting' in sentTo) return values[sentTo.setting] ?? table[sentTo.setting]?.default;
  const value = values[name];
  return isMapping(value) ? value[sentTo.part] : undefined;
}

function sentElsewhere(path: string): Fault {
  return new Fault(`${path} is kept only for the same scheme, host, port and path: give it again`);
}

function maskOfNothing(name: string): Fault {
  return new Fault(`${name} contains a masked value: give the value itself`);
}

/** The setting, or the first part of it that is masked. */
function maskedPart(name: string, value: unknown): string {
  const [part] = isMapping(value) ? (Object.entries(value).find(([, one]) => containsMask(one)) ?? []) : [];
  return part === undefined ? name : `${name}.${part}`;
}

/** The value with its masked parts replaced by the stored ones. */
function restored(given: unknown, shown: unknown, stored: unknown): unknown {
  if (isDeepStrictEqual(given, shown)) return stored;
  if (!isMapping(given) || !isMapping(shown) || !isMapping(stored)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      Object.hasOwn(shown, name) ? restored(value, shown[name], stored[name]) : value,
    ]),
  );
}

function containsMask(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(MASK);
  return typeof value === 'object' && value !== null && Object.values(value).some(containsMask);
}
