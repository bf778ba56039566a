import { isDeepStrictEqual } from 'node:util';
import type { SourceMark } from '../domain/check/sources.ts';
import { MASK } from '../integrations/registry.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { shortened } from '../lib/text/excerpt.ts';
import type { Change, FieldChange } from '../services/provisioning/declaration.ts';
import { fieldName } from '../wire/api/check-fields.ts';

const SIGNS: Readonly<Record<Change['action'], string>> = {
  created: '+',
  updated: '~',
  removed: '-',
  released: '~',
  missing: '!',
  skipped: '!',
  kept: '=',
};

/** What is said of an entry whose fields do not change. */
const REMARKS: Readonly<Partial<Record<Change['action'], string>>> = {
  removed: 'made by this source, no longer in it',
  released: 'no longer in this source, and kept',
  missing: 'missing',
  skipped: 'has no account',
};

/** Characters of a value that a difference shows. */
const MAX_SHOWN = 60;

/** Lines for people: the sign and the entry, and for each field that changes its value before and after. */
export function differenceLines(changes: readonly Change[]): string[] {
  const rows = changes.flatMap(({ action, what, name, fields }) => {
    const left = `${SIGNS[action]} ${what} ${name}`;
    const details = fields.flatMap((field) => fieldDifferences(field, action === 'kept'));
    return (details.length > 0 ? details : [REMARKS[action] ?? '']).map((right) => ({ left, right }));
  });
  const width = Math.max(0, ...rows.filter(({ right }) => right !== '').map(({ left }) => left.length));
  return rows.map(({ left, right }) => (right === '' ? left : `${left.padEnd(width)}  ${right}`));
}

/** The changes with the names that files use, for programs. */
export function namedChanges(changes: readonly Change[]) {
  return changes.map(({ fields, ...change }) => ({
    ...change,
    fields: fields.map(({ setBy, ...field }) => ({
      ...field,
      name: fieldName(field.name),
      ...(setBy !== undefined && { setBy: { ...setBy, at: toIsoSeconds(setBy.at) } }),
    })),
  }));
}

/** Whether applying the file changes the entry. */
export const isDifference = ({ action }: Change): boolean => action !== 'kept';

/** ` (set by alice@example.org, 2026-11-09)`. Empty if nobody has edited the field. */
export function setByRemark(setBy: SourceMark | undefined): string {
  return setBy === undefined ? '' : ` (set by ${setBy.name}, ${toIsoSeconds(setBy.at).slice(0, 10)})`;
}

function fieldDifferences({ name, was, became, setBy }: FieldChange, isKept: boolean): string[] {
  if (isKept) return [`${fieldName(name)}: ${shown(was)} stays, not ${shown(became)}${setByRemark(setBy)}`];
  if (isGroup(was) && isGroup(became)) {
    return [...new Set([...Object.keys(was), ...Object.keys(became)])].flatMap((key) =>
      difference(key, was[key], became[key]),
    );
  }
  return difference(fieldName(name), was, became).map((text) => `${text}${setByRemark(setBy)}`);
}

function difference(name: string, was: unknown, became: unknown): string[] {
  if (was === undefined && became === undefined) return [`${name}: (secret) changed`];
  const [before, after] = [shown(was), shown(became)];
  if (isDeepStrictEqual(was, became)) return before.includes(MASK) ? [`${name}: (secret) changed`] : [];
  return [before === after ? `${name}: changed` : `${name}: ${before} → ${after}`];
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '(none)';
  const text = typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value);
  return shortened(text, MAX_SHOWN);
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
