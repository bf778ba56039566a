import type { ActPlace, LoggedAct } from '../../domain/people/audit.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import { csvLine } from '../../lib/text/csv.ts';
import { actJson } from './account-export.ts';
import type { LogFormat } from './audit-log-input.ts';

/** Names the place after which the next page begins. Null at the end. */
export function cursorText(next: ActPlace | null): string | null {
  return next && `${next.createdAt}.${next.id}`;
}

/** An entry, with the UUID of the actor. */
export function loggedActJson(act: LoggedAct) {
  return { ...actJson(act), account: act.accountUuid };
}

export const LOG_TYPES: Readonly<Record<LogFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/x-ndjson',
};

const COLUMNS = [
  ...['time', 'actor', 'account', 'means', 'address', 'action'],
  ...['subject_kind', 'subject_id', 'subject_name', 'details'],
];

/** The lines before the entries. */
export function logHeader(format: LogFormat): string {
  return format === 'csv' ? csvLine(COLUMNS) : '';
}

export function logLines(acts: readonly LoggedAct[], format: LogFormat): string {
  const line = format === 'csv' ? csvLineOf : jsonLineOf;
  return acts.map(line).join('');
}

function jsonLineOf(act: LoggedAct): string {
  return `${JSON.stringify(loggedActJson(act))}\n`;
}

function csvLineOf(act: LoggedAct): string {
  const { createdAt, actor, accountUuid, means, remoteAddr, action, subject, details } = act;
  return csvLine([
    ...[toIsoSeconds(createdAt), actor, accountUuid ?? '', means, remoteAddr ?? '', action],
    ...[subject.kind, subject.id, subject.name, JSON.stringify(details)],
  ]);
}
