import { ALLOWED_UPDATES, type ServerSettings, TAP_UPDATE } from '../../integrations/registry.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Deps } from '../core/deps.ts';

/** Telegram posts messages to the bot, and taps on its buttons, to this path of the site. */
export const BOT_PATH = '/integrations/telegram/bot/';

/** The row of the instance that tells what Telegram was last asked to post, about which bot, and where. */
const ROW = 'telegram_webhook';
/** Somebody may register the bot while the service runs. */
const KEPT_FOR = seconds(60);

interface Registration {
  readonly bot: string;
  readonly address: string;
  readonly updates: readonly string[];
}

/** Remembers that Telegram was asked to post what this version understands. */
export async function noteRegistration(
  { store }: Pick<Deps, 'store'>,
  token: string,
  root: string,
): Promise<void> {
  const registration: Registration = { ...identityOf(token, root), updates: ALLOWED_UPDATES };
  await store.transaction((tx) => tx.instance.set(ROW, JSON.stringify(registration)));
}

function identityOf(token: string, root: string): Pick<Registration, 'bot' | 'address'> {
  // What follows is the secret.
  const [bot = ''] = token.split(':');
  return { bot, address: root + BOT_PATH };
}

/**
 * Whether taps on buttons of the bot reach this service. They do if the service asks for them, or if Telegram was told so
 * by this version or a later one: what an older one has registered has no taps.
 */
export class HeardTaps {
  readonly #deps: Pick<Deps, 'store' | 'clock'>;
  readonly #server: Pick<ServerSettings, 'TELEGRAM_TOKEN' | 'TELEGRAM_POLLING'>;
  readonly #root: string;
  #kept: { readonly at: Instant; readonly isHeard: boolean } | null = null;

  constructor(
    deps: Pick<Deps, 'store' | 'clock'>,
    server: Pick<ServerSettings, 'TELEGRAM_TOKEN' | 'TELEGRAM_POLLING'>,
    root: string,
  ) {
    this.#deps = deps;
    this.#server = server;
    this.#root = root;
  }

  async areHeard(): Promise<boolean> {
    const { TELEGRAM_TOKEN: token, TELEGRAM_POLLING: isPolled } = this.#server;
    if (token === null || isPolled) return token !== null;
    const now = this.#deps.clock.now();
    if (this.#kept === null || Math.abs(now - this.#kept.at) > KEPT_FOR)
      this.#kept = { at: now, isHeard: await this.#isRegistered(token) };
    return this.#kept.isHeard;
  }

  async #isRegistered(token: string): Promise<boolean> {
    const value = await this.#deps.store.instance.get(ROW);
    if (value === null) return false;
    const { bot, address, updates }: Registration = JSON.parse(value);
    const wanted = identityOf(token, this.#root);
    return bot === wanted.bot && address === wanted.address && updates.includes(TAP_UPDATE);
  }
}
