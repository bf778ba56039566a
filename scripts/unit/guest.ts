/**
 * Runs inside of the emulated machine, as root, below its systemd. It has no package but Node's own modules. Each line that it
 * writes is a result: `{"case", "ok", "seen"}`. Waits are for events; the clock is the emulated one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const RESULTS = '/dev/ttyS1';
const TOCSIN = '/opt/tocsin/bin/tocsin';
const UNIT = '/etc/systemd/system/tocsin.service';
const KEY = 'hcw_0123456789abcdefghijklmnopqr';
const CHECKS = 500;
/** Nothing takes so long, in seconds of the emulated machine. */
const PATIENCE = 240;
/** A node that was killed is started again within this time. */
const MAX_SECONDS_AWAY = 5;
const MAX_SCORE = 15;
const RESTARTS = 3;
const PINGS_A_SECOND = 50;
const NEXT_VERSION = '99.0.0';

function tell(name: string, ok: boolean, seen: unknown): void {
  appendFileSync(RESULTS, `${JSON.stringify({ case: name, ok, seen })}\n`);
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function show(property: string): string {
  return run('systemctl', 'show', 'tocsin', '--property', property, '--value').trim();
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE * 1_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await delay(200);
  }
}

/** The status of an answer on a connection of its own, and its body. Zero where there is none. */
function ask(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ status: 0, body: error.message });
    const asked = request({ host: '127.0.0.1', port: 8000, path, headers, agent: false }, (reply) => {
      let body = '';
      reply.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body }));
      reply.on('error', failed);
    });
    asked.on('error', failed);
    asked.end();
  });
}

interface ListedCheck {
  readonly ping_url: string;
  readonly n_pings: number;
}

async function listed(): Promise<ListedCheck[]> {
  const { status, body } = await ask('/api/v3/checks/', { 'X-Api-Key': KEY });
  if (status !== 200) throw new Error(`the list was answered with ${status} ${body}`);
  return (JSON.parse(body) as { checks: ListedCheck[] }).checks;
}

async function uuidOfFirst(): Promise<string> {
  return new URL((await listed())[0]?.ping_url ?? '').pathname.split('/').at(-1) ?? '';
}

/** Sends a mail by hand, and returns the last answer. */
async function mail(recipient: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: 2525 });
  const lines = [
    'EHLO here',
    'MAIL FROM:<job@example.org>',
    `RCPT TO:<${recipient}>`,
    'DATA',
    'Subject: done\r\n\r\ndone\r\n.',
    'QUIT',
  ];
  let last = '';
  for await (const bytes of socket.setEncoding('utf8')) {
    const text = String(bytes);
    if (/^\d{3}-/.test(text) && !/^\d{3} /m.test(text)) continue;
    if (!text.startsWith('221')) last = text.trim();
    const next = lines.shift();
    if (next === undefined) break;
    socket.write(`${next}\r\n`);
  }
  return last;
}

/** What the service must be able to do. Returns the first thing that it cannot. */
async function fault(): Promise<string | null> {
  try {
    run('systemctl', 'reset-failed', 'tocsin');
  } catch {
    // It has not failed.
  }
  spawnSync('systemctl', ['start', '--no-block', 'tocsin']);
  try {
    await until(
      'it takes pings, or dies',
      async () => hasDied() || (await ask('/api/v3/accepts/')).status === 200,
    );
    if (hasDied()) return `died: ${died()}`;
    const uuid = await uuidOfFirst();
    const { status } = await ask(`/ping/${uuid}`);
    if (status !== 200) return `a ping was answered with ${status}`;
    if ((await listed()).length !== CHECKS) return 'the list is not whole';
    const answer = await mail(`${uuid}@localhost`);
    if (!answer.startsWith('250')) return `a mail was answered with ${answer}`;
    run(TOCSIN, 'backup', '/var/lib/tocsin/copy.db');
    rmSync('/var/lib/tocsin/copy.db');
    await until('the unit has started', () => hasDied() || show('ActiveState') === 'active');
  } catch (error) {
    return hasDied() ? `died: ${died()}` : `${error instanceof Error ? error.message : error}`;
  }
  if (hasDied()) return `died: ${died()}`;
  const points = score();
  return points > MAX_SCORE ? `scores ${points / 10}` : null;
}

