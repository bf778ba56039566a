import { resealSettings } from './channel-settings.ts';
import type { Deps } from './deps.ts';

/** Projects that are read at once. */
const PAGE = 100;

/** What a change of the secret key has come to. */
export interface Rotation {
  /** Channels and ping keys that were sealed anew. */
  readonly channels: number;
  readonly pingKeys: number;
  /** API keys that were not used since: their digests need a secret from before. */
  readonly apiKeysLeft: number;
}

/**
 * Makes everything that is stored depend on the present secret alone, as far as this can be done without those who hold
 * keys. May be repeated, at any time and by several at once.
 */
export async function resealAll(deps: Pick<Deps, 'store' | 'vault'>): Promise<Rotation> {
  return {
    channels: await resealSettings(deps),
    pingKeys: await resealPingKeys(deps),
    apiKeysLeft: await deps.store.apiKeys.countOfOtherSecrets(deps.vault.secretId),
  };
}

async function resealPingKeys({ store, vault }: Pick<Deps, 'store' | 'vault'>): Promise<number> {
  let count = 0;
  for (let page = await store.projects.page(0, PAGE); page.length > 0; ) {
    const resealed = page.flatMap((project) => {
      const sealed = project.pingKeySealed && vault.reseal(project.pingKeySealed);
      return sealed === null || sealed === project.pingKeySealed ? [] : [{ project, sealed }];
    });
    if (resealed.length > 0) {
      await store.transaction(async (tx) => {
        for (const { project, sealed } of resealed) await tx.projects.resealPingKey(project, sealed);
      });
    }
    count += resealed.length;
    page = await store.projects.page(page.at(-1)?.id ?? 0, PAGE);
  }
  return count;
}
