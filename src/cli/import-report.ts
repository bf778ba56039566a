import { toIsoSeconds } from '../lib/instant.ts';
import type { Import } from '../services/importing/import.ts';
import type { ImportResult } from '../services/importing/installation.ts';
import { namedChanges } from './differences.ts';

export interface ReportContext {
  readonly source: Import;
  readonly result: ImportResult;
  readonly isApplied: boolean;
  readonly now: number;
  /** Whether the setting of the server has a value. */
  readonly isSet: (setting: string) => boolean;
  readonly hasObjectStorage: boolean;
}

/** The report as JSON. The text has the same order. */
export type ImportReport = ReturnType<typeof reportOf>;

const PROGRAMS = { healthchecks: 'Healthchecks', kuma: 'Uptime Kuma' } as const;

export function reportOf({ source, result, isApplied, now, isSet, hasObjectStorage }: ReportContext) {
  const { origin, remarks, needs } = source;
  const { bodiesElsewhere, olderPings, digestedKeys, ...carried } = result.carried;
  const counts = {
    accounts: carried.accounts,
    second_factors: carried.secondFactors,
    projects: carried.projects,
    members: carried.members,
    keys: carried.keys + digestedKeys,
    integrations: carried.channels,
    checks: carried.checks,
    tokens: carried.aliases,
    flips: carried.flips,
    pings: carried.pings,
  };
  const isNew = Object.values(counts).some((count) => count > 0) || result.changes.length > 0;
  const missingBodies = hasObjectStorage ? 0 : bodiesElsewhere;
  return {
    applied: isApplied,
    source: {
      program: PROGRAMS[origin.program],
      version: origin.version,
      newest_ping: toIsoSeconds(origin.newestPingAt),
      newest_ping_age: origin.newestPingAt === null ? null : Math.floor((now - origin.newestPingAt) / 1e6),
    },
    carried: counts,
    kept: result.kept,
    changed: isNew ? [...remarks.changed, ...updates(result)] : [],
    not_carried: [
      ...remarks.notCarried,
      ...(olderPings > 0 ? [pingsLeft(olderPings)] : []),
      ...(missingBodies > 0 ? [bodiesLeft(missingBodies)] : []),
    ],
    alerts_nobody: result.alertsNobody,
    needs: needs.filter(({ setting }) => !setting.split(' or ').some(isSet)),
  };
}

/** Entries that were imported before and have changed in the source. */
function updates({ changes }: ImportResult) {
  return namedChanges(changes.filter(({ action }) => action === 'updated')).flatMap(
    ({ what, name, fields }) =>
      fields.map((field) => ({
        entry: `${what} ${name}`,
        field: field.name,
        was: field.was ?? null,
        became: field.became ?? null,
        reason: 'changed in the source',
      })),
  );
}

function pingsLeft(count: number) {
  return {
    what: 'pings',
    name: String(count),
    project: null,
    reason: 'they are older than those that are kept of each check',
    hint: '--history brings more, and the owner has to keep as many',
  };
}

function bodiesLeft(count: number) {
  return {
    what: 'bodies of pings',
    name: String(count),
    project: null,
    reason: 'they are in object storage, which is not set up here',
    hint: 'set S3_BUCKET and the settings beside it as they were',
  };
}

/** Lines of a part that are shown. The JSON has all. */
const MAX_LINES = 20;

/** The report for people. */
export function reportText({ applied, source, carried, ...rest }: ImportReport): string {
  const counts = Object.entries(carried).filter(([, count]) => count > 0);
  const newest =
    source.newest_ping === null ? 'no pings' : `newest ping ${source.newest_ping}, ${ageOf(source)}`;
  const nothing = applied ? 'Nothing was new.' : 'Nothing is new.';
  const numbers = counts.map(([name, count]) => `${name.replaceAll('_', ' ')} ${count}`).join(', ');
  return [
    `${source.program} ${source.version}, ${newest}`,
    counts.length === 0 ? nothing : `${applied ? 'Carried' : 'Would be carried'}: ${numbers}`,
    ...part(
      'Kept as they are here',
      rest.kept.map(({ entry, field, reason }) => `${entry}${field === null ? '' : `, ${field}`}: ${reason}`),
    ),
    ...part(
      'Changed',
      rest.changed.map(
        ({ entry, field, was, became, reason }) =>
          `${entry}, ${field}: ${shown(was)} → ${shown(became)} (${reason})`,
      ),
    ),
    ...part(
      'Not carried',
      rest.not_carried.map(
        ({ what, name, project, reason, hint }) =>
          `${what} ${project === null ? '' : `${project}/`}${name}: ${reason}${hint === null ? '' : `; ${hint}`}`,
      ),
    ),
    ...part('Checks that alert nobody', rest.alerts_nobody),
    ...part(
      'Settings that are missing here',
      rest.needs.map((need) => `${need.setting} for ${need.for}`),
    ),
    '',
    applied ? 'Done.' : 'Nothing was written. --apply does it.',
    '',
  ].join('\n');
}

function part(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MAX_LINES;
  return [
    '',
    `${title}: ${lines.length}`,
    ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more: --report FILE has all`] : []),
  ];
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return '(none)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function ageOf({ newest_ping_age: seconds }: ImportReport['source']): string {
  const hours = Math.floor((seconds ?? 0) / 3_600);
  if (hours < 1) return 'less than an hour ago';
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
}
