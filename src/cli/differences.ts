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

export type Remarks = Readonly<Partial<Record<Change['action'], string>>>;

/** What is said of an entry whose fields do not change. */
const REMARKS: Remarks = {
  removed: 'made by this source, no longer in it',
  released: 'no longer in this source, and kept',
  missing: 'missing',
  skipped: 'has no account',
};

const SECRET = '(secret)';

/** Characters of a value that a difference shows. */
const MAX_SHOWN = 60;

interface Output {
  readonly isJson: boolean;
  readonly isDryRun: boolean;
}

/** What a command prints of the changes that it has made, or would make. */
export function changesText(
  changes: readonly Change[],
  { isJson, isDryRun }: Output,
  remarks: Remarks = REMARKS,
): string {
  if (isJson) return `${JSON.stringify({ changes: namedChanges(changes) }, null, 2)}\n`;
  if (changes.length === 0) return 'Nothing to change.\n';
  const lines = isDryRun ? differenceLines(changes, remarks) : changeLines(changes);
  return `${lines.join('\n')}\n`;
}

/** Lines for people: the sign and the entry, and for each field that changes its value before and after. */
export function differenceLines(changes: readonly Change[], remarks: Remarks = REMARKS): string[] {
  const rows = changes.flatMap((change) => {
    const { action, what, name } = change;
    const left = `${SIGNS[action]} ${what} ${name}`;
    const details = shownFields(change).flatMap((field) => fieldDifferences(field, action === 'kept'));
    return (details.length > 0 ? details : [remarks[action] ?? '']).map((right) => ({ left, right }));
  });
  const width = Math.max(0, ...rows.filter(({ right }) => right !== '').map(({ left }) => left.length));
  return rows.map(({ left, right }) => (right === '' ? left : `${left.padEnd(width)}  ${right}`));
}

/** A line for each change: `updated check Alpha/heartbeat: timeout, grace`. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ action, what, name, fields }) =>
    fields.length === 0
      ? `${action} ${what} ${name}`
      : `${action} ${what} ${name}: ${fields.map((field) => `${fieldName(field.name)}${setByRemark(field.setBy)}`).join(', ')}`,
  );
}

/** The changes with the names that files use, for programs. */
export function namedChanges(changes: readonly Change[]) {
  return changes.map((change) => ({
    ...{ action: change.action, what: change.what, name: change.name },
    fields: shownFields(change).map(({ setBy, ...field }) => ({
      ...field,
      name: fieldName(field.name),
      ...(setBy !== undefined && { setBy: { ...setBy, at: toIsoSeconds(setBy.at) } }),
    })),
  }));
}

/** What variables hold may be secret: such fields are shown as the file has them. */
function shownFields({ fields, written }: Change): readonly FieldChange[] {
  if (written === undefined) return fields;
  return fields.map((field) => {
    const { name, was, became } = field;
    const key = fieldName(name);
    if (key in written) return { ...field, ...shownValues(was, became, written[key]) };
    if (!isGroup(was) || !isGroup(became)) return field;
    const both = Object.keys(became)
      .filter((one) => one in written)
      .map((one) => [one, shownValues(was[one], became[one], written[one])] as const);
    const side = (which: 'was' | 'became') =>
      Object.fromEntries(both.map(([one, values]) => [one, values[which]]));
    return { ...field, was: { ...was, ...side('was') }, became: { ...became, ...side('became') } };
  });
}

/** The value before may have come from the same variable. Where parts are masked, the file may have these, too. */
function shownValues(was: unknown, became: unknown, written: unknown) {
  if (was === undefined && became === undefined) return { was, became };
  if (isMasked(became)) return { was: MASK, became: MASK };
  return { was: isDeepStrictEqual(was, became) ? written : SECRET, became: written };
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
  if (was === undefined && became === undefined) return [`${name}: ${SECRET} changed`];
  const [before, after] = [shown(was), shown(became)];
  if (isDeepStrictEqual(was, became)) return isMasked(was) ? [`${name}: ${SECRET} changed`] : [];
  return [before === after ? `${name}: changed` : `${name}: ${before} → ${after}`];
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '(none)';
  const text = typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value);
  return shortened(text, MAX_SHOWN);
}

const isMasked = (value: unknown): boolean => JSON.stringify(value ?? null).includes(MASK);

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