const hasDied = () => Number(show('NRestarts')) > 0 || show('ActiveState') === 'failed';
const died = () => {
  const log = run('journalctl', '--unit', 'tocsin', '--lines', '60', '--output', 'cat');
  return log.split('\n').findLast((line) => /status=|error|Error/.test(line)) ?? log.slice(-300);
};

function score(): number {
  const text = run('systemd-analyze', 'security', '--offline=true', '--no-pager', UNIT);
  const [, points = ''] = /exposure level for \S+: (\d+\.\d)/i.exec(text) ?? [];
  return Math.round(Number(points) * 10);
}

function stop(): void {
  run('systemctl', 'stop', 'tocsin');
}

function install(unit: string): void {
  writeFileSync(UNIT, unit);
  run('systemctl', 'daemon-reload');
}

async function main(): Promise<void> {
  const unit = run(TOCSIN, 'unit');
  prepare();
  install(unit);

  writeFileSync('/stamp', '');
  const first = await fault();
  tell('ping, list of 500, mail, backup, and at most 1.5 points', first === null, first ?? score() / 10);

  const before = performance.now();
  const pid = show('MainPID');
  process.kill(Number(pid), 'SIGKILL');
  await until('another process', () => !['0', pid].includes(show('MainPID')));
  const away = (performance.now() - before) / 1_000;
  await until('pings are taken', async () => (await ask('/api/v3/accepts/')).status === 200);
  const back = (performance.now() - before) / 1_000;
  tell('killed, it is started again within five seconds', away <= MAX_SECONDS_AWAY, { away, back });
  await until('the unit has started', () => show('ActiveState') === 'active');

  stop();
  const end = { result: show('Result'), status: show('ExecMainStatus') };
  tell('it stops with success', end.result === 'success' && end.status === '0', end);
  const written = run(
    'find',
    '/',
    '-xdev',
    '-newer',
    '/stamp',
    '-user',
    'tocsin',
    '-not',
    '-path',
    '/var/lib/tocsin*',
  );
  tell('it writes below its state directory alone', written === '', written);

  for (const { without, lines, isNeeded } of TAKEN_AWAY) {
    const changed = lines.reduce((text, [from, to]) => text.replace(from, to), unit);
    if (changed === unit) throw new Error(`the unit has no ${without}`);
    install(changed);
    const found = await fault();
    tell(`without ${without} it ${isNeeded ? 'fails' : 'runs'}`, (found !== null) === isNeeded, found);
    stop();
  }
  await askUnreachableSocket(unit);
  install(unit);
  await restartsBySocket();
}

/** PostgreSQL on the same machine is reached by a socket. There is none here, and the reason tells whether one could be reached. */
async function askUnreachableSocket(unit: string): Promise<void> {
  const seen: string[] = [];
  for (const changed of [unit, unit.replace(/ AF_UNIX/, '')]) {
    install(
      `${changed}\n[Service]\nEnvironmentFile=\nEnvironment=DATABASE_URL= DB=postgres DB_HOST=/run/postgresql\n`,
    );
    const before = run('journalctl', '--unit', 'tocsin', '--lines', '1', '--show-cursor');
    const [, cursor = ''] = /^-- cursor: (.+)$/m.exec(before) ?? [];
    spawnSync('systemctl', ['start', '--no-block', 'tocsin']);
    const reason = () =>
      /ENOENT|EAFNOSUPPORT/.exec(
        run('journalctl', '--unit', 'tocsin', '--output', 'cat', '--after-cursor', cursor),
      )?.[0];
    await until('a reason', () => reason() !== undefined);
    seen.push(reason() ?? '');
    stop();
  }
  tell('without AF_UNIX no socket of PostgreSQL is reached', seen.join() === 'ENOENT,EAFNOSUPPORT', seen);
}

const TAKEN_AWAY: readonly {
  without: string;
  lines: readonly (readonly [RegExp, string])[];
  isNeeded: boolean;
}[] = [
  {
    without: 'setpriority and its error number',
    lines: [
      [/^SystemCallFilter=setpriority\n/m, ''],
      [/^SystemCallErrorNumber=EPERM\n/m, ''],
    ],
    isNeeded: true,
  },
  { without: '@system-service', lines: [[/^SystemCallFilter=@system-service\n/m, '']], isNeeded: true },
  // Sockets of PostgreSQL and of signal-cli, and pipes to commands need it. SQLite does not.
  { without: 'AF_UNIX', lines: [[/ AF_UNIX/, '']], isNeeded: false },
  { without: 'AF_NETLINK', lines: [[/ AF_NETLINK/, '']], isNeeded: false },
];

