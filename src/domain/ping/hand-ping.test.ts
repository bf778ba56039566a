import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentOfJob, agentOfPerson, personOfAgent } from './hand-ping.ts';

test('a ping from a page is told to be of its person', () => {
  assert.equal(personOfAgent(agentOfPerson('alice@example.org')), 'alice@example.org');
});

test('no job can pass for a person, and every other user agent stays as it was sent', () => {
  const forged = agentOfJob(agentOfPerson('alice@example.org'));

  assert.equal(personOfAgent(forged), null);
  assert.equal(forged, '"Dashboard, by alice@example.org"');
  for (const agent of ['', 'curl/8.5.0', 'Dashboard', '"Dashboard, by x"'])
    assert.equal(agentOfJob(agent), agent);
});
