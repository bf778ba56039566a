/**
 * A provider of OpenID Connect as a process of its own. The person who signs in names themselves, as JSON in the query
 * of the page for signing in: `?person={"sub":…,"email":…}`. Without a `sub` the person has gone away.
 */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [, , redirectUri = ''] = process.argv;
const people = new Map<string, object>();

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', issuer);
  const said = url.searchParams.get('person');
  if (!url.pathname.startsWith('/interaction/') || said === null) return answer(request, response);
  const person = JSON.parse(said);
  people.set(person.sub, person);
  const result =
    person.sub === undefined
      ? { error: 'access_denied' }
      : { login: { accountId: person.sub, ts: person.auth_time } };
  return void provider.interactionFinished(request, response, result);
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const address = server.address();
const issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

const provider: Provider = new Provider(issuer, {
  clients: [{ client_id: 'tocsin', client_secret: 'a secret: of the client', redirect_uris: [redirectUri] }],
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['name'],
    groups: ['groups'],
  },
  features: { devInteractions: { enabled: false } },
  cookies: { keys: ['a key of the provider'] },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  findAccount: (_context, id) => ({ accountId: id, claims: () => people.get(id) ?? { sub: id } }),
  async loadExistingGrant({ oidc }) {
    const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope('openid email profile groups');
    await grant.save();
    return grant;
  },
});
const answer = provider.callback();
console.log(`provider at ${issuer}`);