/** Pings on connections of their own, through restarts. */
async function restartsBySocket(): Promise<void> {
  writeFileSync('/etc/systemd/system/tocsin.socket', run(TOCSIN, 'unit', '--socket'));
  run('systemctl', 'daemon-reload');
  run('systemctl', 'start', 'tocsin.socket', 'tocsin');
  const uuid = await uuidOfFirst();
  const answers = new Map<string, number>();
  const asked: Promise<void>[] = [];
  const ping = () =>
    ask(`/ping/${uuid}`).then(({ status, body }) => {
      const answer = status === 200 ? '200' : `${status} ${body}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    });
  const began = performance.now();
  // As many as are due: a slow turn of this program does not make the rate smaller.
  const pinging = setInterval(() => {
    const due = ((performance.now() - began) * PINGS_A_SECOND) / 1_000;
    while (asked.length < due) asked.push(ping());
  }, 1_000 / PINGS_A_SECOND);
  const times: number[] = [];
  for (let restart = 0; restart <= RESTARTS; restart += 1) {
    if (restart === RESTARTS) upgrade();
    const before = performance.now();
    const pid = show('MainPID');
    run('systemctl', 'restart', '--no-block', 'tocsin');
    await until('another process', () => !['0', pid].includes(show('MainPID')));
    await until('the unit has started', () => show('ActiveState') === 'active');
    times.push((performance.now() - before) / 1_000);
    await delay(1_000);
  }
  clearInterval(pinging);
  await Promise.all(asked);
  const isUpgraded = run('journalctl', '--unit', 'tocsin', '--output', 'cat').includes(
    `Tocsin ${NEXT_VERSION} `,
  );
  const seen = { answers: Object.fromEntries(answers), secondsOfRestarts: times, isUpgraded };
  tell(
    'with the socket unit, three restarts and an upgrade refuse no ping',
    answers.size === 1 && answers.has('200') && isUpgraded,
    seen,
  );
}

/** Puts another version in the place of the running one, as npm does. */
function upgrade(): void {
  const modules = '/opt/tocsin/lib/node_modules';
  run('cp', '--archive', '--link', `${modules}/tocsin-server`, `${modules}/.next`);
  const manifest: unknown = JSON.parse(readFileSync(`${modules}/tocsin-server/package.json`, 'utf8'));
  rmSync(`${modules}/.next/package.json`);
  writeFileSync(
    `${modules}/.next/package.json`,
    JSON.stringify({ ...Object(manifest), version: NEXT_VERSION }),
  );
  renameSync(`${modules}/tocsin-server`, `${modules}/.before`);
  renameSync(`${modules}/.next`, `${modules}/tocsin-server`);
  rmSync(`${modules}/.before`, { recursive: true });
}

function prepare(): void {
  const checks = Array.from(
    { length: CHECKS },
    (_, n) => `      - { slug: check-${n}, name: Check ${n}, timeout: 3600, grace: 300 }`,
  );
  const declaration = `accounts:\n  - email: ops@example.org\nprojects:\n  - name: Alpha\n    owner: ops@example.org\n    keys:\n      read_write: ${KEY}\n    checks:\n${checks.join('\n')}\n`;
  mkdirSync('/etc/tocsin', { recursive: true });
  writeFileSync('/etc/tocsin/declaration.yaml', declaration);
  writeFileSync(
    '/etc/tocsin/tocsin.env',
    'SMTPD_PORT=2525\nPROVISION_FILE=/etc/tocsin/declaration.yaml\nDATABASE_URL=sqlite:/var/lib/tocsin/tocsin.db\n',
    { mode: 0o600 },
  );
  run('useradd', '--system', '--home-dir', '/var/lib/tocsin', '--shell', '/usr/sbin/nologin', 'tocsin');
  // Commands read settings in the working folder.
  writeFileSync('/etc/tocsin/.env', readFileSync('/etc/tocsin/tocsin.env'), { mode: 0o600 });
  process.chdir('/etc/tocsin');
}

try {
  await main();
  tell('end', true, null);
} catch (error) {
  tell('end', false, error instanceof Error ? error.stack : String(error));
} finally {
  spawnSync('systemctl', ['poweroff', '--force']);
}
