import { resealSettings } from '../alert/channel-settings.ts';
import type { Deps } from '../core/deps.ts';
import { resealForeignSecrets } from '../core/foreign-secrets.ts';

/** Projects read at once. */
const PAGE = 100;

/** The result of a change of the secret key. */
export interface Rotation {
  /** Channels that were sealed again. */
  readonly channels: number;
  /** Ping keys and aliases that were sealed again. */
  readonly pingKeys: number;
  /** Secrets of authenticator apps that were sealed again. */
  readonly authenticators: number;
  /** API keys that have not been used since the change. Their digests still need an earlier secret. */
  readonly apiKeysLeft: number;
}

/**
 * Seals everything again under the present secret. API keys are the exception: only their holders know them. This can
 * be repeated at any time, and several nodes can do it at once.
 */
export async function resealAll(deps: Pick<Deps, 'store' | 'vault'>): Promise<Rotation> {
  await resealForeignSecrets(deps);
  return {
    channels: await resealSettings(deps),
    pingKeys: (await resealPingKeys(deps)) + (await resealAliases(deps)),
    authenticators: await resealAuthenticators(deps),
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

async function resealAliases({ store, vault }: Pick<Deps, 'store' | 'vault'>): Promise<number> {
  let count = 0;
  for (let page = await store.pingAliases.page(0, PAGE); page.length > 0; ) {
    for (const alias of page) {
      const sealed = vault.reseal(alias.tokenSealed);
      if (sealed === null || sealed === alias.tokenSealed) continue;
      await store.transaction((tx) => tx.pingAliases.reseal(alias, sealed));
      count++;
    }
    page = await store.pingAliases.page(page.at(-1)?.id ?? 0, PAGE);
  }
  return count;
}

async function resealAuthenticators({ store, vault }: Pick<Deps, 'store' | 'vault'>): Promise<number> {
  let count = 0;
  for (let page = await store.secondFactors.authenticators(0, PAGE); page.length > 0; ) {
    for (const authenticator of page) {
      const sealed = vault.reseal(authenticator.sealedSecret);
      if (sealed === null || sealed === authenticator.sealedSecret) continue;
      await store.transaction((tx) => tx.secondFactors.reseal(authenticator, sealed));
      count++;
    }
    page = await store.secondFactors.authenticators(page.at(-1)?.accountId ?? 0, PAGE);
  }
  return count;
}
