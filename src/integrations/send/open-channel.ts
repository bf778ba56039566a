import type { ButtonChoice } from '../../domain/alert/button.ts';
import type { ChannelEvent } from '../../domain/alert/channel.ts';
import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { type Quota, quotaError } from '../../domain/alert/message-quota.ts';
import type { EnvSettingTable } from '../../lib/env-setting.ts';
import { Fault } from '../../lib/fields.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { Vault } from '../../lib/vault.ts';
import type { AlertEvent, Direction } from '../kind/alert-event.ts';
import type { CodeMessage } from '../kind/confirmation.ts';
import type { Kind, Ports, RateLimit, RequestKind, UndeliveredMessage } from '../kind/kind.ts';
import { bodyOf, exceededLimits } from '../kind/limits.ts';
import { type SettingTable, type Source, shownValues } from '../kind/setting.ts';
import { kindOf } from '../lookup.ts';
import {
  buttonsOf,
  type Configured,
  checkedSettings,
  secretTexts,
  settingsOf,
  tableOf,
  wantedBy,
} from '../settings/channel-settings.ts';
import { maskedServer, type ServerSettings } from '../settings/server-settings.ts';
import { briefText } from '../text/brief-text.ts';
import { buttonSecrets } from '../text/button-links.ts';
import { fitted } from '../text/fitted.ts';
import { HiddenTexts, type NoteExchange, notingPorts } from './exchange.ts';
import { ownWordsMention, withOwnWords } from './own-words.ts';
import { NOTHING_TO_SEND, type Preview, previewOf } from './preview.ts';

/** The number of characters of an error that are kept. */
const MAX_ERROR = 200;

/** A stored channel, ready to send. */
export interface OpenChannel {
  readonly needsBody: boolean;
  readonly needsStory: boolean;
  /** Whether its messages contain the check as the API shows it. */
  readonly needsDocument: boolean;
  readonly limit: RateLimit | null;
  readonly buttons: ButtonChoice;
  /** Whether its buttons work only if the operator's bot is told of taps. */
  readonly needsTaps: boolean;
  wants(event: ChannelEvent): boolean;
  /** The name of a resource that its messages share with others: its host, or else its kind. */
  destination(to: Direction): string;
  /** False if its secrets were sealed under an unknown secret key. */
  readonly isReadable: boolean;
  /**
   * Never throws: a failure in one channel must not keep others from sending. `note` is called after each request with
   * the exchange.
   */
  send(event: AlertEvent, ports: Ports, note?: NoteExchange): Promise<Outcome>;
  /** Sends the code by which the recipient confirms that messages are wanted. Never throws. */
  sendCode(message: CodeMessage, ports: Ports): Promise<Outcome>;
  /** The requests and mails that would be sent. Secrets are masked before anything is made of them. */
  preview(event: AlertEvent, ports: Pick<Ports, 'writeMail'>): Promise<Preview>;
}

/**
 * Combines the channel with the code of its kind. A channel whose settings cannot be read wants every message: each
 * attempt then fails, and its owner learns why. These failures are retried: during an upgrade another node may already
 * understand the settings.
 */
export function openChannel(channel: Configured, server: ServerSettings, vault: Vault): OpenChannel {
  const { kind } = channel;
  const code = kindOf(kind);
  if (code === null) return brokenChannel(kind, `Channels of the kind "${kind}" are not supported`);
  const stored = settingsOf(channel, vault);
  const values = stored instanceof Fault ? stored : checkedSettings(code, stored);
  if (values instanceof Fault) {
    return brokenChannel(kind, `Invalid settings: ${values.reason}`, !(stored instanceof Fault));
  }
  return {
    isReadable: true,
    needsBody: code.needsBody || ownWordsMention(code, values, '$BODY'),
    needsStory: code.needsStory ?? false,
    needsDocument: code.needsDocument?.(values) ?? ownWordsMention(code, values, '$JSON'),
    limit: code.limit?.(values) ?? null,
    buttons: buttonsOf(code, values),
    needsTaps: code.buttons?.needsTaps ?? false,
    wants: (event) => wantedBy(code, values).includes(event),
    destination: (to) => `${kind} ${code.destination(values, to)}`,
    send: (event, ports, note = () => {}) => {
      const secrets = buttonSecrets(event);
      const hidden = new HiddenTexts(() => [...secrets, ...secretTexts(kind, values, server)]);
      const noting = notingPorts(ports, hidden, note);
      return safely(() => deliver(code, event, values, noting, server), hidden);
    },
    sendCode: (message, ports) => {
      const hidden = new HiddenTexts(() => secretTexts(kind, values, server));
      return safely(
        () =>
          deliverCode(
            code,
            message,
            values,
            notingPorts(ports, hidden, () => {}),
            server,
          ),
        hidden,
      );
    },
    preview: (event, ports) =>
      previewOf(code, event, ports, (collecting) =>
        safely(() =>
          deliver(code, event, shownValues(tableOf(code), values), collecting, maskedServer(server)),
        ),
      ),
  };
}

