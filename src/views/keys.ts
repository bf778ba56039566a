import { hasExpired, maskedKey } from '../domain/people/api-key.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { listKeys, revealPingKey } from '../services/project/keys.ts';
import { projectView } from './view.ts';

/** The API keys of the project, in order of creation. None of them holds the key itself. */
export const projectKeys = projectView({
  permission: 'keys.edit',
  read: async (deps, { actor }) =>
    (await listKeys(deps, actor)).map((key) => ({
      uuid: key.uuid,
      name: key.name,
      kind: key.kind,
      /** Its first characters. The rest is masked. */
      key: maskedKey(key),
      created: toIsoSeconds(key.createdAt),
      /** The e-mail address of the maker. */
      createdBy: key.makerEmail,
      /** By which means it was made. */
      madeBy: key.madeBy,
      expires: toIsoSeconds(key.expiresAt),
      isExpired: hasExpired(key, deps.clock.now()),
      lastUsed: toIsoSeconds(key.lastUsedAt),
      lastUsedAddress: key.lastUsedAddr,
    })),
});

/** The ping key. It can be read again at any time. */
export const pingKey = projectView({
  permission: 'keys.edit',
  read: async (deps, { actor }) => ({
    /** Null if there is none, or if it was sealed under a secret that is not known any more. */
    key: await revealPingKey(deps, actor),
  }),
});
