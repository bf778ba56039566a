import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LineMeaning, readCrontab } from './crontab.ts';
import { MAX_CRONTAB_JOBS } from './crontab-limits.ts';

const read = (text: string, hasUsers: boolean | null = null) =>
  readCrontab(text, { hasUsers, pingEndpoint: 'https://t.example/ping/' });

function short(meaning: LineMeaning): string {
  if (meaning.is === 'job') return `${meaning.expression} ${meaning.tz ?? 'own'}: ${meaning.command}`;
  if (meaning.is === 'broken') return `broken: ${meaning.reason}`;
  return meaning.is === 'zone' ? `zone ${meaning.tz}` : meaning.is;
}

const shorts = (text: string, hasUsers: boolean | null = null) =>
  read(text, hasUsers).lines.map(({ meaning }) => short(meaning));

test('every line of a crontab has a meaning, and a broken one its reason', () => {
  const text = [
    '# Edit this file to introduce tasks to be run by cron.',
    '',
    'SHELL=/bin/bash',
    'MAILTO="ops@example.org"',
    '"PATH" = /usr/bin:/bin',
    '0 3 * * *\t/usr/local/bin/backup.sh --all',
    '*/5 8-18/2 * JAN-mar Mon-Fri sync',
    '@daily /usr/bin/report',
    '@reboot /usr/bin/agent',
    '@fortnightly x',
    '61 * * * * x',
    '0 3 * * *',
    'nonsense',
    '0 4 * * * backup && curl https://t.example/ping/0b1f',
  ].join('\n');
  assert.deepEqual(shorts(text), [
    ...['comment', 'blank', 'setting', 'setting', 'setting'],
    '0 3 * * * own: /usr/local/bin/backup.sh --all',
    '*/5 8-18/2 * JAN-mar Mon-Fri own: sync',
    '0 0 * * * own: /usr/bin/report',
    'reboot',
    'broken: No time is called @fortnightly.',
    `broken: ${reasonOf('61 * * * *')}`,
    'broken: There is no command after the time.',
    'broken: A job has five fields for its time, and then its command.',
    'pings',
  ]);
});

function reasonOf(expression: string): string {
  const [line] = read(`${expression} x`).lines;
  assert.ok(line?.meaning.is === 'broken' && line.meaning.reason.includes('61'));
  return line.meaning.reason;
}

test('a line with a zone holds for the jobs below it, until the next one', () => {
  assert.deepEqual(
    shorts(
      '0 1 * * * a\nCRON_TZ=Europe/Riga\n0 2 * * * b\nTZ = ":UTC"\n0 3 * * * c\nCRON_TZ=Mars/Base\n0 4 * * * d',
    ),
    [
      '0 1 * * * own: a',
      'zone Europe/Riga',
      '0 2 * * * Europe/Riga: b',
      'zone UTC',
      '0 3 * * * UTC: c',
      'broken: No time zone is called Mars/Base.',
      '0 4 * * * UTC: d',
    ],
  );
});

test('users of a system crontab are no part of the command', () => {
  const debian = [
    '# m h dom mon dow user\tcommand',
    '17 *\t* * *\troot\tcd / && run-parts --report /etc/cron.hourly',
    '@daily www-data php /srv/cron.php',
    '-*/15 * * * * root test -x /usr/lib/cron/run-crons',
    '0 3 * * * root',
  ].join('\n');
  const { hasUsers, lines } = read(debian);
  assert.equal(hasUsers, true);
  assert.deepEqual(
    lines.map(({ meaning }) => short(meaning)),
    [
      'comment',
      '17 * * * * own: cd / && run-parts --report /etc/cron.hourly',
      '0 0 * * * own: php /srv/cron.php',
      '*/15 * * * * own: test -x /usr/lib/cron/run-crons',
      'broken: There is no command after the time.',
    ],
  );
  const [, first] = lines;
  assert.equal(first?.meaning.is === 'job' && first.meaning.lead, '17 *\t* * *\troot\t');
  assert.deepEqual(shorts('0 3 * * * backup --all'), ['0 3 * * * own: backup --all']);
  assert.deepEqual(shorts('0 3 * * * backup --all', true), ['0 3 * * * own: --all']);
  assert.deepEqual(shorts('0 3 * * * root x', false), ['0 3 * * * own: root x']);
  assert.deepEqual(shorts('0 3 * * * /bin/x y', true), ['broken: There is no user before the command.']);
});

test('the lines and their ends are the text again, whatever ends them', () => {
  for (const text of ['', 'a\r\n\r\n0 3 * * * x \r\nb', '\n\n', '0 3 * * * x', ' # a\n\t\n0 3 * * * x\n'])
    assert.equal(
      read(text)
        .lines.map(({ text: line, end, meaning }) =>
          meaning.is === 'job' ? meaning.lead + meaning.command + end : line + end,
        )
        .join(''),
      text,
    );
  assert.deepEqual(shorts('0 3 * * * x\r\n# b\r\n'), ['0 3 * * * own: x', 'comment']);
});

test('jobs beyond the most that are made at once are said to be too many', () => {
  const meanings = shorts('0 3 * * * x\n'.repeat(MAX_CRONTAB_JOBS + 2));
  assert.equal(meanings.filter((one) => one === 'too_many').length, 2);
  assert.equal(meanings.length, MAX_CRONTAB_JOBS + 2);
});
