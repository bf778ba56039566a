import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CURL, jobName, numbered, withPing } from './crontab-command.ts';

const URL = 'https://t.example/ping/u';
const PING = `${CURL} ${URL}`;

test('a command pings its success, its exit status, or its start as well', () => {
  assert.equal(withPing('job.sh', URL, 'success'), `job.sh && ${PING}`);
  assert.equal(withPing('job.sh', URL, 'status'), `job.sh; ${PING}/$?`);
  assert.equal(withPing('job.sh', URL, 'start'), `${PING}/start; job.sh; ${PING}/$?`);
});

test('the ping stands where the shell reads it', () => {
  const success: readonly (readonly [string, string])[] = [
    ['job >/dev/null 2>&1', `job >/dev/null 2>&1 && ${PING}`],
    ['mail -s hi root%Hello%there', `mail -s hi root && ${PING}%Hello%there`],
    [String.raw`echo $(date +\%F) >x`, String.raw`echo $(date +\%F) >x` + ` && ${PING}`],
    ['job # nightly', `job && ${PING} # nightly`],
    ['echo "a # b" \'# c\' x#y', `echo "a # b" '# c' x#y && ${PING}`],
    [String.raw`find /tmp -exec rm {} \;`, String.raw`find /tmp -exec rm {} \;` + ` && ${PING}`],
    ['a; b;', `a; b && ${PING};`],
    ['job  ', `job && ${PING}  `],
    ['job &', `(job && ${PING}) &`],
    ['exec job', `(exec job) && ${PING}`],
    ['test -f x || exit 0; job', `(test -f x || exit 0; job) && ${PING}`],
    ['docker exec app job', `docker exec app job && ${PING}`],
  ];
  for (const [command, expected] of success) assert.equal(withPing(command, URL, 'success'), expected);
});

test('a job is called by the program or the script that it runs', () => {
  const names: readonly (readonly [string, string])[] = [
    ['/usr/local/bin/backup.sh --all', 'backup'],
    ['sync-feed >/dev/null', 'sync-feed'],
    ['cd / && run-parts --report /etc/cron.hourly', 'cron.hourly'],
    ['test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )', 'cron.daily'],
    ['[ -x /usr/bin/certbot ] && certbot -q renew', 'certbot'],
    ['/usr/bin/php8.2 /var/www/html/artisan schedule:run', 'artisan'],
    ['LANG=C nice -n 19 ionice -c3 /opt/dump', 'dump'],
    ['flock -n /tmp/x.lock /opt/import.py', 'import'],
    ['sudo -u www-data timeout 300s php cron.php', 'cron'],
    ['bash -c "/opt/rotate --all"', 'rotate'],
    ['mail -s hi root%Hello', 'mail'],
    ['cd /srv', 'cd /srv'],
  ];
  for (const [command, name] of names) assert.equal(jobName(command), name, command);
  assert.deepEqual(numbered(['a', 'b', 'a', 'a']), ['a', 'b', 'a 2', 'a 3']);
});
