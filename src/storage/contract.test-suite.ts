import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTestDatabase, type TestStore } from '../../test/engines.ts';
import { pingRecord } from '../../test/records.ts';
import type { Project } from '../domain/people/project.ts';
import { bodies } from './contract/bodies.test-suite.ts';
import { channels, channelsOfChecks } from './contract/channels.test-suite.ts';
import { checks } from './contract/checks.test-suite.ts';
import { conflicts } from './contract/conflicts.test-suite.ts';
import { declarations } from './contract/declarations.test-suite.ts';
import { deliveries, flips, pings, pruning } from './contract/history.test-suite.ts';
import { groupMembers, identities } from './contract/identities.test-suite.ts';
import { watch } from './contract/liveness.test-suite.ts';
import { locks } from './contract/locks.test-suite.ts';
import { jobs, mailPreferences, mails, notices } from './contract/mail-preferences.test-suite.ts';
import { rateBuckets } from './contract/rate-buckets.test-suite.ts';
import { type Furnished, furnishedProject } from './contract/records.test-support.ts';
import {
  attemptLimits,
  auditLog,
  emailChanges,
  links,
  passkeys,
  secondFactors,
  sessions,
} from './contract/sessions.test-suite.ts';
import { teams } from './contract/teams.test-suite.ts';
import { accounts, apiKeys, instance, projects } from './contract/tenants.test-suite.ts';
import { transactions } from './contract/transactions.test-suite.ts';
import type { Engine } from './dialect.ts';
import type { Store } from './store.ts';

/** Every promise of `Store`, to be kept alike by each engine. */
export function storeContract(engine: Engine): void {
  describe(`the store on ${engine}`, () => contract(() => openTestDatabase(engine)));
}

/** The contract for any other kind of store. */
export function contract(open: () => Promise<TestStore>): void {
  let opened: TestStore;
  before(async () => {
    opened = await open();
  });
  after(() => opened[Symbol.asyncDispose]());

  // The database is shared, so each test stays within projects of its own.
  const store: () => Store = () => opened.store;
  describe('transactions', () => transactions(store));
  describe('accounts', () => accounts(store));
  describe('sessions', () => sessions(store));
  describe('email changes', () => emailChanges(store));
  describe('second factors', () => secondFactors(store));
  describe('passkeys', () => passkeys(store));
  describe('identities', () => identities(store));
  describe('members by groups', () => groupMembers(store));
  describe('links', () => links(store));
  describe('attempt limits', () => attemptLimits(store));
  describe('the audit log', () => auditLog(store));
  describe('projects', () => projects(store));
  describe('teams', () => teams(store));
  describe('API keys', () => apiKeys(store));
  describe('channels', () => channels(store));
  describe('checks', () => checks(store));
  describe('channels of checks', () => channelsOfChecks(store));
  describe('locks', () => locks(store));
  describe('pings', () => pings(store));
  describe('bodies', () => bodies(() => opened));
  describe('flips', () => flips(store));
  describe('deliveries', () => deliveries(() => opened));
  describe('mailPreferences', () => mailPreferences(store));
  describe('notices', () => notices(store));
  describe('mails', () => mails(store));
  describe('jobs', () => jobs(store));
  describe('pruning', () => pruning(store));
  describe('the installation', () => instance(store));
  describe('declarations', () => declarations(() => opened));
  describe('the watch', () => watch(store));
  describe('conflicts', () => conflicts(store));
  describe('rate buckets', () => rateBuckets(store));

  test('deleting a project deletes all that belongs to it and nothing else', async () => {
    const doomed = await furnishedProject(store());
    const kept = await furnishedProject(store());
    for (const { check } of [doomed, kept]) {
      const pings = [pingRecord(check.id, { body: new Uint8Array(101) })];
      await store().transaction((tx) => tx.pings.insertMany(pings));
    }

    await opened.driver.transaction((tx) =>
      tx.run('delete from projects where id = $1', [doomed.project.id]),
    );

    assert.deepEqual(await contentsOf(store(), doomed.project), {
      keys: 0,
      channels: 0,
      checks: 0,
      links: 0,
    });
    assert.deepEqual(await contentsOf(store(), kept.project), {
      keys: 1,
      channels: 1,
      checks: 1,
      links: 1,
    });
    assert.deepEqual(await store().checks.channelsOf(doomed.check.id), []);
    assert.equal((await store().pings.latest(doomed.check.id, 10)).length, 0);
    assert.equal((await store().pings.latest(kept.check.id, 10)).length, 1);
    const longBodies = ({ check }: Furnished) =>
      opened.driver.all('select n from ping_bodies where check_id = $1', [check.id]);
    assert.equal((await longBodies(doomed)).length, 0);
    assert.equal((await longBodies(kept)).length, 1);
  });
}

async function contentsOf(store: Store, { id }: Project) {
  return {
    keys: (await store.apiKeys.ofProject(id)).length,
    channels: (await store.channels.ofProject(id)).length,
    checks: (await store.checks.ofProject(id)).length,
    links: (await store.checks.channelsOfProject(id)).size,
  };
}
