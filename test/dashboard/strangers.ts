import type { TestApp } from '../app.ts';
import {
  accountTokenRecord,
  apiKeyRecord,
  identityRecord,
  passkeyRecord,
  projectRecord,
  wallRecord,
} from '../records.ts';
import { givenAccount } from './browser.ts';

/** An account that somebody has made with the address of somebody else, and with all that opens it. */
export async function givenStranger(app: TestApp, email: string) {
  const { store, vault } = app.deps;
  const account = await givenAccount(app, { email });
  const { id } = account;
  const project = await store.transaction(async (tx) => {
    const made = await tx.projects.insert(projectRecord(id));
    await tx.accountTokens.insert(accountTokenRecord(id));
    await tx.passkeys.insert(passkeyRecord(id));
    await tx.secondFactors.addAuthenticator(
      { accountId: id, sealedSecret: vault.seal('x'), createdAt: 0 },
      1,
    );
    await tx.secondFactors.setRecoveryCodes(id, ['x']);
    await tx.identities.insert(identityRecord(id));
    await tx.apiKeys.insert(apiKeyRecord(made.id, { makerId: id }));
    await tx.walls.insert(wallRecord(made.id, { makerId: id }));
    return made;
  });
  /** The ways into the account or its project now, in words. */
  const waysIn = async () => {
    const found = {
      password: (await store.accounts.byId(id))?.passwordHash !== null,
      tokens: (await store.accountTokens.ofAccount(id)).length > 0,
      passkeys: (await store.passkeys.ofAccount(id)).length > 0,
      authenticator: (await store.secondFactors.authenticatorOf(id)) !== null,
      'recovery codes': (await store.secondFactors.recoveryCodeCount(id)) > 0,
      identities: (await store.identities.ofAccount(id)).some(({ issuer }) => issuer === identityIssuer),
      keys: (await store.apiKeys.ofProject(project.id)).length > 0,
      walls: (await store.walls.ofProject(project.id)).length > 0,
    };
    return Object.entries(found)
      .filter(([, isThere]) => isThere)
      .map(([name]) => name);
  };
  return { account, project, waysIn };
}

const identityIssuer = identityRecord(0).issuer;

export const EVERY_WAY_IN = [
  ...['password', 'tokens', 'passkeys', 'authenticator', 'recovery codes', 'identities', 'keys', 'walls'],
];
