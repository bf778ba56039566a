import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { channelConfirmationMail } from './channel-confirmation-mail.ts';
import { invitationMail } from './invitation-mail.ts';
import { aDownCheck, aFailedCheck, aReminder, MAILS, NOW, PROJECT_UUID } from './mails.test-support.ts';
import { type Reminder, reminderMail } from './reminder-mail.ts';

const HOUR = seconds(3600);

test('what a stranger calls a project is not in a subject, and is short and no link in the mail', () => {
  const name = 'Your invoice: https://pay.evil.example/x?y please sign in at once with your card';
  const site = { root: 'https://tocsin.example.org', name: 'Tocsin' };
  const invitation = {
    project: { uuid: PROJECT_UUID, name },
    inviter: null,
    role: 'member',
    expiresAt: NOW,
    token: 't',
    site,
  } as const;
  const asked = {
    channel: { uuid: PROJECT_UUID },
    project: { name },
    token: 't',
    email: 'a@example.org',
    site,
  };

  for (const { subject, text, html } of [invitationMail(invitation), channelConfirmationMail(asked)]) {
    assert.doesNotMatch(subject, /invoice|evil/);
    for (const written of [text.replaceAll('\n', ' '), html]) {
      assert.match(written, /“Your invoice: https pay evil example x/);
      assert.doesNotMatch(written, /evil\.example|sign in at once/);
    }
  }
});

suite('a reminder', () => {
  const subjectOf = (count: number, shown = count) =>
    reminderMail(
      aReminder(
        Array.from({ length: shown }, (_, n) => aDownCheck(`job ${n + 1}`)),
        { total: count },
      ),
    ).subject;

  test('names one or two checks in its subject, and counts from three on', () => {
    assert.equal(subjectOf(1), 'Still down: job 1');
    assert.equal(subjectOf(2), 'Still down: job 1 and job 2');
    assert.equal(subjectOf(3), 'Still down: job 1 and 2 more');
    assert.equal(subjectOf(1002, 20), 'Still down: job 1 and 1001 more');
  });

  test('has one block for each check: since when, why, the next run and the last line of output', () => {
    const { text } = reminderMail(aReminder([aDownCheck('db-backup'), aFailedCheck('nightly-etl')]));

    assert.match(
      text,
      /^\* db-backup · for 2 h\n {2}Since 07:31\. No ping for 26 h\. It was due 06:31; 1 h of grace ran out\n {2}at 07:31\. Next run Thu 06:31\.\n\* nightly-etl · for 2 h 43 min\n {2}Since 06:48\. Exit status 2 after 46 min \(usually 31 min\)\. Next run Thu\n {2}06:31\.\n {2}connection to db-1:5432 refused$/m,
    );
  });

  test('tells what is not shown, and the one link leads to the project', () => {
    const { text, html } = reminderMail(aReminder([aDownCheck('a')], { total: 8 }));

    assert.match(text, /^\+ 7 more$/m);
    assert.match(html, />\+ 7 more</);
    assert.match(
      text,
      new RegExp(`^Open Acme:\nhttps://tocsin.example.org/projects/${PROJECT_UUID}/checks/$`, 'm'),
    );
  });

  const leadOf = (overrides: Partial<Reminder>) =>
    reminderMail(aReminder([aDownCheck('a'), aFailedCheck('b')], overrides)).text.replaceAll('\n', ' ');

  test('tells whether something new went down since the last one', () => {
    assert.match(
      leadOf({ lastAt: NOW - HOUR }),
      /Down since 07:31 and 06:48 · both began within 43 min\. Nothing new went down since the last reminder at 08:31\./,
    );
    assert.match(leadOf({ lastAt: NOW - 2 * HOUR - 1 }), /43 min\. a went down since the last reminder/);
    assert.doesNotMatch(leadOf({ lastAt: null }), /last reminder/);
  });

  test('tells what came back since the last one, and when the next one comes', () => {
    const told = leadOf({ lastAt: NOW - HOUR, recovered: [{ name: 'c', at: NOW - seconds(60) }] });

    assert.match(told, /Since the last reminder c came back at 09:30\./);
    assert.match(told, /every hour while something is down, the next at 10:31\. It stops by itself\./);
  });
});

suite('notices', () => {
  test('a check that flaps is named, with how often it changed', () => {
    assert.equal(MAILS.flapping?.subject, 'The check "Nightly backup" is flapping');
    assert.match(MAILS.flapping?.text.replaceAll('\n', ' ') ?? '', /changed its status 201 times\./);
  });

  test('blindness is told in the zone of the account', () => {
    const { subject, text } = MAILS.blindness ?? { subject: '', text: '' };

    assert.equal(subject, 'Tocsin was not watching for 29 minutes');
    assert.match(
      text,
      /^From {7}Wed, 15 Jan 2020 09:02:00 \+0200\nUntil {6}Wed, 15 Jan 2020 09:31:00 \+0200$/m,
    );
    assert.match(text, /^12 of your checks were due in that time\. They were given more time/m);
  });
});
