import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VAULT } from '../integrations/kind/alert-event.test-support.ts';
import { Docs, type DocsAsked } from './docs.ts';

const docs = new Docs(
  { vault: VAULT },
  {
    name: 'Watch & co',
    root: 'https://example.org/watch',
    pingEndpoint: 'https://ping.example.org/',
    masterBadgeLabel: '',
  },
);

const FILES = { style: '/s.css', script: '/s.js', themeScript: '/t.js' };

const textOf = (asked: DocsAsked, missing = {}) =>
  docs.text({ asked, files: FILES, isDemonstration: false, missing }, 0);

test('examples have the addresses of the instance', async () => {
  const pinging = await textOf({ page: 'pinging/' });

  assert.match(pinging, /https:\/\/ping\.example\.org\/your-uuid\/start/);
  assert.doesNotMatch(pinging, /https:\/\/tocsin\.example\.org/);
  assert.match(await textOf({ page: 'automation/' }), /https:\/\/example\.org\/watch\/api\/v3\/checks\//);
});

test('links stay below the path of the site', async () => {
  for (const page of ['', 'automation/', 'integrations/', 'integrations/slack/', 'cron/']) {
    const hrefs = [...(await textOf({ page })).matchAll(/ (?:href|action)="(\/[^"]*)"/g)].map(
      ([, href]) => href,
    );
    assert.deepEqual(
      hrefs.filter((href) => !href?.startsWith('/watch/') && href !== '/s.css'),
      [],
    );
  }
});

test('the name of the service is a text', async () => {
  assert.match(await textOf({ page: '' }), /<title>How it works – Watch &amp; co<\/title>/);
});

test('a kind that the operator does not offer says which setting is missing', async () => {
  const missing = { slack: 'SLACK_ENABLED' };

  assert.match(
    await textOf({ page: 'integrations/slack/' }, missing),
    /This instance does not offer Slack: whoever runs it has to set <code>SLACK_ENABLED<\/code>/,
  );
  assert.match(
    await textOf({ page: 'integrations/' }, missing),
    /Slack<\/a>.*No, not set: <code>SLACK_ENABLED<\/code>/,
  );
  assert.doesNotMatch(await textOf({ page: 'integrations/slack/' }), /does not offer/);
});

test('the search finds the exit status of shells, and jobs on Windows', async () => {
  assert.match(await textOf({ search: '$?' }), /<mark>\$\?<\/mark>/);
  assert.match(await textOf({ search: 'windows' }), /href="\/watch\/docs\/clients\/#windows"/);
});

test('a document that is no page is not linked', async () => {
  assert.doesNotMatch(await textOf({ page: 'security/' }), /href="[^"]*decisions/);
});

test('a message of any kind is shown by what tells of the job, without signs that nobody can read', async () => {
  for (const kind of ['mqtt', 'github', 'sms', 'shell']) {
    const [, message = ''] = (await textOf({ page: `integrations/${kind}/` })).split('id="message"');
    assert.equal(message.split('<h2')[0]?.match(/<pre/g)?.length, 1, kind);
    assert.match(message, /Nightly backup/);
    assert.doesNotMatch(message, /[^\P{Cc}\n\t]|\uFFFD/u);
  }
});