function brokenChannel(kind: string, error: string, isReadable = true): OpenChannel {
  return {
    isReadable,
    needsBody: false,
    needsStory: false,
    needsDocument: false,
    limit: null,
    buttons: 'none',
    needsTaps: false,
    wants: () => true,
    destination: () => kind,
    send: async () => shortened(tryAgain(error)),
    sendCode: async () => shortened(tryAgain(error)),
    preview: async () => ({ ...NOTHING_TO_SEND, error }),
  };
}

/** A test that opens something at the provider closes it again. */
async function deliver(
  kind: Kind,
  event: AlertEvent,
  settings: Source,
  ports: Ports,
  server: ServerSettings,
): Promise<Outcome> {
  const outcome = await deliverOne(kind, event, settings, ports, server);
  if (!event.isTest || event.to === 'up' || outcome.kind !== 'delivered') return outcome;
  const ending = kind.endsTest?.(settings) ?? null;
  if (ending === null) return outcome;
  const end = await deliverOne(kind, endOf(event, outcome.providerId ?? null), ending, ports, server);
  if (!('error' in end)) return outcome;
  return tryAgain(
    `The test message arrived, but what it has opened could not be closed: ${end.error}`,
    'afterSeconds' in end ? end.afterSeconds : null,
  );
}

function endOf(event: AlertEvent, providerId: string | null): AlertEvent {
  return {
    ...event,
    to: 'up',
    reason: '',
    buttons: [],
    answers: { deliveryId: event.deliveryId, providerId },
  };
}

async function deliverOne(
  kind: Kind,
  event: AlertEvent,
  settings: Source,
  ports: Ports,
  server: ServerSettings,
): Promise<Outcome> {
  const told = kind.takesOwnWords ? withOwnWords(event, settings) : event;
  if ('deliver' in kind) return kind.deliver(told, settings, ports, server);
  const calls = renderedCalls(kind, told, settings, server);
  if ('kind' in calls) return calls;
  const send = () => makeCalls(kind, calls, ports);
  if (kind.quota === undefined) return send();
  return withinQuota(kind.quota, { recipient: kind.target(settings), text: briefText(told) }, ports, send);
}

/** A code costs money like any other message. */
async function deliverCode(
  kind: Kind,
  message: CodeMessage,
  settings: Source,
  ports: Ports,
  server: ServerSettings,
): Promise<Outcome> {
  const { confirmation, quota } = kind;
  if (confirmation?.by !== 'code') return { kind: 'refused', error: 'Nothing has to be confirmed' };
  const send = () => confirmation.sendCode(message, settings, ports, server);
  if (quota === undefined) return send();
  const text = 'A code to confirm that alerts are wanted.';
  return withinQuota(quota, { recipient: kind.target(settings), text }, ports, send);
}

/** The requests about the event, with so much of it that the provider takes them. */
export function renderedCalls(
  kind: RequestKind<SettingTable, EnvSettingTable>,
  event: AlertEvent,
  settings: Source,
  server: ServerSettings,
): ReturnType<typeof kind.render> {
  const isLimited = Object.keys(kind.limits).length > 0;
  return fitted(
    event,
    (shown) => kind.render(shown, settings, server),
    (calls) =>
      'kind' in calls || !isLimited ? [] : calls.flatMap((call) => exceededLimits(bodyOf(call), kind.limits)),
  );
}

/** A message that could not be sent does not count. */
async function withinQuota(
  quota: Quota,
  message: UndeliveredMessage,
  ports: Ports,
  send: () => Promise<Outcome>,
): Promise<Outcome> {
  const refusal = await ports.takeQuota(quota, message);
  if (refusal !== null) return { kind: 'refused', error: quotaError(quota, refusal) };
  const outcome = await send();
  if (outcome.kind !== 'delivered') await ports.returnQuota(quota);
  return outcome;
}

/** Makes the requests one after the other. The first required one that fails decides the outcome. */
async function makeCalls(
  kind: RequestKind<SettingTable, EnvSettingTable>,
  calls: Extract<ReturnType<typeof kind.render>, readonly unknown[]>,
  ports: Ports,
): Promise<Outcome> {
  let last = DELIVERED;
  for (const { isOptional = false, ...request } of calls) {
    const reply = await ports.http(request);
    const outcome = 'error' in reply ? tryAgain(reply.error) : kind.classify(reply);
    if (outcome.kind === 'delivered') last = outcome;
    else if (!isOptional) return outcome;
  }
  return last;
}

/** An error may repeat the provider's answer, which may repeat the request. */
async function safely(send: () => Promise<Outcome>, hidden = NOTHING_HIDDEN): Promise<Outcome> {
  try {
    return shortened(await send(), hidden);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    return shortened(tryAgain(`Sending failed: ${reason}`), hidden);
  }
}

const NOTHING_HIDDEN = new HiddenTexts(() => []);

function shortened(outcome: Outcome, hidden = NOTHING_HIDDEN): Outcome {
  if (!('error' in outcome)) return outcome;
  const error = hidden.removedFrom(oneLine(outcome.error));
  return { ...outcome, error: firstCharacters(error, MAX_ERROR) };
}
