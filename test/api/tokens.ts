import type { AccountToken } from '../../src/domain/people/account-token.ts';
import { generateAccountToken, lookupPart } from '../../src/domain/people/api-key.ts';
import { SCOPES } from '../../src/domain/people/permission.ts';
import { sha256 } from '../../src/lib/vault.ts';
import type { TestApp } from '../app.ts';
import { accountTokenRecord } from '../records.ts';

export type TokenOptions = Partial<Pick<AccountToken, 'scopes' | 'projectIds' | 'expiresAt'>>;

/** A token of the account, for everything unless told otherwise, and its secret. */
export async function givenToken(
  { deps }: TestApp,
  accountId: number,
  options: TokenOptions = {},
): Promise<{ secret: string; token: AccountToken }> {
  const secret = generateAccountToken(deps.random.bytes);
  const record = accountTokenRecord(accountId, {
    scopes: SCOPES,
    ...options,
    lookup: lookupPart(secret),
    digest: sha256(secret),
  });
  return { secret, token: await deps.store.transaction((tx) => tx.accountTokens.insert(record)) };
}
