import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../lib/instant.ts';
import { type StartReport, startReportText } from './start-report.ts';

const REPORT: StartReport = {
  program: { version: '1.4.0', architecture: 'amd64', node: '26.10', installed: 'image' },
  node: { name: '7f3a', machine: 'pi' },
  site: {
    root: 'https://tocsin.example.org',
    trustedProxies: ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  },
  listens: {
    http: { address: '::', port: 8000 },
    mail: { address: '::', port: 2525, domain: 'ping.example.org' },
  },
  database: {
    engine: 'SQLite',
    version: '3.53',
    place: '/data/tocsin.db',
    bytes: 212_000_000,
    disk: { fileSystem: 'ext4', freeBytes: 41_000_000_000, sync: 4_000 },
  },
  schema: {
    from: 23,
    to: 24,
    took: seconds(1.2),
    copy: '/data/backups/before-1.4.0.db',
    waiting: 0,
    filled: 1,
  },
  watching: {
    checks: { count: 1_204, isEstimate: false },
    projects: { count: 7, isEstimate: false },
    unwatched: seconds(14),
    wasBlind: false,
  },
  backups: { folder: '/data/backups', age: seconds(9 * 3_600) },
  heartbeatEvery: 60,
  warnings: ['METRICS_KEY is not set'],
};

test('a report has a line for each subject', () => {
  assert.equal(
    startReportText(REPORT),
    `Tocsin 1.4.0 (amd64, Node 26.10, image)    node 7f3a on pi
Site      https://tocsin.example.org    trusted proxies: this machine, private networks
Listens   [::]:8000, mail on [::]:2525 for ping.example.org
Database  SQLite 3.53, /data/tocsin.db, 212 MB, ext4, 41 GB free, a sync takes 4 ms
Schema    23 → 24 in 1.2 s; copy before it: /data/backups/before-1.4.0.db
Watching  1,204 checks in 7 projects; last beat 14 s ago, so nothing was missed
Backups   last 9 h ago in /data/backups    Heartbeat every 60 s
Warnings  1: METRICS_KEY is not set (tocsin doctor explains)`,
  );
});

test('a report of a first start on PostgreSQL says what there is not', () => {
  const text = startReportText({
    ...REPORT,
    site: { root: 'http://localhost:8000', trustedProxies: [] },
    listens: { http: { address: '127.0.0.1', port: 8000 }, mail: null },
    database: {
      engine: 'PostgreSQL',
      version: '17.2',
      place: 'db.example.org/tocsin',
      bytes: 9_000,
      disk: null,
    },
    schema: { from: null, to: 24, took: 80_000, copy: null, waiting: 0, filled: 1 },
    watching: {
      checks: { count: 1, isEstimate: false },
      projects: { count: 1, isEstimate: false },
      unwatched: null,
      wasBlind: false,
    },
    backups: null,
    heartbeatEvery: null,
    warnings: [],
  });

  assert.equal(
    text,
    `Tocsin 1.4.0 (amd64, Node 26.10, image)    node 7f3a on pi
Site      http://localhost:8000    trusted proxies: none
Listens   127.0.0.1:8000
Database  PostgreSQL 17.2, db.example.org/tocsin, 9 kB
Schema    new → 24 in 80 ms
Watching  1 check in 1 project; nobody has watched before
Backups   none: BACKUP_DIR is not set    Heartbeat none`,
  );
});

test('a report tells what is unusual', () => {
  const text = startReportText({
    ...REPORT,
    site: { root: 'http://localhost:8000', trustedProxies: ['127.0.0.0/8', '::1/128', '192.0.2.0/24'] },
    database: { ...REPORT.database, disk: { fileSystem: null, freeBytes: null, sync: null } },
    schema: { from: 24, to: 24, took: 2_000, copy: null, waiting: 2, filled: 0.619 },
    watching: {
      checks: { count: 2_500_000, isEstimate: true },
      projects: { count: 10_000, isEstimate: true },
      unwatched: seconds(3 * 86_400),
      wasBlind: true,
    },
    backups: { folder: '/backups', age: null },
    warnings: ['METRICS_KEY is not set', 'the data is on no volume'],
  });

  assert.deepEqual(text.split('\n').slice(1), [
    'Site      http://localhost:8000    trusted proxies: this machine, 192.0.2.0/24',
    'Listens   [::]:8000, mail on [::]:2525 for ping.example.org',
    'Database  SQLite 3.53, /data/tocsin.db, 212 MB',
    'Schema    24; 2 steps for when no older program runs; filling older checks, 61 %',
    'Watching  about 2,500,000 checks in about 10,000 projects; last beat 3 d ago, what fell due since is excused',
    'Backups   none yet in /backups    Heartbeat every 60 s',
    'Warnings  2: METRICS_KEY is not set; the data is on no volume (tocsin doctor explains)',
  ]);
});
