import { MICROS_PER_SECOND, type Micros } from '../lib/instant.ts';

/** What a node has found when it has started. Nothing in it is secret: it is printed, and written to the log. */
export interface StartReport {
  readonly program: {
    readonly version: string;
    readonly architecture: string;
    readonly node: string;
    readonly installed: Installation;
  };
  readonly node: { readonly name: string; readonly machine: string };
  readonly site: { readonly root: string; readonly trustedProxies: readonly string[] };
  readonly listens: {
    readonly http: SocketPlace;
    readonly mail: (SocketPlace & { readonly domain: string }) | null;
  };
  readonly database: {
    readonly engine: 'SQLite' | 'PostgreSQL';
    readonly version: string;
    /** The path of the file, or the server and the name of the database. */
    readonly place: string;
    readonly bytes: number;
    /** Of the file of SQLite. What could not be found out is null. */
    readonly disk: {
      readonly fileSystem: string | null;
      readonly freeBytes: number | null;
      readonly sync: Micros | null;
    } | null;
  };
  readonly schema: {
    /** Null if the database was empty. */
    readonly from: number | null;
    readonly to: number;
    readonly took: Micros;
    /** The copy that was made before. */
    readonly copy: string | null;
    /** Steps that wait until no older program needs the old form. */
    readonly waiting: number;
    /** How much of what a loop adds to older checks is done, from 0 to 1. */
    readonly filled: number;
  };
  readonly watching: {
    readonly checks: Count;
    readonly projects: Count;
    /** The time since anybody watched. Null before the first beat. */
    readonly unwatched: Micros | null;
    /** Whether it was so long that pings may have been missed. */
    readonly wasBlind: boolean;
  };
  readonly backups: { readonly folder: string; readonly age: Micros | null } | null;
  /** Seconds between two requests to another monitor. */
  readonly heartbeatEvery: number | null;
  readonly warnings: readonly string[];
}

export type Installation = 'clone' | 'package' | 'image';

interface SocketPlace {
  readonly address: string;
  readonly port: number;
}

export interface Count {
  readonly count: number;
  /** Whether it was estimated: counting many takes long. */
  readonly isEstimate: boolean;
}

/** The report for people: a heading, and a line for each subject. */
export function startReportText(report: StartReport): string {
  const { program, node, site, backups, heartbeatEvery, warnings } = report;
  const { version, architecture, node: runtime, installed } = program;
  const rows = [
    ['Site', `${site.root}    trusted proxies: ${proxyWords(site.trustedProxies)}`],
    ['Listens', listensWords(report.listens)],
    ['Database', databaseWords(report.database)],
    ['Schema', schemaWords(report.schema)],
    ['Watching', watchingWords(report.watching)],
    ['Backups', `${backupWords(backups)}    ${heartbeatWords(heartbeatEvery)}`],
    ...(warnings.length === 0
      ? []
      : [['Warnings', `${warnings.length}: ${warnings.join('; ')} (tocsin doctor explains)`]]),
  ] as const;
  return [
    `Tocsin ${version} (${architecture}, Node ${runtime}, ${installed})    node ${node.name} on ${node.machine}`,
    ...rows.map(([subject, words]) => `${subject.padEnd(SUBJECT_WIDTH)}${words}`),
  ].join('\n');
}

const SUBJECT_WIDTH = 10;

/** Networks that people know by a name, if all of them are in the list. */
const NAMED_NETWORKS: readonly (readonly [name: string, networks: readonly string[]])[] = [
  ['this machine', ['127.0.0.0/8', '::1/128']],
  ['private networks', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
];

function proxyWords(networks: readonly string[]): string {
  const named = NAMED_NETWORKS.filter(([, all]) => all.every((network) => networks.includes(network)));
  const covered = named.flatMap(([, all]) => all);
  const others = networks.filter((network) => !covered.includes(network));
  return [...named.map(([name]) => name), ...others].join(', ') || 'none';
}

function listensWords({ http, mail }: StartReport['listens']): string {
  return mail === null
    ? socketWords(http)
    : `${socketWords(http)}, mail on ${socketWords(mail)} for ${mail.domain}`;
}

function socketWords({ address, port }: SocketPlace): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function databaseWords({ engine, version, place, bytes, disk }: StartReport['database']): string {
  const { fileSystem = null, freeBytes = null, sync = null } = disk ?? {};
  return [
    `${engine} ${version}`,
    place,
    bytesWords(bytes),
    fileSystem,
    freeBytes === null ? null : `${bytesWords(freeBytes)} free`,
    sync === null ? null : `a sync takes ${spanWords(sync)}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

function schemaWords({ from, to, took, copy, waiting, filled }: StartReport['schema']): string {
  const done = from === to ? String(to) : `${from ?? 'new'} → ${to} in ${spanWords(took)}`;
  return [
    done,
    ...(copy === null ? [] : [`copy before it: ${copy}`]),
    ...(waiting === 0 ? [] : [`${counted(waiting, 'step')} for when no older program runs`]),
    ...(filled === 1 ? [] : [`filling older checks, ${Math.floor(filled * 100)} %`]),
  ].join('; ');
}

function watchingWords({ checks, projects, unwatched, wasBlind }: StartReport['watching']): string {
  const watched = `${countWords(checks, 'check')} in ${countWords(projects, 'project')}`;
  if (unwatched === null) return `${watched}; nobody has watched before`;
  const outcome = wasBlind ? 'what fell due since is excused' : 'so nothing was missed';
  return `${watched}; last beat ${spanWords(unwatched)} ago, ${outcome}`;
}

function backupWords(backups: StartReport['backups']): string {
  if (backups === null) return 'none: BACKUP_DIR is not set';
  return backups.age === null
    ? `none yet in ${backups.folder}`
    : `last ${spanWords(backups.age)} ago in ${backups.folder}`;
}

function heartbeatWords(every: number | null): string {
  return every === null ? 'Heartbeat none' : `Heartbeat every ${every} s`;
}

function countWords({ count, isEstimate }: Count, noun: string): string {
  return isEstimate ? `about ${counted(count, noun)}` : counted(count, noun);
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'] as const;

function bytesWords(bytes: number): string {
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit < BYTE_UNITS.length - 1; unit++) value /= 1000;
  return `${rounded(value)} ${BYTE_UNITS[unit]}`;
}

const SPAN_UNITS: readonly (readonly [unit: string, micros: Micros, below: Micros])[] = [
  ['ms', 1_000, MICROS_PER_SECOND],
  ['s', MICROS_PER_SECOND, 120 * MICROS_PER_SECOND],
  ['min', 60 * MICROS_PER_SECOND, 7_200 * MICROS_PER_SECOND],
  ['h', 3_600 * MICROS_PER_SECOND, 48 * 3_600 * MICROS_PER_SECOND],
];
const DAY = 86_400 * MICROS_PER_SECOND;

/** A span in its largest usual unit. */
function spanWords(span: Micros): string {
  const [unit, micros] = SPAN_UNITS.find(([, , below]) => span < below) ?? ['d', DAY];
  return `${rounded(span / micros)} ${unit}`;
}

/** Small numbers have one decimal. */
function rounded(value: number): string {
  return String(value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value));
}
