import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountRecord,
  accountTokenRecord,
  apiKeyRecord,
  channelRecord,
  checkRecord,
  projectRecord,
} from '../../../test/records.ts';
import { isConflict, StorageError } from '../driver.ts';
import type { Store, Writes } from '../store.ts';
import { type Furnished, furnishedProject, LARGEST } from './records.test-support.ts';

export function conflicts(store: () => Store): void {
  type Attempt = (tx: Writes, taken: Furnished) => Promise<unknown>;
  const attempts: Record<string, Attempt> = {
    'an account’s UUID': (tx, { account: { uuid } }) => tx.accounts.insert(accountRecord({ uuid })),
    'an account’s address': (tx, { account: { email } }) => tx.accounts.insert(accountRecord({ email })),
    'a project’s UUID': (tx, { account, project: { uuid } }) =>
      tx.projects.insert(projectRecord(account.id, { uuid })),
    'a project’s badge key': (tx, { account, project: { badgeKey } }) =>
      tx.projects.insert(projectRecord(account.id, { badgeKey })),
    'a project’s ping key at creation': (tx, { account, project: { pingKeyDigest } }) =>
      tx.projects.insert(projectRecord(account.id, { pingKeyDigest })),
    'a project’s ping key at a change': async (tx, { account, project }) => {
      const other = await tx.projects.insert(projectRecord(account.id));
      await tx.projects.setPingKey(other.id, project.pingKeyDigest ?? '', 'sealed');
    },
    'an API key': (tx, { project, key: { digest } }) =>
      tx.apiKeys.insert(apiKeyRecord(project.id, { digest })),
    'an API key’s UUID': (tx, { project, key: { uuid } }) =>
      tx.apiKeys.insert(apiKeyRecord(project.id, { uuid })),
    'a token of an account': async (tx, { account }) => {
      const { digest } = await tx.accountTokens.insert(accountTokenRecord(account.id));
      await tx.accountTokens.insert(accountTokenRecord(account.id, { digest }));
    },
    'a channel’s UUID': (tx, { project, channel: { uuid } }) =>
      tx.channels.insert(channelRecord(project.id, { uuid })),
    'a check’s UUID': (tx, { project, check: { uuid } }) =>
      tx.checks.insert(checkRecord(project.id, { uuid })),
    'a check’s badge key': (tx, { project, check: { badgeKey } }) =>
      tx.checks.insert(checkRecord(project.id, { badgeKey })),
    'a channel assigned twice': (tx, { check, channel }) =>
      tx.checks.setChannels(check, [channel.id, channel.id]),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    test(`${name} that is taken is a conflict`, async () => {
      const taken = await furnishedProject(store());

      await assert.rejects(
        store().transaction((tx) => attempt(tx, taken)),
        (error) => isConflict(error),
      );
    });
  }

  test('keys may have the same name, so that one can take the place of another', async () => {
    const { project, key } = await furnishedProject(store());

    const second = await store().transaction((tx) =>
      tx.apiKeys.insert(apiKeyRecord(project.id, { name: key.name })),
    );

    assert.deepEqual(
      (await store().apiKeys.ofProject(project.id)).map(({ id }) => id),
      [key.id, second.id],
    );
  });

  test('what belongs to nothing is a fault, not a conflict', async () => {
    const isFault = (error: unknown) => error instanceof StorageError && error.kind === 'fault';
    const { check } = await furnishedProject(store());

    for (const attempt of [
      (tx: Writes) => tx.projects.insert(projectRecord(LARGEST)),
      (tx: Writes) => tx.apiKeys.insert(apiKeyRecord(LARGEST)),
      (tx: Writes) => tx.channels.insert(channelRecord(LARGEST)),
      (tx: Writes) => tx.checks.insert(checkRecord(LARGEST)),
      (tx: Writes) => tx.checks.setChannels(check, [LARGEST]),
    ]) {
      await assert.rejects(store().transaction<unknown>(attempt), isFault);
    }
  });
}
