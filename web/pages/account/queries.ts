import { queryOptions } from '@tanstack/react-query';
import type { Closing } from '../../../src/wire/dashboard/account-output.ts';
import type { IdentitiesJson } from '../../../src/wire/dashboard/identity-output.ts';
import type { PasskeysJson, SecondFactorsJson } from '../../../src/wire/dashboard/second-factors-output.ts';
import type { SessionJson, SignInJson } from '../../../src/wire/dashboard/session-output.ts';
import type { TokenJson } from '../../../src/wire/dashboard/token-output.ts';
import { get } from '../../app/api.ts';

/* What belongs to the account begins with its word, so that one change makes all of it stale. */

export const passkeysQuery = queryOptions({
  queryKey: ['account', 'passkeys'],
  queryFn: () => get<PasskeysJson>('/account/passkeys'),
});

export const factorsQuery = queryOptions({
  queryKey: ['account', 'second-factors'],
  queryFn: () => get<SecondFactorsJson>('/account/second-factors'),
});

export const identitiesQuery = queryOptions({
  queryKey: ['account', 'identities'],
  queryFn: () => get<IdentitiesJson>('/account/identities'),
});

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: () => get<{ readonly sessions: readonly SessionJson[] }>('/sessions'),
});

export const signInsQuery = queryOptions({
  queryKey: ['account', 'sign-ins'],
  queryFn: () => get<{ readonly sign_ins: readonly SignInJson[] }>('/sign-ins'),
});

export const tokensQuery = queryOptions({
  queryKey: ['account', 'tokens'],
  queryFn: () =>
    get<{ readonly tokens: readonly TokenJson[]; readonly scopes: readonly string[] }>('/account/tokens'),
});

export const closingQuery = queryOptions({
  queryKey: ['account', 'closing'],
  queryFn: () => get<Closing>('/account/closing'),
});
