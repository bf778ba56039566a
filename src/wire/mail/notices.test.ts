import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aDownCheck, aReminder, MAILS, NOW } from './mails.test-support.ts';
import { reminderMail } from './reminder-mail.ts';

suite('a reminder', () => {
  test('counts what is still down', () => {
    const two = [aDownCheck('a'), aDownCheck('b')];

    assert.equal(reminderMail(aReminder()).subject, 'Reminder: 1 check still down');
    assert.equal(
      reminderMail(aReminder({ projects: [{ id: 1, name: 'Acme', checks: two }] })).subject,
      'Reminder: 2 checks still down',
    );
  });

  test('lists checks by project, each with its tags, the age of the last ping and a link', () => {
    const { uniqueKey } = aDownCheck('');
    const projects = [
      { id: 1, name: 'Zoo', checks: [aDownCheck('Lions', { lastPingAt: null })] },
      {
        id: 2,
        name: 'Acme',
        checks: [
          aDownCheck('Job 10', { lastPingAt: NOW - 3_600_000_000 }),
          aDownCheck('Job 9', { tags: 'prod  db' }),
        ],
      },
    ];

    const { text } = reminderMail(aReminder({ projects }));

    const link = `https://tocsin.example.org/cloaked/${uniqueKey}/`;
    assert.deepEqual(text.split('\n\n').slice(1, 6), [
      'Acme\n====',
      `Job 9\nTags: prod db\nLast ping: 1 day, 2 hours ago\n${link}`,
      `Job 10\nLast ping: an hour ago\n${link}`,
      'Zoo\n===',
      `Lions\nNo ping yet\n${link}`,
    ]);
  });
});

suite('a reminder of thousands of checks', () => {
  test('lists no more of them than anybody reads, and counts them all', () => {
    const checks = Array.from({ length: 1002 }, (_, n) => aDownCheck(`Job ${n}`));

    const { subject, text, html } = reminderMail(aReminder({ projects: [{ id: 1, name: 'Acme', checks }] }));

    assert.equal(subject, 'Reminder: 1002 checks still down');
    assert.equal(text.match(/^Job \d+$/gm)?.length, 1000);
    assert.match(text, /^And 2 more checks\.$/m);
    assert.match(html, />And 2 more checks\.</);
  });
});

suite('notices', () => {
  test('a check that flaps is named, with how often it changed', () => {
    assert.equal(MAILS.flapping?.subject, 'The Check "Nightly backup" Is Flapping');
    assert.match(MAILS.flapping?.text ?? '', /changed its status 201 times\.$/m);
  });

  test('blindness is told in the zone of the account', () => {
    const { subject, text } = MAILS.blindness ?? { subject: '', text: '' };

    assert.equal(subject, 'Tocsin was not watching for 29 minutes');
    assert.match(text, /^From: Wed, 15 Jan 2020 09:02:00 \+0200\nUntil: Wed, 15 Jan 2020 09:31:00 \+0200$/m);
    assert.match(text, /^12 of your checks were due in that time\. They were given more time/m);
  });
});
