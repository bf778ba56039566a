import { type EnvSettingTable, httpsAddress, line } from '../../lib/env-setting.ts';
import type { AskProvider, Connectable, Connection } from '../connect/connection.ts';
import {
  answerOf,
  consentAddress,
  exchangedCode,
  fieldsOf,
  itemsOf,
  withQuery,
} from '../connect/connection-answer.ts';
import type { Source } from '../kind/setting.ts';

export const GITHUB_CONSENT = {
  GITHUB_CLIENT_SECRET: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Client secret of that GitHub App, by which people choose a repository with a button.',
  },
  GITHUB_PUBLIC_LINK: {
    kind: httpsAddress,
    default: null,
    example: 'https://github.com/apps/tocsin',
    doc: 'Address of the public page of that GitHub App, where people install it.',
  },
} satisfies EnvSettingTable;

type Server = typeof GITHUB_CONSENT & {
  readonly GITHUB_CLIENT_ID: { kind: typeof line; default: null; doc: string };
};

/** Installations whose repositories are listed. */
const MAX_INSTALLATIONS = 20;
/** Repositories that are listed. It bounds how often GitHub is asked. */
const MAX_REPOSITORIES = 1_000;
/** GitHub tells six kilobytes of each repository. */
const PER_PAGE = 30;
const MAX_PAGE_BYTES = 512 * 1024;

/** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app */
export const githubConnection: Connection<Server> = {
  path: 'add_github',
  requires: ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET', 'GITHUB_PUBLIC_LINK'],
  address: (back, { GITHUB_CLIENT_ID: id }) =>
    consentAddress('https://github.com/login/oauth/authorize', id, back),
  async finish(answer, visit) {
    const { GITHUB_CLIENT_ID: id, GITHUB_CLIENT_SECRET: secret, GITHUB_PUBLIC_LINK: page } = visit.server;
    const token =
      visit.kept ??
      fieldsOf(
        await exchangedCode('https://github.com/login/oauth/access_token', { id, secret }, answer, visit),
      ).access_token;
    if (typeof token !== 'string') return { kind: 'failed' };
    const connectables = await repositoriesOf(visit.http, token);
    if (connectables === null) return { kind: 'failed' };
    if (connectables === 'revoked')
      return { kind: 'failed', error: 'GitHub setup failed, GitHub access was revoked.' };
    if (connectables.length > 0) return { kind: 'found', connectables };
    // GitHub sends the person back to the same address afterwards.
    const address = (state: string) => withQuery(`${page}/installations/new`, { state });
    return { kind: 'unfinished', address, kept: token };
  },
};

/** https://docs.github.com/en/rest/apps/installations */
async function repositoriesOf(
  http: AskProvider,
  token: string,
): Promise<readonly Connectable[] | 'revoked' | null> {
  const ask = async (path: string, page = 1) =>
    fieldsOf(
      await answerOf(
        http({
          method: 'GET',
          url: withQuery(`https://api.github.com/user/installations${path}`, {
            per_page: String(PER_PAGE),
            page: String(page),
          }),
          headers: { Accept: 'application/vnd.github+json', Authorization: `Bearer ${token}` },
          body: null,
          maxAnswerBytes: MAX_PAGE_BYTES,
        }),
      ),
    );
  const { installations, message } = await ask('');
  if (message === 'Bad credentials') return 'revoked';
  const found = itemsOf(installations);
  if (found === null) return null;
  const connectables: Connectable[] = [];
  for (const { id } of found.slice(0, MAX_INSTALLATIONS)) {
    for (let page = 1, isFull = true; isFull && connectables.length < MAX_REPOSITORIES; page += 1) {
      const repositories = itemsOf((await ask(`/${Number(id)}/repositories`, page)).repositories) ?? [];
      for (const one of repositories) connectables.push(connectableOf(Number(id), one));
      isFull = repositories.length >= PER_PAGE;
    }
  }
  return connectables.toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}

function connectableOf(installation: number, { full_name: name }: Source): Connectable {
  const repo = String(name);
  return { name: repo, group: '', settings: { installation_id: installation, repo } };
}
