import { type Button, type ButtonChoice, verbsOf } from '../domain/alert/button.ts';
import type { Channel } from '../domain/alert/channel.ts';
import type { Direction } from '../integrations/kind/alert-event.ts';
import { buttonDisplay, maskedButtons } from '../integrations/registry.ts';
import { type ButtonedMessage, buttonsOf } from '../services/alert/buttons.ts';
import type { Deps } from '../services/core/deps.ts';
import { isOnlyThisMachine, isReachedFromOutside } from '../wire/site.ts';
import type { ChannelSender } from './channel-sender.ts';

export interface ButtonTools {
  /** Public base address, without a slash at its end. */
  readonly root: string;
  /** Whether the operator's bot is told of taps. */
  hearsTaps(): Promise<boolean>;
}

/** Why messages of the kind have no buttons here, or buttons that do less. For people. Null if all of them work. */
export async function buttonTrouble(kind: string, { root, hearsTaps }: ButtonTools): Promise<string | null> {
  const display = buttonDisplay(kind);
  if (display === null) return null;
  if (isOnlyThisMachine(root)) return NOBODY_ELSE;
  if (display.needsTaps && !(await hearsTaps())) return UNHEARD;
  return isReachedFromOutside(root) ? null : (display.unreached ?? null);
}

const NOBODY_ELSE =
  'Messages have no buttons: only this machine could use them. SITE_ROOT has to name an address that others reach.';
const UNHEARD =
  'Messages have no buttons yet, since Telegram does not pass on taps. Run `tocsin telegram-webhook` once on the server.';

/** Gives messages their buttons. A check that came up needs none, and nobody could use those of a machine of one's own. */
export class MessageButtons {
  readonly #deps: Pick<Deps, 'vault'>;
  readonly #sender: Pick<ChannelSender, 'buttons'>;
  readonly #tools: ButtonTools;

  constructor(deps: Pick<Deps, 'vault'>, sender: Pick<ChannelSender, 'buttons'>, tools: ButtonTools) {
    this.#deps = deps;
    this.#sender = sender;
    this.#tools = tools;
  }

  async of(channel: Channel, to: Direction, message: ButtonedMessage): Promise<readonly Button[]> {
    const choice = await this.#choiceFor(channel, to);
    return buttonsOf(this.#deps.vault, message, choice, this.#tools.root);
  }

  /** The same for a preview: nobody can use them. */
  async masked(channel: Channel, to: Direction): Promise<readonly Button[]> {
    return maskedButtons(this.#tools.root, verbsOf(await this.#choiceFor(channel, to)));
  }

  async #choiceFor(channel: Channel, to: Direction): Promise<ButtonChoice> {
    if (to === 'up' || isOnlyThisMachine(this.#tools.root)) return 'none';
    const { choice, needsTaps } = this.#sender.buttons(channel);
    return choice !== 'none' && needsTaps && !(await this.#tools.hearsTaps()) ? 'none' : choice;
  }
}
